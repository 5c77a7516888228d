import { isUnanswered } from "./remote-errors.ts";

/** The advice for a server that reads but does not write, which the log and `doctor` show. */
export const WRITES_HELD = {
  problem: "the database server responds to reads but not to writes",
  fix: "Restart the database server; nothing that was confirmed is lost. If this comes back, check its disk and its version.",
} as const;

export interface WriteLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

interface WatchOptions {
  readonly log: WriteLog | undefined;
  /** Rejects if the server does not respond to a read. */
  canRead(): Promise<unknown>;
}

/** Logs once when the server responds to reads but not to writes, and once when it writes again. */
export function watchWrites({ log, canRead }: WatchOptions): { watch<T>(write: Promise<T>): Promise<T> } {
  let isHeld = false;
  let isChecking = false;
  let answeredCount = 0;
  /** Checks the server after a write without an answer, unless a write was answered since that write began. */
  const check = async (answeredBefore: number): Promise<void> => {
    if (isHeld || isChecking || answeredCount > answeredBefore) return;
    isChecking = true;
    try {
      await canRead();
      if (answeredCount > answeredBefore) return;
      isHeld = true;
      log?.error({}, `${WRITES_HELD.problem}. ${WRITES_HELD.fix}`);
    } catch {
      // The database is closed or unreachable, which other code reports.
    } finally {
      isChecking = false;
    }
  };
  return {
    async watch(write) {
      const answeredBefore = answeredCount;
      try {
        const result = await write;
        answeredCount += 1;
        if (isHeld) log?.info({}, "the database server responds to writes again");
        isHeld = false;
        return result;
      } catch (error) {
        if (isUnanswered(error)) void check(answeredBefore);
        throw error;
      }
    },
  };
}
