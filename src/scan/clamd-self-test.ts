import type { ClamdLink } from "./clamd-connection.ts";
import { openStream, type StreamOutcome } from "./clamd-stream.ts";
import { selfTestArchive } from "./self-test.ts";
import type { WindowLimit } from "./window-limit.ts";

/** A self-test's result; `reason` says what to change, or what is broken. */
export type SelfTestResult = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/**
 * Plants EICAR at the end of a full window: only a clamd that finds it there looks at all that it is sent. Learns the window that clamd
 * takes on the way, a larger one too where an operator has raised `StreamMaxLength` since.
 */
export async function runSelfTest(link: ClamdLink, limit: WindowLimit): Promise<SelfTestResult> {
  const larger = await limit.larger();
  if (larger !== undefined && (await plant(link, larger)).kind === "found") {
    await limit.grow(larger);
    return { ok: true };
  }
  for (;;) {
    const windowBytes = await limit.current();
    const outcome = await plant(link, windowBytes);
    if (outcome.kind === "found") return { ok: true };
    if (outcome.kind !== "refused") return { ok: false, reason: explain(outcome, windowBytes) };
    const smaller = await limit.shrink(windowBytes);
    if (smaller === undefined) return { ok: false, reason: `clamd refuses even ${windowBytes} bytes: raise StreamMaxLength` };
  }
}

async function plant(link: ClamdLink, sizeBytes: number): Promise<StreamOutcome> {
  const outcome = await send(link, sizeBytes, "eager");
  return outcome.kind === "lost" ? send(link, sizeBytes, "careful") : outcome;
}

async function send(link: ClamdLink, sizeBytes: number, pace: "eager" | "careful"): Promise<StreamOutcome> {
  const stream = await openStream(link, sizeBytes, pace);
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
    "StreamMaxLength and MaxScanSize to twice that, leave ScanArchive on, and see that it has loaded signatures"
  );
}
