import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Stripe } from "stripe";
import { addPlatform } from "./stripe/account-shape.ts";
import { type ApiAnswer, type ApiRequest, createApi } from "./stripe/api.ts";
import { createSubscriptionControls, renewOverdue, type SubscriptionControls } from "./stripe/billing.ts";
import { expireOverdue } from "./stripe/checkouts.ts";
import { createDisputeControls } from "./stripe/disputes.ts";
import { createEvents, type Delivery, type EndpointOptions } from "./stripe/events.ts";
import { createFailures, TROUBLE_ANSWERS } from "./stripe/failures.ts";
import { createHeldAnswers, type HeldAnswer } from "./stripe/held-answers.ts";
import { addPrice, addProduct } from "./stripe/line-items.ts";
import { openPage, type PageAnswer } from "./stripe/pages.ts";
import { type CheckoutControls, createCheckoutControls } from "./stripe/pay.ts";
import { createRefund } from "./stripe/refunds.ts";
import type { World } from "./stripe/route.ts";
import { createSellerControls } from "./stripe/sellers.ts";
import { createState, getKnown, type LedgerEntry, newId } from "./stripe/state.ts";

export interface PlanOptions {
  readonly name?: string;
  readonly unitAmount?: number;
  readonly interval?: "day" | "month" | "week" | "year";
}

/** A server that implements the used part of Stripe's API, and simulates buyers, sellers, banks and the network. */
export interface TestStripe extends AsyncDisposable {
  readonly url: string;
  readonly secretKey: string;
  readonly webhookSecret: string;
  /** The settings with which a server uses it. */
  readonly env: Readonly<Record<string, string>>;
  /** Requests of the API so far. */
  readonly requests: readonly ApiRequest[];
  /** Movements of money so far. */
  readonly ledger: readonly LedgerEntry[];
  /** Returns the balance of an account, without the fees of Stripe and banks. */
  balanceOf(account: string): number;
  readonly sellers: ReturnType<typeof createSellerControls>;
  readonly checkouts: CheckoutControls;
  /**
   * Refunds a payment in full or in part, with the seller's part and the fee, as the operator does in Stripe's dashboard. Returns the refund's ID.
   */
  refund(paymentIntent: string, amountCents?: number): string;
  readonly disputes: ReturnType<typeof createDisputeControls>;
  readonly subscriptions: SubscriptionControls;
  /** Adds a recurring price to the platform's catalogue. Returns its ID. */
  addPlan(options?: PlanOptions): string;
  /** Archives the price, so that no checkout can be opened for it. */
  archivePlan(price: string): void;
  /** Advances the time: checkouts end, subscriptions are renewed. Signatures keep the real time. */
  advance(seconds: number): void;
  /** Adds a webhook endpoint. Events of sellers' accounts are sent only to an endpoint with `connect`. */
  sendEventsTo(url: string, options?: EndpointOptions): Stripe.WebhookEndpoint;
  events(type?: Stripe.Event["type"]): readonly Stripe.Event[];
  readonly webhooks: {
    readonly deliveries: readonly Delivery[];
    hold(): void;
    release(arrange?: (events: readonly Stripe.Event[]) => readonly Stripe.Event[]): Promise<void>;
    drop(count: number): void;
    settled(): Promise<void>;
  };
  /** Sends an event again, with a new signature. */
  deliver(event: Stripe.Event): Promise<readonly Delivery[]>;
  readonly failures: Pick<ReturnType<typeof createFailures>, "clear" | "plan">;
  /** Delays the response to the next request whose path matches. Its content is from the time of the request. */
  holdAnswer(path: RegExp): HeldAnswer;
}

