import { selfTestArchive } from "../eicar.ts";
import type { ClamdTarget } from "./connection.ts";
import { openStream, type StreamOutcome } from "./stream.ts";
import type { WindowSize } from "./window-size.ts";

/** The result of a self-test. `reason` contains advice. */
export type SelfTestResult = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/**
 * Sends EICAR at the end of a full window, because a clamd that finds it scans everything it receives. Detects the window that clamd accepts,
 * including a larger one after an increase of `StreamMaxLength`.
 */
export async function runSelfTest(target: ClamdTarget, windowSize: WindowSize): Promise<SelfTestResult> {
  const larger = await windowSize.larger();
  if (larger !== undefined && (await sendPattern(target, larger)).kind === "found") {
    await windowSize.grow(larger);
    return { ok: true };
  }
  for (;;) {
    const windowBytes = await windowSize.current();
    const outcome = await sendPattern(target, windowBytes);
    if (outcome.kind === "found") return { ok: true };
    if (outcome.kind !== "refused") return { ok: false, reason: explain(outcome, windowBytes) };
    const smaller = await windowSize.shrink(windowBytes);
    if (smaller === undefined) return { ok: false, reason: `clamd rejects ${windowBytes} bytes: increase StreamMaxLength` };
  }
}

async function sendPattern(target: ClamdTarget, sizeBytes: number): Promise<StreamOutcome> {
  const outcome = await send(target, sizeBytes, "eager");
  return outcome.kind === "lost" ? send(target, sizeBytes, "careful") : outcome;
}

async function send(target: ClamdTarget, sizeBytes: number, mode: "eager" | "careful"): Promise<StreamOutcome> {
  const stream = await openStream(target, sizeBytes, mode);
  for (const bytes of selfTestArchive(sizeBytes)) {
    if (!(await stream.write(bytes))) break;
  }
  return stream.finish();
}

function explain(outcome: Exclude<StreamOutcome, { kind: "found" | "refused" }>, windowBytes: number): string {
  if (outcome.kind === "lost" || outcome.kind === "unreachable") return outcome.reason;
  const said = outcome.kind === "failed" ? ` (${outcome.reason})` : "";
  return (
    `clamd did not find the test pattern at the end of ${windowBytes} bytes${said}: in clamd.conf, set MaxFileSize to at least ` +
    "StreamMaxLength and MaxScanSize to twice that, keep ScanArchive on, and check that signatures are loaded"
  );
}
