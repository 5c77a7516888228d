/** The headers that make a request depend on what is there (RFC 9110, 13.1); `If-Range` is of ranges alone. */
export interface Conditions {
  readonly ifMatch: string | null;
  readonly ifUnmodifiedSince: string | null;
  readonly ifNoneMatch: string | null;
  readonly ifModifiedSince: string | null;
}

/** What conditions are held against; null where there is no such thing. */
export interface Validators {
  readonly etag: string | null;
  readonly modifiedMs: number | null;
}

/** A request is refused where it wants bytes that are not these, and unchanged where its client has these very bytes already. */
export type Outcome = "met" | "refused" | "unchanged";

/** What a request's conditions come to, in the order of RFC 9110, 13.2.2. A date that is none is no condition. */
export function judgeConditions(conditions: Conditions, current: Validators): Outcome {
  if (isRefused(conditions, current)) return "refused";
  return isUnchanged(conditions, current) ? "unchanged" : "met";
}

/** Whether a request wants these bytes and no others. */
export const wantsTheseAlone = ({ ifMatch, ifUnmodifiedSince }: Conditions): boolean => ifMatch !== null || ifUnmodifiedSince !== null;

function isRefused({ ifMatch, ifUnmodifiedSince }: Conditions, { etag, modifiedMs }: Validators): boolean {
  if (ifMatch === null) return ifUnmodifiedSince !== null && modifiedMs !== null && modifiedMs > Date.parse(ifUnmodifiedSince);
  return ifMatch.trim() !== "*" && !tagsOf(ifMatch).some((tag) => tag === etag);
}

function isUnchanged({ ifNoneMatch, ifModifiedSince }: Conditions, { etag, modifiedMs }: Validators): boolean {
  if (ifNoneMatch === null) return ifModifiedSince !== null && modifiedMs !== null && modifiedMs <= Date.parse(ifModifiedSince);
  // A weak tag is the same here, which it never is where bytes are asked for.
  return ifNoneMatch.trim() === "*" || tagsOf(ifNoneMatch).some((tag) => tag.replace("W/", "") === etag);
}

const tagsOf = (list: string): readonly string[] => list.match(/(?:W\/)?"[^"]*"/g) ?? [];
