import { toScanConcurrency } from "./concurrency.ts";
import type { Scanner, ScannerState } from "./scanner.ts";

/**
 * `clamd`: a scanner is required, and nothing is clean without it. `none`: none was asked for and none was ever seen. `off`: none is wanted.
 */
export type ScannerMode = "clamd" | "none" | "off";

export interface ScannerService {
  readonly mode: ScannerMode;
  /** The scanner where one is required and was found; undefined otherwise. */
  readonly scanner: Scanner | undefined;
  /** How many files are to be checked at the same time. */
  readonly concurrency: number;
  /** Looks for a scanner where none is known yet. Called at the start and now and then. */
  lookAgain(): Promise<void>;
  /** Resolves within five seconds, whatever the scanner does. */
  state(): Promise<ScannerState & { readonly mode: ScannerMode }>;
}

export interface ScannerServiceOptions {
  readonly wanted: "auto" | "clamd" | "off";
  /** How many files are checked at the same time; undefined where that depends on the scanner. */
  readonly concurrency?: number | undefined;
  /** The scanner at the configured address, where one is set. */
  readonly configured: Scanner | undefined;
  /** Looks at the usual places. */
  find(): Promise<Scanner | undefined>;
  /** Whether a scanner was ever seen: from then on one is required. */
  readonly seen: { load(): Promise<boolean>; save(): Promise<void> };
}

/** Decides whether files are scanned, and by what (decisions, "Scanning"). Never falls back from required to not. */
export async function createScannerService(options: ScannerServiceOptions): Promise<ScannerService> {
  const { wanted, configured, find, seen } = options;
  let scanner = wanted === "off" ? undefined : configured;
  let required = wanted === "clamd" || (wanted === "auto" && configured !== undefined);

  const lookAgain = async (): Promise<void> => {
    if (wanted === "off" || scanner !== undefined) return;
    scanner = await find();
    if (scanner !== undefined) {
      required = true;
      await seen.save();
    } else if (!required) {
      // Also what another process that shares the database has seen counts.
      required = await seen.load();
    }
  };
  /** Asked in vain for longer than the deadline: until that is answered, nobody else waits for it. */
  let isStuck = false;
  const ask = async (scanner: Scanner): Promise<ScannerState> => {
    const asked = scanner.state().finally(() => {
      isStuck = false;
    });
    return await within(isStuck ? 0 : STATE_DEADLINE_MS, asked, () => {
      isStuck = true;
    });
  };
  const mode = (): ScannerMode => {
    if (wanted === "off") return "off";
    return required ? "clamd" : "none";
  };

  await lookAgain();
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
    lookAgain,
    async state() {
      if (mode() !== "clamd") return { mode: mode(), ok: true, reason: NOT_SCANNED[mode()] };
      if (scanner === undefined)
        return { mode: "clamd", ok: false, reason: "No clamd was found at the usual places. Start it, or set FILEHOST_CLAMD." };
      return { mode: "clamd", ...(await ask(scanner)) };
    },
  };
}

/** A health check must not wait for a scanner that is stuck; what was asked goes on, and is the answer next time. */
const STATE_DEADLINE_MS = 5_000;

async function within(deadlineMs: number, asked: Promise<ScannerState>, onLate: () => void): Promise<ScannerState> {
  const { promise: late, resolve } = Promise.withResolvers<ScannerState>();
  const timer = setTimeout(() => {
    onLate();
    resolve({ ok: false, reason: "clamd takes long to answer." });
  }, deadlineMs);
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
  }
}

const NOT_SCANNED: Readonly<Record<ScannerMode, string | undefined>> = {
  off: "Scanning is off: files are shared without a malware check.",
  none: "No scanner was found: files are shared without a malware check. Install clamd, or set FILEHOST_CLAMD.",
  clamd: undefined,
};
