/** A span of bytes, half-open: from `start` to before `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export type RangeResult =
  | { readonly kind: "whole" }
  | { readonly kind: "partial"; readonly span: Span }
  | { readonly kind: "unsatisfiable" };

/**
 * Parses a `Range` header for a body of `sizeBytes`. A header that is malformed, in another unit, or for several ranges counts as absent,
 * as RFC 9110, section 14.2 allows.
 */
export function parseRange(header: string | null | undefined, sizeBytes: number): RangeResult {
  const match = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header ?? "");
  const [, first = "", last = ""] = match ?? [];
  if (!match || (first === "" && last === "")) return { kind: "whole" };
  if (first === "") return suffix(Number(last), sizeBytes);
  const start = Number(first);
  const end = last === "" ? sizeBytes : Number(last) + 1;
  if (end <= start) return last !== "" && Number(last) < start ? { kind: "whole" } : { kind: "unsatisfiable" };
  if (start >= sizeBytes) return { kind: "unsatisfiable" };
  return { kind: "partial", span: { start, end: Math.min(end, sizeBytes) } };
}

function suffix(lengthBytes: number, sizeBytes: number): RangeResult {
  if (lengthBytes === 0 || sizeBytes === 0) return { kind: "unsatisfiable" };
  return { kind: "partial", span: { start: Math.max(0, sizeBytes - lengthBytes), end: sizeBytes } };
}

/** Maximum number of recorded spans, so that requests for single bytes need bounded memory. */
const MAX_SPANS = 1_000;

/** Adds a span to a sorted list of disjoint spans and returns the merged list, or an unchanged one if it would exceed `MAX_SPANS`. */
export function addSpan(spans: readonly Span[], added: Span): Span[] {
  if (added.end <= added.start) return [...spans];
  const merged: Span[] = [];
  let current = added;
  for (const span of spans) {
    if (span.end < current.start) merged.push(span);
    else if (span.start > current.end) {
      merged.push(current);
      current = span;
    } else current = { start: Math.min(span.start, current.start), end: Math.max(span.end, current.end) };
  }
  merged.push(current);
  return merged.length > MAX_SPANS ? [...spans] : merged;
}

/** Returns whether the spans contain every byte of a body of `sizeBytes`. */
export function coversWhole(spans: readonly Span[], sizeBytes: number): boolean {
  const [only] = spans;
  return sizeBytes === 0 || (spans.length === 1 && only !== undefined && only.start === 0 && only.end >= sizeBytes);
}
