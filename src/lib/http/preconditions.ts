/** The precondition headers of a request (RFC 9110, 13.1) except `If-Range`. */
export interface Preconditions {
  readonly ifMatch: string | null;
  readonly ifUnmodifiedSince: string | null;
  readonly ifNoneMatch: string | null;
  readonly ifModifiedSince: string | null;
}

/** The current representation. Its members are null if there is none. */
export interface Validators {
  readonly etag: string | null;
  readonly modifiedMs: number | null;
}

/** `refused`: the client requires a different representation. `unchanged`: the client has the current one. */
export type PreconditionResult = "met" | "refused" | "unchanged";

/** Evaluates a request's preconditions in the order of RFC 9110, 13.2.2. Ignores invalid dates. */
export function evaluatePreconditions(conditions: Preconditions, current: Validators): PreconditionResult {
  if (isRefused(conditions, current)) return "refused";
  return isUnchanged(conditions, current) ? "unchanged" : "met";
}

/** Returns whether a request requires one particular representation. */
export const hasIfMatch = ({ ifMatch, ifUnmodifiedSince }: Preconditions): boolean => ifMatch !== null || ifUnmodifiedSince !== null;

/** Returns whether `Range` applies: there is no `If-Range`, or it is the strong tag or the date of the current representation (RFC 9110, 13.1.5). */
export const isRangeCurrent = (ifRange: string | undefined, { etag, modifiedMs }: Validators): boolean =>
  ifRange === undefined || ifRange === etag || Date.parse(ifRange) === modifiedMs;

function isRefused({ ifMatch, ifUnmodifiedSince }: Preconditions, { etag, modifiedMs }: Validators): boolean {
  if (ifMatch === null) return ifUnmodifiedSince !== null && modifiedMs !== null && modifiedMs > Date.parse(ifUnmodifiedSince);
  return ifMatch.trim() !== "*" && !tagsOf(ifMatch).some((tag) => tag === etag);
}

function isUnchanged({ ifNoneMatch, ifModifiedSince }: Preconditions, { etag, modifiedMs }: Validators): boolean {
  if (ifNoneMatch === null) return ifModifiedSince !== null && modifiedMs !== null && modifiedMs <= Date.parse(ifModifiedSince);
  // Uses the weak comparison, which `If-Match` never uses.
  return ifNoneMatch.trim() === "*" || tagsOf(ifNoneMatch).some((tag) => tag.replace("W/", "") === etag);
}

const tagsOf = (list: string): readonly string[] => list.match(/(?:W\/)?"[^"]*"/g) ?? [];
