import type { Ctx } from "../context.ts";
import type { UploadResult } from "../contract/files.ts";
import { putDelegated } from "../operations/delegations/put-delegated.ts";
import { toCall } from "./call.ts";
import type { HttpContext } from "./env.ts";
import { declaredBytes, streamBodyOnce } from "./read-body.ts";

/** `PUT` to a delegation's upload address. */
export async function receiveDelegated(ctx: Ctx, c: HttpContext): Promise<UploadResult> {
  return await putDelegated(ctx, await toCall(ctx, c, "delegation", { uncounted: true }), {
    token: c.req.param("token") ?? "",
    type: c.req.header("content-type"),
    sizeBytes: declaredBytes(c.req.raw),
    body: streamBodyOnce(c.req.raw),
  });
}
