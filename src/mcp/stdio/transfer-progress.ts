import type { ToolRun } from "../tool.ts";

/** The pause between notifications, well below the minute after which clients abort a call. */
const BEAT_MS = 10_000;

interface Transfer {
  readonly total: number;
  readonly message: string;
  /** The pause between notifications; default: 10 seconds. */
  readonly beatMs?: number;
}

/** A receiver of the number of bytes that have arrived. */
export interface ReportedProgress extends Disposable {
  report(done: number): void;
}

/**
 * Reports each hundredth of a transfer and, while nothing arrives, one byte more every ten seconds. Clients count their time limit from the latest
 * notification, and a slow connection needs longer for a part (mcp, "Files of your machine").
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
    // The last byte is only reported when it has arrived.
    if (reported + 1 < total) report(reported + 1);
  }, beatMs);
  return {
    report(done) {
      if (reported < 0 || done - reported >= total / 100 || (done === total && done > reported)) report(done);
    },
    [Symbol.dispose]: () => clearInterval(beat),
  };
}
