/** What a scanner said of some bytes. */
export type Verdict =
  | { readonly kind: "clean"; readonly coverage: "whole" | "windowed" }
  | { readonly kind: "infected"; readonly signature: string; readonly coverage: "whole" | "windowed" }
  /** It is there, but could not look at these bytes (an error of its own, a refused size). */
  | { readonly kind: "failed"; readonly reason: string }
  /** It cannot be reached, or does not find what it must: try again later. */
  | { readonly kind: "unreachable"; readonly reason: string };

export interface ScannerState {
  readonly ok: boolean;
  readonly reason?: string;
  /** As the scanner says it, such as `ClamAV 1.4.3`. */
  readonly version?: string;
  readonly signatures?: string;
  readonly signaturesAgeSeconds?: number;
  /** Whether the last self-test found what it planted; undefined before the first. */
  readonly selfTest?: boolean;
}

/** The bytes to look at. */
export interface ScanSource {
  /** All of them in order; iterated once, and to its end unless it throws. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Those from `start` to before `end` again. Rarely asked for: where the scanner refused a size, or its connection broke. */
  reopen(start: number, end: number): AsyncIterable<Uint8Array>;
}

/** Looks at bytes. Never throws by itself: what goes wrong is part of the verdict. Safe to call many times at once. */
export interface Scanner {
  /**
   * Reads `source.body` to its end in constant memory, whatever the verdict, so that whoever feeds it can hash the same pass.
   * A source that throws makes `scan` reject with that error. A body that is not `sizeBytes` long is `failed`.
   */
  scan(source: ScanSource, sizeBytes: number): Promise<Verdict>;
  /** Asks the scanner for its version and, at first and each hour, plants a test pattern that it must find. Cached, so cheap to call. */
  state(): Promise<ScannerState>;
  /** How many threads it has, as it said last; undefined before `state` was asked, and where it does not say. */
  readonly maxThreads: number | undefined;
}
