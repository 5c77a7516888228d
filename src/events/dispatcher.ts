import type { Ctx } from "../context.ts";
import { dispatchEvents } from "./dispatch-events.ts";

/** How long events wait at most where nobody says that there are some: other processes write them too. */
const POLL_MS = 1_000;

export interface Dispatcher {
  /** Says that there may be events. */
  wake(): void;
  /** Resolves when the batch that runs is through. */
  stop(): Promise<void>;
}

/** Keeps the outbox empty: what has happened becomes deliveries, at once where it is woken and within a second otherwise. */
export function startDispatcher(ctx: Ctx, { onDeliveries }: { readonly onDeliveries: () => void }): Dispatcher {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<void> | undefined;
  let isStopped = false;
  let again = false;

  const run = async (): Promise<void> => {
    do {
      again = false;
      for (let more = true; more && !isStopped; ) {
        const { events, deliveries } = await dispatchEvents(ctx);
        if (deliveries > 0) onDeliveries();
        more = events > 0;
      }
    } while (again && !isStopped);
  };

  const wake = (): void => {
    again = true;
    if (running || isStopped) return;
    clearTimeout(timer);
    running = run()
      .catch((error: unknown) => ctx.log.error({ err: error }, "dispatching events failed; they stay in the outbox"))
      .finally(() => {
        running = undefined;
        if (!isStopped) timer = setTimeout(wake, POLL_MS);
      });
  };

  wake();
  return {
    wake,
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
