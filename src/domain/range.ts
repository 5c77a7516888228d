/** Half-open span of bytes. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export type RangeAnswer =
  | { readonly kind: "whole" }
  | { readonly kind: "partial"; readonly span: Span }
  | { readonly kind: "unsatisfiable" };

/**
 * Reads a `Range` header for a body of `sizeBytes`. What is malformed, of another unit, or asks for several ranges counts as absent,
 * as RFC 9110, section 14.2 allows.
 */
export function parseRange(header: string | null | undefined, sizeBytes: number): RangeAnswer {
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

function suffix(lengthBytes: number, sizeBytes: number): RangeAnswer {
  if (lengthBytes === 0 || sizeBytes === 0) return { kind: "unsatisfiable" };
  return { kind: "partial", span: { start: Math.max(0, sizeBytes - lengthBytes), end: sizeBytes } };
}

/** A reader who asks for single bytes here and there is not followed further than this. */
const MAX_SPANS = 1_000;

/** Adds a span to a sorted list of spans that do not touch, and keeps it so; one too many is left out. */
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

/** Whether the spans hold every byte of a body of `sizeBytes`. */
export function coversWhole(spans: readonly Span[], sizeBytes: number): boolean {
  const [only] = spans;
  return sizeBytes === 0 || (spans.length === 1 && only !== undefined && only.start === 0 && only.end >= sizeBytes);
}
