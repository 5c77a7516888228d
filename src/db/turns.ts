import { BUSY_DEADLINE_MS, unavailable } from "./faults.ts";

/** A place where one is inside at a time, in the order of their coming. */
export interface Turns {
  /** Resolves, when it is the caller's turn, to what ends the turn; rejects with UNAVAILABLE after `BUSY_DEADLINE_MS`. */
  take(): Promise<() => void>;
}

/** Transactions of one process wait for each other here, rather than ask for the server's lock again and again. */
export function createTurns(): Turns {
  const waiting: (() => void)[] = [];
  let isTaken = false;

  const end = (): void => {
    const next = waiting.shift();
    if (next) next();
    else isTaken = false;
  };

  const once = (): (() => void) => {
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      end();
    };
  };

  return {
    take() {
      if (!isTaken) {
        isTaken = true;
        return Promise.resolve(once());
      }
      return new Promise((resolve, reject) => {
        const go = (): void => {
          clearTimeout(timer);
          resolve(once());
        };
        const timer = setTimeout(() => {
          waiting.splice(waiting.indexOf(go), 1);
          reject(unavailable("The database is busy. Please try again in a moment."));
        }, BUSY_DEADLINE_MS);
        waiting.push(go);
      });
    },
  };
}
