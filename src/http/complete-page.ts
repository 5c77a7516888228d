import type { Ctx } from "../context.ts";
import type { UploadResult } from "../contract/files.ts";
import { operations } from "../operations/index.ts";
import { toCall } from "./call.ts";
import type { HttpContext } from "./env.ts";
import { readPageForm } from "./read-body.ts";

/** The end of an upload that the front page sent in parts; its answer is the page that its form gets for a small one. Again is fine, for a day. */
export async function completeUpload(ctx: Ctx, c: HttpContext): Promise<UploadResult> {
  const call = await toCall(ctx, c, "page");
  const form = await readPageForm(c, call);
  const { file } = await operations.completeMultipart(ctx, call, { uploadId: form.get("uploadId") ?? "" });
  return file;
}
