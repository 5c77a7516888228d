import { withTimeout } from "../lib/concurrency/with-timeout.ts";
import type { Scanner, ScannerState } from "./scanner.ts";

/**
 * The mode of scanning. `clamd`: a scanner is required, and no file is clean without it; `none`: no scanner is configured and none was ever found;
 * `off`: scanning is disabled.
 */
export type ScannerMode = "clamd" | "none" | "off";

export interface ScannerService {
  readonly mode: ScannerMode;
  /** The scanner, if one is required and was found. */
  readonly scanner: Scanner | undefined;
  /** Number of files to scan at the same time. */
  readonly concurrency: number;
  /** Searches for a scanner unless one is known. Called at start and periodically. */
  rediscover(): Promise<void>;
  /** Returns the state. Resolves within five seconds, even if the scanner hangs. */
  state(): Promise<ScannerState & { readonly mode: ScannerMode }>;
}

export interface ScannerServiceOptions {
  readonly wanted: "auto" | "clamd" | "off";
  /** Number of files to scan at the same time; the default depends on the scanner. */
  readonly concurrency?: number | undefined;
  /** The scanner at the configured address; undefined if none is set. */
  readonly configured: Scanner | undefined;
  /** Searches the default addresses. */
  find(): Promise<Scanner | undefined>;
  /** The record that a scanner was found, after which one is required. */
  readonly seen: { load(): Promise<boolean>; save(): Promise<void> };
}

/**
 * Creates the service that decides whether files are scanned, and with which scanner (scanning, "Whether a scanner is required"). Never changes from
 * required to not required.
 */
export async function createScannerService(options: ScannerServiceOptions): Promise<ScannerService> {
  const { wanted, configured, find, seen } = options;
  let scanner = wanted === "off" ? undefined : configured;
  let required = wanted === "clamd" || (wanted === "auto" && configured !== undefined);

  const rediscover = async (): Promise<void> => {
    if (wanted === "off" || scanner !== undefined) return;
    scanner = await find();
    if (scanner !== undefined) {
      required = true;
      await seen.save();
    } else if (!required) {
      // Another process that shares the database may have found one.
      required = await seen.load();
    }
  };
  /** Whether a call has exceeded the timeout. Until it ends, later calls do not wait. */
  let isStuck = false;
  const queryState = async (scanner: Scanner): Promise<ScannerState> => {
    const query = scanner.state().finally(() => {
      isStuck = false;
    });
    return await withTimeout(query, isStuck ? 0 : STATE_TIMEOUT_MS, () => {
      isStuck = true;
      return { ok: false, reason: "clamd responds slowly." };
    });
  };
  const mode = (): ScannerMode => {
    if (wanted === "off") return "off";
    return required ? "clamd" : "none";
  };

  await rediscover();
  if (configured !== undefined && wanted !== "off") await seen.save();
  return {
    get mode() {
      return mode();
    },
    get scanner() {
      return scanner;
    },
    get concurrency() {
      return toScanConcurrency(options.concurrency, scanner?.maxThreads);
    },
    rediscover,
    async state() {
      if (mode() !== "clamd") return { mode: mode(), ok: true, reason: NOT_SCANNED[mode()] };
      if (scanner === undefined)
        return { mode: "clamd", ok: false, reason: "No clamd was found at its default addresses. Start it, or set FILEHOST_CLAMD." };
      return { mode: "clamd", ...(await queryState(scanner)) };
    },
  };
}

/** Timeout of a health check, which must not wait for a scanner that hangs. The call continues, and the next check uses its result. */
const STATE_TIMEOUT_MS = 5_000;

const NOT_SCANNED: Readonly<Record<ScannerMode, string | undefined>> = {
  off: "Malware scanning is off: FILEHOST_SCANNER is off.",
  none: "Malware scanning is off: no clamd was found. Install clamd, or set FILEHOST_CLAMD.",
  clamd: undefined,
};

/** The number of concurrent scans if clamd does not report its threads. */
const DEFAULT_CONCURRENCY = 2;
const MIN_CONCURRENCY = 2;
const MAX_CONCURRENCY = 16;

/**
 * Returns the number of concurrent scans: as configured, otherwise the scanner's threads less one for its self-test and other clients. It is at least
 * two, so that a small file does not wait for a large one; clamd queues scans without a thread.
 */
export function toScanConcurrency(configured: number | undefined, maxThreads: number | undefined): number {
  if (configured !== undefined) return configured;
  return maxThreads === undefined ? DEFAULT_CONCURRENCY : Math.min(MAX_CONCURRENCY, Math.max(MIN_CONCURRENCY, maxThreads - 1));
}
