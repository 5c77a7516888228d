export interface Conditions {
  readonly ifNoneMatch: string | null;
  readonly ifModifiedSince: string | null;
}

/** Whether a client has these very bytes already, by the tag it names, or else by the time (RFC 9110, 13.1.2, 13.1.3 and 13.2.2). */
export function isUnchanged({ ifNoneMatch, ifModifiedSince }: Conditions, current: { etag: string; modifiedMs: number }): boolean {
  if (ifNoneMatch === null) return ifModifiedSince !== null && current.modifiedMs <= Date.parse(ifModifiedSince);
  const tags: readonly string[] = ifNoneMatch.match(/"[^"]*"/g) ?? [];
  return ifNoneMatch.trim() === "*" || tags.includes(current.etag);
}
