import { AppError, toAppError } from "../errors.ts";
import { ownerId } from "../service/accounts/actor.ts";
import { operations } from "../service/operations.ts";
import { normalizeUnlockCode } from "../service/shares/credentials.ts";
import { viewShare } from "../service/shares/view-share.ts";
import { identifyCaller } from "./caller.ts";
import { respondClosedText } from "./closed-share.ts";
import type { HttpContext } from "./env.ts";
import { isSentByProgram } from "./request-headers.ts";
import { respondErrorText } from "./respond-error.ts";
import { redirect } from "./respond-page.ts";

/**
 * `GET /d/:shortId/download`: redirects a program to the bytes of the share, as one download, and everything else to its page (curl,
 * "Downloads"). An error is one line of text, with the status and headers of the operation's.
 */
export async function downloadForProgram(c: HttpContext): Promise<Response> {
  const shortId = c.req.param("shortId") ?? "";
  if (!isSentByProgram(c)) return redirect(c, 302, `/d/${encodeURIComponent(shortId)}`);
  try {
    return await authorize(c, shortId);
  } catch (error) {
    return respondErrorText(c, toAppError(error).code === "UNLOCK_REQUIRED" ? codeRequired() : error);
  }
}

async function authorize(c: HttpContext, shortId: string): Promise<Response> {
  const { ctx } = c.env;
  const call = await identifyCaller(c, "terminal");
  const view = await viewShare(ctx, shortId, ownerId(call.actor));
  if (view.kind === "moved") return redirect(c, 302, `/d/${encodeURIComponent(view.shortId)}/download`);
  if (view.kind !== "open") return respondClosedText(c, view);
  const code = c.req.header("x-unlock-code");
  const credentials = code === undefined ? {} : { unlockCode: normalizeUnlockCode(code) };
  const [file, ...others] = view.files;
  const { url } =
    file && others.length === 0
      ? await operations.authorizeDownload(ctx, call, { fileId: file.id, ...credentials })
      : await operations.authorizeArchive(ctx, call, { shortId: view.share.short_id, ...credentials });
  return redirect(c, 302, url);
}

const codeRequired = (): AppError =>
  new AppError("UNLOCK_REQUIRED", "This share is protected. Send its code: -H 'X-Unlock-Code: CODE'.", {
    fields: { unlockRequired: true },
  });
