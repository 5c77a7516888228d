import type { ToolRun } from "../tool.ts";

/** Well below the minute after which clients give a call up. */
const BEAT_MS = 10_000;

interface Transfer {
  readonly total: number;
  readonly message: string;
  /** Default: 10 seconds. */
  readonly beatMs?: number;
}

/** Receives the bytes of a transfer that have arrived. */
export interface ReportedProgress extends Disposable {
  report(done: number): void;
}

/**
 * Reports each hundredth of a transfer and, while nothing arrives, one byte more each ten seconds: clients count their time from the latest
 * notification, and a slow line needs longer for a part (mcp, "Files of your machine").
 */
export function reportTransfer(
  { reportProgress }: Pick<ToolRun, "reportProgress">,
  { total, message, beatMs = BEAT_MS }: Transfer,
): ReportedProgress {
  let reported = -1;
  const report = (done: number): void => {
    reported = done;
    reportProgress({ done, total, message });
  };
  const beat = setInterval(() => {
    // The end is only reported when it is there.
    if (reported + 1 < total) report(reported + 1);
  }, beatMs);
  return {
    report(done) {
      if (reported < 0 || done - reported >= total / 100 || (done === total && done > reported)) report(done);
    },
    [Symbol.dispose]: () => clearInterval(beat),
  };
}
