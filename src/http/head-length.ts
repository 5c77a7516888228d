import type { HttpContext } from "./env.ts";

/** For a HEAD, the length of the body that a GET gets, which the server would else give as 0; for the rest, whose bodies it counts, nothing. */
export const headLength = (c: HttpContext, body: string | Uint8Array): Readonly<Record<string, string>> =>
  c.req.method === "HEAD" ? { "Content-Length": String(Buffer.byteLength(body)) } : {};
