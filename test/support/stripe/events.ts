import { setTimeout as delay } from "node:timers/promises";
import { Stripe } from "stripe";
import { send } from "./send-event.ts";
import { newId, type State } from "./state.ts";

type EventOf<Type extends Stripe.Event["type"]> = Extract<Stripe.Event, { type: Type }>;

/** Records an event. `account` is the seller's in whose account it happened, if not in the platform's. */
export type Emit = <Type extends Stripe.Event["type"]>(
  type: Type,
  object: EventOf<Type>["data"]["object"],
  options?: { readonly account?: string; readonly previous?: object },
) => void;

/** Which request of the API caused what happens; none if somebody on a page or a test did. */
export interface Cause {
  readonly id: string;
  readonly idempotencyKey: string | null;
}

export interface Delivery {
  readonly event: Stripe.Event;
  readonly url: string;
  /** Undefined: no answer. */
  readonly status: number | undefined;
}

interface Endpoint {
  readonly object: Stripe.WebhookEndpoint;
  readonly secret: string;
  readonly isConnect: boolean;
}

export interface EndpointOptions {
  /** Whether it gets the events of sellers' accounts, such as account.updated, and none of the platform's. */
  readonly connect?: boolean;
  readonly events?: readonly string[];
  /** What the endpoint is signed with; by default that of the settings. */
  readonly secret?: string;
  readonly apiVersion?: string;
  /** Whether it gets nothing, as after days of failed deliveries. */
  readonly disabled?: boolean;
}

/** After a failed delivery; Stripe waits for minutes and hours. */
const RETRY_DELAYS_MS = [100, 200, 400, 800, 1600, 3200, 6400, 12_800];

/** Creates the log of events and sends them to webhook endpoints. */
export function createEvents(state: State, defaultSecret: string) {
  const log: Stripe.Event[] = [];
  const endpoints: Endpoint[] = [];
  const held: { readonly event: Stripe.Event; readonly endpoint: Endpoint }[] = [];
  const deliveries: Delivery[] = [];
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  let isHolding = false;
  let toDrop = 0;
  let cause: Cause | undefined;

  const attempt = async (event: Stripe.Event, { object, secret }: Endpoint): Promise<Delivery> => {
    const status = await send(event, object.url, secret, stopping.signal);
    const delivery = { event, url: object.url, status };
    deliveries.push(delivery);
    if (isSuccess(delivery)) event.pending_webhooks = Math.max(0, event.pending_webhooks - 1);
    return delivery;
  };
  const sendUntilReceived = async (event: Stripe.Event, endpoint: Endpoint): Promise<void> => {
    if (isSuccess(await attempt(event, endpoint))) return;
    for (const wait of RETRY_DELAYS_MS) {
      await delay(wait, undefined, { signal: stopping.signal, ref: false });
      if (isSuccess(await attempt(event, endpoint))) return;
    }
  };
  const start = (event: Stripe.Event, endpoint: Endpoint): void => {
    const sending = sendUntilReceived(event, endpoint)
      .catch(() => {}) // The server was disposed of.
      .finally(() => running.delete(sending));
    running.add(sending);
  };
  const emit: Emit = (type, object, { account, previous } = {}) => {
    const receivers = endpoints.filter((endpoint) => isFor(endpoint, type, account));
    const event = {
      id: newId("evt"),
      object: "event",
      ...(account !== undefined && { account }),
      api_version: Stripe.API_VERSION,
      created: state.now(),
      // The object as it is now: later changes are other events.
      data: { object: JSON.parse(JSON.stringify(object)), ...(previous && { previous_attributes: previous }) },
      livemode: false,
      pending_webhooks: receivers.length,
      request: { id: cause?.id ?? null, idempotency_key: cause?.idempotencyKey ?? null },
      type,
    } as Stripe.Event; // TypeScript cannot see which member of the union `type` and `object` make together.
    log.push(event);
    if (toDrop > 0) {
      toDrop -= 1;
      return;
    }
    for (const endpoint of receivers) {
      if (isHolding) held.push({ event, endpoint });
      else start(event, endpoint);
    }
  };
  return {
    emit,
    log,
    deliveries,
    endpoints: () => endpoints.map(({ object }) => object),
    /** Runs what a request of the API does, so that its events name it. */
    causedBy<T>(by: Cause, act: () => T): T {
      cause = by;
      try {
        return act();
      } finally {
        cause = undefined;
      }
    },
    addEndpoint(
      url: string,
      { connect = false, events = ["*"], secret = defaultSecret, apiVersion = Stripe.API_VERSION, disabled = false }: EndpointOptions = {},
    ) {
      const object: Stripe.WebhookEndpoint = {
        id: newId("we"),
        object: "webhook_endpoint",
        api_version: apiVersion,
        application: connect ? newId("ca") : null,
        created: state.now(),
        description: null,
        enabled_events: [...events],
        livemode: false,
        metadata: {},
        status: disabled ? "disabled" : "enabled",
        url,
      };
      endpoints.push({ object, secret, isConnect: connect });
      return object;
    },
    /** Keeps deliveries back until `release`. */
    hold() {
      isHolding = true;
    },
    /** Sends what was kept back, in the order that `arrange` gives it, each after the answer to the one before. */
    async release(arrange: (events: readonly Stripe.Event[]) => readonly Stripe.Event[] = (events) => events): Promise<void> {
      isHolding = false;
      const waiting = held.splice(0);
      for (const event of arrange(waiting.map((delivery) => delivery.event))) {
        for (const delivery of waiting)
          if (delivery.event === event && !isSuccess(await attempt(event, delivery.endpoint))) start(event, delivery.endpoint);
      }
    },
    /** Never sends the next events, nor those that are held. */
    drop(count: number) {
      toDrop += count;
      held.splice(0);
    },
    /** Sends an event once more to each endpoint that it is for, signed anew. */
    async deliver(event: Stripe.Event): Promise<Delivery[]> {
      return await Promise.all(
        endpoints.filter((endpoint) => isFor(endpoint, event.type, event.account)).map((endpoint) => attempt(event, endpoint)),
      );
    },
    /** Resolves when no delivery is under way, neither a first one nor a repeated one. */
    async settled(): Promise<void> {
      while (running.size > 0) await Promise.all(running);
    },
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

const isFor = ({ object, isConnect }: Endpoint, type: string, account: string | undefined): boolean =>
  object.status === "enabled" &&
  isConnect === (account !== undefined) &&
  object.enabled_events.some((name) => name === "*" || name === type);

const isSuccess = ({ status }: Delivery): boolean => status !== undefined && status >= 200 && status < 300;
