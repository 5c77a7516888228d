import type { Ctx, TransactionCtx } from "../../context.ts";
import { newUuid } from "../../lib/secrets/ids.ts";
import { hasWaitingEvents, takeWaitingEvents, type WaitingEvent } from "../events/outbox.ts";
import { enforceQueueLimit, insertDeliveries, type NewDelivery } from "./delivery-queries.ts";
import { enqueueEndpointJob, toEventBody } from "./enqueue-endpoint-job.ts";
import { WEBHOOKS } from "./limits.ts";
import { listSubscribers, type Subscriber } from "./queries.ts";

/** Interval of checks for events of other server instances, which cannot wake this dispatcher. */
const POLL_MS = 1_000;

export interface Dispatcher {
  /** Signals that there may be events. */
  wake(): void;
  /** Resolves when the running batch is committed. */
  stop(): Promise<void>;
}

/** Starts the conversion of events in the outbox into deliveries: immediately after `wake`, otherwise within a second. */
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
      .catch((error: unknown) => ctx.log.error({ err: error }, "dispatching events failed; they remain in the outbox"))
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

/** Number of events that one transaction dispatches. */
const BATCH_SIZE = 40;

/** Numbers of dispatched events and of their deliveries. */
export interface DispatchCounts {
  readonly events: number;
  readonly deliveries: number;
}

/**
 * Dispatches one batch of events: marks each and inserts a delivery for every subscribed endpoint of the owner. It uses one transaction, so each
 * event is dispatched once, even after a crash and with several server instances. Deliveries to a paused endpoint wait, up to a limit.
 */
export async function dispatchEvents(ctx: Ctx): Promise<DispatchCounts> {
  if (!(await hasWaitingEvents(ctx.db))) return { events: 0, deliveries: 0 };
  return await ctx.transaction(async (ctx) => {
    const events = await takeWaitingEvents(ctx.db, { limit: BATCH_SIZE, nowMs: ctx.now() });
    const owners = new Set(events.flatMap(({ ownerId }) => ownerId ?? []));
    const subscribers = owners.size === 0 ? [] : await listSubscribers(ctx.db, [...owners]);
    const deliveries = events.flatMap((event) =>
      subscribers.filter((subscriber) => isSubscribed(subscriber, event)).map((subscriber) => toDelivery(ctx, event, subscriber)),
    );
    if (deliveries.length > 0) await insertDeliveries(ctx.db, deliveries);
    const endpointIds = new Set(deliveries.map(({ endpointId }) => endpointId));
    for (const { id, isPaused } of subscribers.filter(({ id }) => endpointIds.has(id))) {
      if (isPaused) await enforceQueueLimit(ctx.db, { endpointId: id, max: WEBHOOKS.maxWaiting });
      else await enqueueEndpointJob(ctx, id);
    }
    return { events: events.length, deliveries: deliveries.length };
  });
}

const isSubscribed = (subscriber: Subscriber, event: WaitingEvent): boolean =>
  subscriber.ownerId === event.ownerId && subscriber.events.includes(event.type);

function toDelivery(ctx: TransactionCtx, event: WaitingEvent, subscriber: Subscriber): NewDelivery {
  const nowMs = ctx.now();
  return {
    id: newUuid(ctx.random, nowMs),
    endpointId: subscriber.id,
    eventId: event.id,
    type: event.type,
    body: toEventBody(event),
    isManual: false,
    nowMs,
  };
}
