/** The result of a scan. */
export type Verdict =
  | { readonly kind: "clean"; readonly coverage: "whole" | "windowed" }
  | { readonly kind: "infected"; readonly signature: string; readonly coverage: "whole" | "windowed" }
  /** The scanner cannot scan these bytes (an error, a refused size). */
  | { readonly kind: "failed"; readonly reason: string }
  /** The scanner cannot be reached, or does not find the test pattern: try again later. */
  | { readonly kind: "unreachable"; readonly reason: string };

export interface ScannerState {
  readonly ok: boolean;
  readonly reason?: string;
  /** The name and version that the scanner reports, such as `ClamAV 1.4.3`. */
  readonly version?: string;
  readonly signatures?: string;
  readonly signaturesAgeSeconds?: number;
  /** Whether the last self-test found the test pattern; undefined before the first. */
  readonly selfTest?: boolean;
}

/** The bytes to scan. */
export interface ScanSource {
  /** All of them in order. Iterated once, and to the end unless it throws. */
  readonly body: AsyncIterable<Uint8Array>;
  /** The bytes from `start` to before `end` again. Rarely needed: after a refused size or a broken connection. */
  reopen(start: number, end: number): AsyncIterable<Uint8Array>;
}

/** Scans bytes. Errors are part of the verdict. Calls may be concurrent. */
export interface Scanner {
  /**
   * Reads `source.body` to its end in constant memory, whatever the verdict, so that the caller can hash the same pass. Rejects with the
   * source's error. A body that is not `sizeBytes` long is `failed`.
   */
  scan(source: ScanSource, sizeBytes: number): Promise<Verdict>;
  /** The scanner's version and state. Runs a self-test at first and each hour. Cached, so cheap to call. */
  state(): Promise<ScannerState>;
  /** The number of threads it last reported; undefined before `state` was called, and if it reports none. */
  readonly maxThreads: number | undefined;
}
