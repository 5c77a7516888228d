import { createCachedValue } from "../../lib/concurrency/cached-value.ts";
import type { Scanner, ScannerState, Verdict } from "../scanner.ts";
import type { ClamdAddress } from "./address.ts";
import type { ClamdTarget } from "./connection.ts";
import { type ProcessWatch, watchProcess } from "./process-watch.ts";
import { runSelfTest } from "./self-test.ts";
import { queryMaxThreads, queryVersion } from "./server-info.ts";
import { createWindowSize, type StoredWindowSize } from "./window-size.ts";
import { drainSource, scanWindows } from "./windows.ts";

export interface ClamdScannerOptions {
  readonly address: ClamdAddress;
  /** Maximum size of a stream to clamd. Larger files are sent in windows. */
  readonly windowBytes?: number;
  /** Number of bytes of a window that are repeated at the start of the next. */
  readonly overlapBytes?: number;
  readonly connectTimeoutMs?: number;
  /** Maximum wait for clamd to accept bytes and to respond. */
  readonly idleTimeoutMs?: number;
  /** Returns the time in milliseconds since 1970. */
  readonly now?: () => number;
  /** The treatment of files that are larger than a window: scanned in windows, or `failed`. */
  readonly oversize?: "windows" | "block";
  readonly storedSize: StoredWindowSize;
}

const MB = 1024 * 1024;
const SELF_TEST_INTERVAL_MS = 3_600_000;
/** Time for which a failure and clamd's version are cached. A health check does not require newer data. */
const FAILURE_MAX_AGE_MS = 15_000;
/** Time for which a failed connection is cached. It is short, because retrying is cheap and files wait. */
const UNREACHABLE_MAX_AGE_MS = 2_000;

/** A clamd process that passed the self-test. */
interface TestedProcess {
  readonly ok: true;
  readonly session: ProcessWatch;
}

const RESTARTED: Verdict = { kind: "unreachable", reason: "clamd was restarted during the scan" };

/**
 * Scans with a clamd by INSTREAM (scanning, "The scan"). Connects on the first call. Throws unless a window is larger than the overlap.
 */
export function createClamdScanner(options: ClamdScannerOptions): Scanner {
  const { windowBytes = 25 * MB, overlapBytes = MB, connectTimeoutMs = 5_000, idleTimeoutMs = 180_000 } = options;
  const { now = Date.now, oversize = "windows" } = options;
  if (windowBytes <= overlapBytes) throw new Error("A window must be larger than what it shares with the next.");
  const target: ClamdTarget = { address: options.address, connectTimeoutMs, idleTimeoutMs };
  const windowSize = createWindowSize({ windowBytes, overlapBytes, storedSize: options.storedSize });
  const windows = { target, windowSize, overlapBytes, oversize };

  let session: ProcessWatch | undefined;
  /** Tests the clamd process of a session, which was opened before the test. */
  const testProcess = async (): Promise<TestedProcess | { readonly ok: false; readonly reason: string }> => {
    if (!(await session?.confirm())) session = undefined;
    const watched = session ?? (await watchProcess(target));
    if ("failure" in watched) return { ok: false, reason: watched.failure };
    session = watched;
    const result = await runSelfTest(target, windowSize);
    return result.ok ? { ok: true, session: watched } : result;
  };
  const selfTest = createCachedValue({
    now,
    make: testProcess,
    maxAgeMs: (result) => (result.ok ? SELF_TEST_INTERVAL_MS : FAILURE_MAX_AGE_MS),
  });
  const getSelfTest = () => {
    const last = selfTest.peek();
    if (last?.ok && !last.session.isOpen) selfTest.expire();
    return selfTest.get();
  };
  const version = createCachedValue({
    now,
    make: () => queryVersion(target),
    maxAgeMs: (reported) => ("failure" in reported ? UNREACHABLE_MAX_AGE_MS : FAILURE_MAX_AGE_MS),
  });

  const threads = createCachedValue({
    now,
    make: () => queryMaxThreads(target),
    maxAgeMs: (count) => (count === undefined ? FAILURE_MAX_AGE_MS : SELF_TEST_INTERVAL_MS),
  });

  return {
    get maxThreads() {
      return threads.peek();
    },

    async scan(source, sizeBytes) {
      const test = await getSelfTest();
      if (!test.ok) {
        await drainSource(source);
        return { kind: "unreachable", reason: test.reason };
      }
      const scanned = await scanWindows(source, sizeBytes, windows);
      // clamd may have another configuration after a restart, with which it does not read all bytes.
      const verdict: Verdict = scanned.kind === "clean" && !(await test.session.confirm()) ? RESTARTED : scanned;
      if (verdict.kind === "unreachable") {
        selfTest.expire();
        version.expire();
        threads.expire();
      }
      return verdict;
    },

    async state(): Promise<ScannerState> {
      const reported = await version.get();
      if ("failure" in reported) {
        const tested = selfTest.peek()?.ok;
        selfTest.expire();
        threads.expire();
        return { ok: false, reason: reported.failure, selfTest: tested };
      }
      const [test] = await Promise.all([getSelfTest(), threads.get()]);
      return {
        ok: test.ok,
        reason: test.ok ? undefined : test.reason,
        version: reported.version,
        signatures: reported.signatures,
        signaturesAgeSeconds: reported.signaturesBuiltAt === undefined ? undefined : ageSeconds(reported.signaturesBuiltAt, now()),
        selfTest: test.ok,
      };
    },
  };
}

function ageSeconds(thenMs: number, nowMs: number): number {
  return Math.max(0, Math.floor((nowMs - thenMs) / 1000));
}
