import type { HttpContext } from "./env.ts";

/** Whether a browser fetches ahead what nobody has asked for yet. */
export function isPrefetch(c: HttpContext): boolean {
  const purpose = c.req.header("sec-purpose") ?? c.req.header("purpose") ?? c.req.header("x-moz") ?? "";
  return purpose.includes("prefetch");
}
