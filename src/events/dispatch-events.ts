import type { Ctx, TxCtx } from "../context.ts";
import { hasWaitingEvents, takeWaitingEvents, type WaitingEvent } from "../db/events.ts";
import { insertDeliveries, type NewDelivery, trimWaiting } from "../db/webhook-deliveries.ts";
import { listTakers, type Taker } from "../db/webhooks.ts";
import { newUuid } from "../domain/alphabet.ts";
import { WEBHOOKS } from "../domain/webhooks.ts";
import { enqueueEndpoint } from "./enqueue-endpoint.ts";
import { toEventBody } from "./event-body.ts";

const BATCH = 40;

/** How many events left the outbox, and how many deliveries they became. */
export interface Dispatched {
  readonly events: number;
  readonly deliveries: number;
}

/**
 * Takes one batch of events out of the outbox: in one transaction each is marked and becomes a delivery for every endpoint of its file's
 * owner that wants it. So each event is dispatched once, whatever dies and however many processes do this. For a paused endpoint it waits,
 * among so many of the newest, until that is enabled.
 */
export async function dispatchEvents(ctx: Ctx): Promise<Dispatched> {
  if (!(await hasWaitingEvents(ctx.db))) return { events: 0, deliveries: 0 };
  return await ctx.tx(async (ctx) => {
    const events = await takeWaitingEvents(ctx.db, { limit: BATCH, nowMs: ctx.now() });
    const owners = new Set(events.flatMap(({ ownerId }) => ownerId ?? []));
    const takers = owners.size === 0 ? [] : await listTakers(ctx.db, [...owners]);
    const deliveries = events.flatMap((event) =>
      takers.filter((taker) => wants(taker, event)).map((taker) => toDelivery(ctx, event, taker)),
    );
    if (deliveries.length > 0) await insertDeliveries(ctx.db, deliveries);
    const concerned = new Set(deliveries.map(({ endpointId }) => endpointId));
    for (const { id, isPaused } of takers.filter(({ id }) => concerned.has(id))) {
      if (isPaused) await trimWaiting(ctx.db, { endpointId: id, most: WEBHOOKS.waitingWhilePaused });
      else await enqueueEndpoint(ctx, id);
    }
    return { events: events.length, deliveries: deliveries.length };
  });
}

const wants = (taker: Taker, event: WaitingEvent): boolean => taker.ownerId === event.ownerId && taker.events.includes(event.type);

function toDelivery(ctx: TxCtx, event: WaitingEvent, taker: Taker): NewDelivery {
  const nowMs = ctx.now();
  return {
    id: newUuid(ctx.random, nowMs),
    endpointId: taker.id,
    eventId: event.id,
    type: event.type,
    body: toEventBody(event),
    byHand: false,
    nowMs,
  };
}
