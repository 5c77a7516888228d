import { requireScope } from "../auth/authenticate.ts";
import type { Call, Ctx } from "../context.ts";
import type { UploadResult } from "../contract/files.ts";
import { publishInput } from "../contract/publish.ts";
import { MAX_FORM_FILES } from "../contract/scalars.ts";
import { AppError } from "../errors.ts";
import { wantsPage } from "./answer-page.ts";
import { toCall } from "./call.ts";
import type { HttpContext } from "./env.ts";
import { formStream } from "./form-stream.ts";
import { declaredBytes, streamBodyOnce } from "./read-body.ts";
import { parseInput, queryFields } from "./read-input.ts";
import { receiveFormOnce, receiveOnce } from "./receive-once.ts";

/**
 * `curl -T photo.jpg {site_url}/`: the body is the file; publish fields are query parameters (decisions, "Uploads"). The path's last segment
 * is the file's name; a path of several is its relative path.
 */
export async function receivePut(ctx: Ctx, c: HttpContext): Promise<readonly UploadResult[]> {
  const call = await toUploadCall(ctx, c);
  const url = new URL(c.req.url);
  const segments = url.pathname
    .split("/")
    .filter((segment) => segment !== "")
    .map(decodeName);
  const path = segments.length > 1 ? { relativePath: segments.join("/") } : {};
  const upload = await receiveOnce(ctx, c, call, {
    name: segments.at(-1) ?? "",
    type: c.req.header("content-type"),
    sizeBytes: declaredBytes(c.req.raw),
    body: streamBodyOnce(c),
    publish: parseInput(publishInput, { ...path, ...queryFields(url.searchParams) }),
  });
  return [upload];
}

/**
 * `curl -F file=@photo.jpg {site_url}/`, and the form of the front page: streamed, whatever its size; fields before or after the files. Each
 * of several files gets a share of its own; all of them are stored, or none.
 */
export async function receiveForm(ctx: Ctx, c: HttpContext): Promise<readonly UploadResult[]> {
  const call = await toUploadCall(ctx, c);
  if (!/^multipart\/form-data\b/i.test(c.req.header("content-type") ?? "")) {
    throw new AppError("UNSUPPORTED_MEDIA_TYPE", "Send a form with a file, such as `curl -F file=@photo.jpg`, or PUT the file's bytes.");
  }
  // The page that a browser gets shows one upload.
  return await receiveFormOnce(ctx, c, call, formStream(c, call, wantsPage(c) ? 1 : MAX_FORM_FILES));
}

async function toUploadCall(ctx: Ctx, c: HttpContext): Promise<Call> {
  const call = await toCall(ctx, c, "curl");
  if (call.actor.kind === "user") requireScope(call.actor, "files_write");
  return call;
}

function decodeName(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
