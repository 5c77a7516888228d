import { withTimeout } from "../lib/concurrency/with-timeout.ts";
import type { Scanner, ScannerState } from "./scanner.ts";

/**
 * `clamd`: a scanner is required, and no file is clean without it. `none`: none is configured and none was ever found. `off`: scanning is
 * disabled.
 */
export type ScannerMode = "clamd" | "none" | "off";

export interface ScannerService {
  readonly mode: ScannerMode;
  /** The scanner, if one is required and was found. */
  readonly scanner: Scanner | undefined;
  /** How many files to scan at the same time. */
  readonly concurrency: number;
  /** Searches for a scanner unless one is known. Called at start and periodically. */
  rediscover(): Promise<void>;
  /** Resolves within five seconds, even if the scanner is stuck. */
  state(): Promise<ScannerState & { readonly mode: ScannerMode }>;
}

export interface ScannerServiceOptions {
  readonly wanted: "auto" | "clamd" | "off";
  /** How many files to scan at the same time; by default it depends on the scanner. */
  readonly concurrency?: number | undefined;
  /** The scanner at the configured address; undefined if none is set. */
  readonly configured: Scanner | undefined;
  /** Searches the default addresses. */
  find(): Promise<Scanner | undefined>;
  /** Whether a scanner was ever found: from then on one is required. */
  readonly seen: { load(): Promise<boolean>; save(): Promise<void> };
}

/** Decides whether files are scanned, and by what (scanning, "Whether a scanner is required"). Never changes from required to not required. */
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
  /** A call has exceeded the timeout: until it ends, later calls do not wait. */
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

/** A health check must not wait for a stuck scanner. The call continues, and its result is used next time. */
const STATE_TIMEOUT_MS = 5_000;

const NOT_SCANNED: Readonly<Record<ScannerMode, string | undefined>> = {
  off: "Malware scanning is off: FILEHOST_SCANNER is off.",
  none: "Malware scanning is off: no clamd was found. Install clamd, or set FILEHOST_CLAMD.",
  clamd: undefined,
};

/** The default if clamd does not report its threads. */
const DEFAULT_CONCURRENCY = 2;
const MIN_CONCURRENCY = 2;
const MAX_CONCURRENCY = 16;

/**
 * The number of concurrent scans: as configured, otherwise the scanner's threads less one, which is left for its self-test and other
 * clients. At least two, so that a small file does not wait for a large one: clamd queues what it has no thread for.
 */
export function toScanConcurrency(configured: number | undefined, maxThreads: number | undefined): number {
  if (configured !== undefined) return configured;
  return maxThreads === undefined ? DEFAULT_CONCURRENCY : Math.min(MAX_CONCURRENCY, Math.max(MIN_CONCURRENCY, maxThreads - 1));
}
