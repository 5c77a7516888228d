import type { Span } from "../../lib/http/range.ts";

/** A span that a connection fills from its start. Its end becomes smaller when another connection takes a part of it. */
export interface MissingSpan {
  start: number;
  end: number;
}

/** The bytes of a file that have not arrived, and the connections that receive them. */
export interface MissingBytes {
  readonly bytes: number;
  /** Takes the first hole that no connection fills. */
  takeFirst(): MissingSpan | undefined;
  /** Takes the last bytes of the last large hole, which a connection may be filling: at most half of it. Undefined if all holes are small. */
  takeLast(bytes: number): MissingSpan | undefined;
  /** Releases a hole that is filled, or whose rest other connections may fill. */
  release(hole: MissingSpan): void;
  /** Returns the spans that have arrived, in order. */
  stored(): readonly Span[];
}

/** Creates the list of missing bytes. `stored` has the spans that arrived before, in order, without overlaps. */
export function createMissingBytes(sizeBytes: number, stored: readonly Span[]): MissingBytes {
  const holes: MissingSpan[] = [];
  let position = 0;
  for (const { start, end } of [...stored, { start: sizeBytes, end: sizeBytes }]) {
    if (start > position) holes.push({ start: position, end: start });
    position = Math.max(position, end);
  }
  const taken = new Set<MissingSpan>();
  const rest = (): readonly MissingSpan[] => holes.filter(({ start, end }) => start < end).sort((one, other) => one.start - other.start);
  return {
    get bytes() {
      return holes.reduce((sum, { start, end }) => sum + end - start, 0);
    },
    takeFirst() {
      const hole = rest().find((hole) => !taken.has(hole));
      if (hole) taken.add(hole);
      return hole;
    },
    takeLast(bytes) {
      const hole = rest().findLast(({ start, end }) => end - start >= 2 * bytes);
      if (hole === undefined) return undefined;
      const piece = { start: hole.end - bytes, end: hole.end };
      hole.end = piece.start;
      holes.push(piece);
      taken.add(piece);
      return piece;
    },
    release: (hole) => void taken.delete(hole),
    stored() {
      const spans: Span[] = [];
      let from = 0;
      for (const { start, end } of [...rest(), { start: sizeBytes, end: sizeBytes }]) {
        if (start > from) spans.push({ start: from, end: start });
        from = end;
      }
      return spans;
    },
  };
}
