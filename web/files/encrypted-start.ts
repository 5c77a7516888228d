import type { HttpContext } from "../../src/http/routing/env.ts";
import { COMMON_HEADERS } from "../../src/http/routing/response-headers.ts";
import { readEncryptedStart } from "../../src/service/downloads/read-encrypted-start.ts";
import { withPerson } from "../account/with-person.ts";

/** Handles `GET /files/start/:fileId`: sends the first bytes of an own encrypted file, in which a script finds its hidden name. */
export const sendEncryptedStart = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const bytes = await readEncryptedStart(c.env.ctx, call, c.req.param("fileId") ?? "");
    return new Response(bytes, { headers: { ...COMMON_HEADERS, "Content-Type": "application/octet-stream", "Cache-Control": "no-store" } });
  });
