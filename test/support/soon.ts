import { until } from "./until.ts";

const DEADLINE_MS = 30_000;

/**
 * Repeats an assertion about what a page shows until it holds, because a page changes a moment after the action that a test awaits. Rejects with the
 * last error of the assertion after 30 s. The assertion must only read: it may run many times.
 */
export async function soon(assertion: () => Promise<void>): Promise<void> {
  let lastError: unknown;
  const holds = async () => {
    try {
      await assertion();
      return true;
    } catch (error) {
      lastError = error;
      return false;
    }
  };
  try {
    await until("an assertion about a page holds", holds, { deadlineMs: DEADLINE_MS });
  } catch (error) {
    throw lastError ?? error;
  }
}
