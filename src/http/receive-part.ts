import type { Ctx } from "../context.ts";
import { AppError } from "../errors.ts";
import { readPartAddress } from "../operations/uploads/part-url.ts";
import { putPart } from "../operations/uploads/put-part.ts";
import type { HttpContext } from "./env.ts";
import { declaredBytes, streamBodyOnce } from "./read-body.ts";

/** `PUT` of one part to its signed address. */
export async function receivePart(ctx: Ctx, c: HttpContext): Promise<Response> {
  const address = readPartAddress(ctx, {
    sessionKey: c.req.param("sessionKey") ?? "",
    partNumber: c.req.param("partNumber") ?? "",
    query: new URL(c.req.url).searchParams,
  });
  if (!address)
    throw new AppError("SIGNATURE_INVALID", "This upload address is not valid, or has lapsed. Ask for new ones with batch-urls.");
  const { etag } = await putPart(ctx, { address, sizeBytes: declaredBytes(c.req.raw), body: streamBodyOnce(c) });
  return new Response(JSON.stringify({ success: true, data: { partNumber: address.partNumber, etag } }), {
    headers: { "Content-Type": "application/json", ETag: etag, "Cache-Control": "no-store" },
  });
}
