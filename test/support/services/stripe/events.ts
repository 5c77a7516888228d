import { setTimeout as delay } from "node:timers/promises";
import { Stripe } from "stripe";
import { send } from "./send-event.ts";
import { newId, type State } from "./state.ts";

type EventOf<Type extends Stripe.Event["type"]> = Extract<Stripe.Event, { type: Type }>;

/** Records an event. `account` is the seller's account in which it happened; undefined for the platform's account. */
export type Emit = <Type extends Stripe.Event["type"]>(
  type: Type,
  object: EventOf<Type>["data"]["object"],
  options?: { readonly account?: string; readonly previous?: object },
) => void;

/** The request of the API that caused an event; none for an action on a page or in a test. */
export interface Cause {
  readonly id: string;
  readonly idempotencyKey: string | null;
}

export interface Delivery {
  readonly event: Stripe.Event;
  readonly url: string;
  /** The status of the response; undefined without one. */
  readonly status: number | undefined;
}

interface Endpoint {
  readonly object: Stripe.WebhookEndpoint;
  readonly secret: string;
  readonly isConnect: boolean;
}

export interface EndpointOptions {
  /** Whether the endpoint gets the events of sellers' accounts, such as account.updated, and none of the platform's. */
  readonly connect?: boolean;
  readonly events?: readonly string[];
  /** The secret of the endpoint's signatures; default: the secret in the settings. */
  readonly secret?: string;
  readonly apiVersion?: string;
  /** Whether the endpoint gets no events, as after days of failed deliveries. */
  readonly disabled?: boolean;
}

/** The delays after failed deliveries. Stripe waits for minutes and hours. */
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
      // The copy keeps the current state of the object, because later changes are other events.
      data: { object: JSON.parse(JSON.stringify(object)), ...(previous && { previous_attributes: previous }) },
      livemode: false,
      pending_webhooks: receivers.length,
      request: { id: cause?.id ?? null, idempotency_key: cause?.idempotencyKey ?? null },
      type,
    } as Stripe.Event; // TypeScript cannot see which member of the union `type` and `object` form together.
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
    /** Runs a request of the API, so that its events name it. */
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
    /** Delays deliveries until `release`. */
    hold() {
      isHolding = true;
    },
    /** Sends the delayed events in the order of `arrange`, each after the response to the previous one. */
    async release(arrange: (events: readonly Stripe.Event[]) => readonly Stripe.Event[] = (events) => events): Promise<void> {
      isHolding = false;
      const waiting = held.splice(0);
      for (const event of arrange(waiting.map((delivery) => delivery.event))) {
        for (const delivery of waiting)
          if (delivery.event === event && !isSuccess(await attempt(event, delivery.endpoint))) start(event, delivery.endpoint);
      }
    },
    /** Drops the next events, including delayed ones. */
    drop(count: number) {
      toDrop += count;
      held.splice(0);
    },
    /** Sends an event again to each of its endpoints, with a new signature. */
    async deliver(event: Stripe.Event): Promise<Delivery[]> {
      return await Promise.all(
        endpoints.filter((endpoint) => isFor(endpoint, event.type, event.account)).map((endpoint) => attempt(event, endpoint)),
      );
    },
    /** Resolves when no delivery is pending, neither a first nor a repeated one. */
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
