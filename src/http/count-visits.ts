import type { Next } from "hono";
import { AppError } from "../errors.ts";
import type { HttpContext } from "./env.ts";

/** What people and programs look at without a key; it counts by the address that asks (decisions, "Accounts, keys, tiers"). */
export const PAGES = [
  "/",
  "/d/:shortId",
  "/d/:shortId/",
  "/h/:token",
  "/h/:token/",
  "/delete/:fileId/:token",
  "/robots.txt",
  "/llms.txt",
  "/agent-openapi.json",
] as const;

/** Parts, signed addresses, the pages' assets and health. */
const UNCOUNTED = /^\/(?:dl|ar|up|assets)\/|\/health(?:\/live)?$/;

/** Counts a look at a page, once. Throws RATE_LIMITED. */
export async function countVisit(c: HttpContext, next: Next): Promise<void> {
  c.env.rate ??= c.env.rates.take({ actor: undefined, address: c.env.address }, 1);
  await next();
}

/**
 * Counts a request that was refused before anything counted it, such as one of an unknown address; resolves to what to answer. One that
 * comes too often counts nowhere, and its headers tell of the limit that refused it.
 */
export function countRefusal(c: HttpContext, error: Error): Error {
  if (c.env.rate !== undefined || UNCOUNTED.test(c.req.path)) return error;
  if (error instanceof AppError && error.code === "RATE_LIMITED") return error;
  try {
    c.env.rate = c.env.rates.take({ actor: undefined, address: c.env.address }, 1);
    return error;
  } catch (limited) {
    return limited instanceof Error ? limited : error;
  }
}