/** Starts the server on a free port of loopback. */
export async function startStripe(): Promise<TestStripe> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const secretKey = newId("sk_test", 32);
  const webhookSecret = newId("whsec", 32);
  const state = createState(url);
  const events = createEvents(state, webhookSecret);
  const world: World = { state, emit: events.emit, endpoints: events.endpoints, events: events.log };
  addPlatform(state);
  const requests: ApiRequest[] = [];
  const failures = createFailures();
  const answers = createHeldAnswers();
  const respond = createApi(world, secretKey, events.causedBy);
  const controls = {
    checkouts: createCheckoutControls(world),
    sellers: createSellerControls(world),
    subscriptions: createSubscriptionControls(world),
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer); // A request without an encoding yields buffers.
    const body = Buffer.concat(chunks).toString("utf8");
    const { pathname, search } = new URL(request.url ?? "/", url);
    const form = request.method === "POST" ? new URLSearchParams(body) : undefined;
    const page = openPage(world, controls, pathname, form);
    if (page) return sendPage(response, page);
    const query = search.slice(1);
    const recorded = toRequest(request, pathname, new URLSearchParams([query, body].filter(Boolean).join("&")));
    requests.push(recorded);
    const failure = failures.take(recorded.method, pathname);
    const answer = failure && !failure.afterEffect ? undefined : respond(recorded, query, body);
    if (!failure && answer) {
      await answers.pass(pathname);
      return send(response, answer);
    }
    if (failure?.trouble === "hang") return;
    if (failure?.trouble === "cut") return cut(response);
    if (failure?.trouble === "drop") return void response.destroy();
    const { status, error } = TROUBLE_ANSWERS[failure?.trouble ?? "server_error"];
    send(response, { status, body: JSON.stringify({ error }), headers: { "Content-Type": "application/json" } });
  };
  server.on("request", (request, response) => {
    handle(request, response).catch((error: unknown) => {
      // A fault of this server reaches the test as an error, whose message Stripe's clients report.
      response.writeHead(500, { "Content-Type": "application/json", "Stripe-Should-Retry": "false" });
      response.end(JSON.stringify({ error: { type: "api_error", message: `The Stripe of the tests failed: ${String(error)}` } }));
    });
  });
  return {
    url,
    secretKey,
    webhookSecret,
    env: { FILEHOST_STRIPE_SECRET_KEY: secretKey, FILEHOST_STRIPE_WEBHOOK_SECRET: webhookSecret, FILEHOST_STRIPE_API: url },
    requests,
    ledger: state.ledger,
    balanceOf: (account) =>
      state.ledger
        .filter((entry) => entry.account === account && entry.type !== "stripe_fee" && entry.type !== "dispute_fee")
        .reduce((sum, { amountCents }) => sum + amountCents, 0),
    ...controls,
    refund(paymentIntent, amountCents) {
      const charge = [...state.charges.values()].find(
        ({ payment_intent: intent, status }) => intent === paymentIntent && status === "succeeded",
      );
      const params = { payment_intent: paymentIntent, reverse_transfer: charge?.transfer !== undefined };
      return createRefund(world, { ...params, amount: amountCents, refund_application_fee: charge?.application_fee != null }).id;
    },
    disputes: createDisputeControls(world),
    addPlan({ name = "Pro", unitAmount = 900, interval = "month" } = {}) {
      const product = addProduct(state, { name }).id;
      return addPrice(state, { product, unitAmount, currency: "usd", recurring: { interval } }).id;
    },
    archivePlan(price) {
      getKnown(state.prices.get(price), "price").active = false;
    },
    advance(seconds) {
      state.addSeconds(seconds);
      expireOverdue(world);
      renewOverdue(world);
    },
    sendEventsTo: events.addEndpoint,
    events: (type) => events.log.filter((event) => type === undefined || event.type === type),
    webhooks: events,
    deliver: events.deliver,
    failures,
    holdAnswer: answers.hold,
    async [Symbol.asyncDispose]() {
      await events.stop();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function toRequest({ method = "", headers }: IncomingMessage, path: string, params: URLSearchParams): ApiRequest {
  const header = (name: string): string | undefined => headers[name]?.toString();
  return {
    method,
    path,
    params: Object.fromEntries(params),
    idempotencyKey: header("idempotency-key"),
    version: header("stripe-version"),
    authorization: header("authorization"),
    onBehalf: header("stripe-account"),
  };
}

function send(response: ServerResponse, { status, body, headers }: ApiAnswer): void {
  response.writeHead(status, headers).end(body);
}

/** Sends the beginning of a response and closes the connection. */
function cut(response: ServerResponse): void {
  response.writeHead(200, { "Content-Type": "application/json", "Content-Length": "1000" });
  response.write('{"id": "', () => response.destroy());
}

function sendPage(response: ServerResponse, answer: PageAnswer): void {
  if ("location" in answer) response.writeHead(303, { Location: answer.location }).end();
  else response.writeHead(answer.status, { "Content-Type": "text/html; charset=utf-8" }).end(answer.html);
}
