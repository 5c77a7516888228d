import type { Conditions } from "../domain/preconditions.ts";
import type { HttpContext } from "./env.ts";

/** The conditions of a request, as its headers say them. */
export const conditionsOf = (c: HttpContext): Conditions => ({
  ifMatch: c.req.header("if-match") ?? null,
  ifUnmodifiedSince: c.req.header("if-unmodified-since") ?? null,
  ifNoneMatch: c.req.header("if-none-match") ?? null,
  ifModifiedSince: c.req.header("if-modified-since") ?? null,
});
