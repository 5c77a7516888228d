import type { ClamdAddress } from "./clamd-address.ts";
import type { ClamdLink } from "./clamd-connection.ts";
import { runSelfTest } from "./clamd-self-test.ts";
import { askMaxThreads } from "./clamd-threads.ts";
import { askVersion } from "./clamd-version.ts";
import { drainSource, scanWindows } from "./clamd-windows.ts";
import { createKept } from "./kept.ts";
import type { Scanner, ScannerState } from "./scanner.ts";
import { createWindowLimit, type RememberedLimit } from "./window-limit.ts";

export interface ClamdScannerOptions {
  readonly address: ClamdAddress;
  /** The most that is sent at once; larger files go in windows. */
  readonly windowBytes?: number;
  /** How much of a window is sent again at the start of the next. */
  readonly overlapBytes?: number;
  readonly connectTimeoutMs?: number;
  /** How long clamd may take no bytes, or ponder its verdict. */
  readonly idleTimeoutMs?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** What becomes of files larger than a window: scanned in windows, or `failed`. */
  readonly oversize?: "windows" | "block";
  readonly limits: RememberedLimit;
}

const MB = 1024 * 1024;
const SELF_TEST_EVERY_MS = 3_600_000;
/** How long a bad answer is believed, and clamd's version: the answer to a health check need not be fresher. */
const LOOK_AGAIN_AFTER_MS = 15_000;
/** Where nobody answers, asking again costs nothing, and files wait. */
const KNOCK_AGAIN_AFTER_MS = 2_000;

/**
 * A clamd at a socket, spoken to with INSTREAM (decisions, "Scanning"). Opens no connection before it is asked something.
 * Throws where a window is not larger than the overlap.
 */
export function createClamdScanner(options: ClamdScannerOptions): Scanner {
  const { windowBytes = 25 * MB, overlapBytes = MB, connectTimeoutMs = 5_000, idleTimeoutMs = 180_000 } = options;
  const { now = Date.now, oversize = "windows" } = options;
  if (windowBytes <= overlapBytes) throw new Error("A window must be larger than what it shares with the next.");
  const link: ClamdLink = { address: options.address, connectTimeoutMs, idleTimeoutMs };
  const limit = createWindowLimit({ windowBytes, overlapBytes, limits: options.limits });
  const windows = { link, limit, overlapBytes, oversize };

  const selfTest = createKept({
    now,
    make: () => runSelfTest(link, limit),
    goodForMs: (result) => (result.ok ? SELF_TEST_EVERY_MS : LOOK_AGAIN_AFTER_MS),
  });
  const version = createKept({
    now,
    make: () => askVersion(link),
    goodForMs: (said) => ("failure" in said ? KNOCK_AGAIN_AFTER_MS : LOOK_AGAIN_AFTER_MS),
  });

  const threads = createKept({
    now,
    make: () => askMaxThreads(link),
    goodForMs: (count) => (count === undefined ? LOOK_AGAIN_AFTER_MS : SELF_TEST_EVERY_MS),
  });

  return {
    get maxThreads() {
      return threads.peek();
    },

    async scan(source, sizeBytes) {
      const test = await selfTest.get();
      if (!test.ok) {
        await drainSource(source);
        return { kind: "unreachable", reason: test.reason };
      }
      const verdict = await scanWindows(source, sizeBytes, windows);
      // It may come back with another configuration.
      if (verdict.kind === "unreachable") {
        selfTest.expire();
        version.expire();
        threads.expire();
      }
      return verdict;
    },

    async state(): Promise<ScannerState> {
      const said = await version.get();
      if ("failure" in said) {
        const tested = selfTest.peek()?.ok;
        selfTest.expire();
        threads.expire();
        return { ok: false, reason: said.failure, selfTest: tested };
      }
      const [test] = await Promise.all([selfTest.get(), threads.get()]);
      return {
        ok: test.ok,
        reason: test.ok ? undefined : test.reason,
        version: said.version,
        signatures: said.signatures,
        signaturesAgeSeconds: said.signaturesBuiltAt === undefined ? undefined : ageSeconds(said.signaturesBuiltAt, now()),
        selfTest: test.ok,
      };
    },
  };
}

function ageSeconds(thenMs: number, nowMs: number): number {
  return Math.max(0, Math.floor((nowMs - thenMs) / 1000));
}
