import { createHash } from "node:crypto";
import { Stripe } from "stripe";
import { z } from "zod";
import { accountRoutes } from "./accounts.ts";
import { renewOverdue } from "./billing.ts";
import { checkoutRoutes, expireOverdue } from "./checkouts.ts";
import { customerRoutes } from "./customers.ts";
import { disputeRoutes } from "./disputes.ts";
import type { Cause } from "./events.ts";
import { expand } from "./expand.ts";
import { malformed, missing, StripeFault } from "./fault.ts";
import { type Form, paged, parseForm, shared, text } from "./form.ts";
import { paymentRoutes } from "./payments.ts";
import { refundRoutes } from "./refunds.ts";
import { type Route, route, toPage, type World } from "./route.ts";
import { newId } from "./state.ts";
import { subscriptionRoutes } from "./subscriptions.ts";

/** One request, as tests can inspect it. */
export interface ApiRequest {
  readonly method: string;
  /** The path without the query. */
  readonly path: string;
  /** The sent parameters, such as `line_items[0][quantity]`. */
  readonly params: Readonly<Record<string, string>>;
  readonly idempotencyKey: string | undefined;
  /** The value of the header Stripe-Version. */
  readonly version: string | undefined;
  readonly authorization: string | undefined;
  /** The value of the header Stripe-Account. */
  readonly onBehalf: string | undefined;
}

export interface ApiAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

const ROUTES: readonly Route[] = [
  ...accountRoutes,
  ...checkoutRoutes,
  ...customerRoutes,
  ...disputeRoutes,
  ...paymentRoutes,
  ...refundRoutes,
  ...subscriptionRoutes,
  route("GET", "/v1/webhook_endpoints", z.strictObject(paged), (world, page) => toPage(world.endpoints(), page, "/v1/webhook_endpoints")),
  route("GET", "/v1/events", z.strictObject({ ...paged, type: text().optional() }), (world, { type, ...page }) =>
    toPage(
      world.events.filter((event) => type === undefined || event.type === type),
      page,
      "/v1/events",
    ),
  ),
  route("GET", "/v1/events/:id", z.strictObject(shared), (world, _, id) => {
    const event = world.events.find((candidate) => candidate.id === id);
    if (!event) throw missing("event", id, "id");
    return event;
  }),
];

/** The time for which Stripe remembers an Idempotency-Key. */
const KEY_SECONDS = 24 * 60 * 60;

interface Kept {
  readonly path: string;
  readonly fingerprint: string;
  readonly atSeconds: number;
  readonly answer: ApiAnswer;
}

/** Responds to requests of the API. Each request is one step, so that no two requests interleave. */
export function createApi(world: World, secretKey: string, causedBy: <T>(cause: Cause, act: () => T) => T) {
  const kept = new Map<string, Kept>();

  return function respond(request: ApiRequest, query: string, body: string): ApiAnswer {
    const id = newId("req", 14);
    const headers = { "Content-Type": "application/json", "Request-Id": id, "Stripe-Version": Stripe.API_VERSION };
    const toAnswer = (status: number, answer: object): ApiAnswer => ({ status, body: JSON.stringify(answer, null, 2), headers });
    try {
      authorize(request, secretKey);
      const key = request.method === "GET" ? undefined : request.idempotencyKey;
      const fingerprint = createHash("sha256").update(`${request.method} ${query} ${body}`).digest("hex");
      const first = key === undefined ? undefined : findFirst(key);
      if (key !== undefined && first) return replay(first, request.path, fingerprint, key);
      const act = prepare(request, query, body);
      const keep = (answer: ApiAnswer): ApiAnswer => {
        if (key !== undefined) kept.set(key, { path: request.path, fingerprint, answer, atSeconds: world.state.now() });
        return answer;
      };
      try {
        return keep(toAnswer(200, causedBy({ id, idempotencyKey: key ?? null }, act)));
      } catch (error) {
        if (!(error instanceof StripeFault) || !error.isKept) throw error;
        return keep(toAnswer(error.status, { error: error.body }));
      }
    } catch (error) {
      if (error instanceof StripeFault) return toAnswer(error.status, { error: error.body });
      throw error;
    }
  };

  function findFirst(key: string): Kept | undefined {
    const first = kept.get(key);
    return first && first.atSeconds + KEY_SECONDS > world.state.now() ? first : undefined;
  }

  function prepare({ method, path }: ApiRequest, query: string, body: string): () => object {
    for (const candidate of ROUTES) {
      const id = candidate.method === method ? matchPath(candidate.path, path) : undefined;
      if (id === undefined) continue;
      const form: Record<string, Form> = parseForm([query, body].filter(Boolean).join("&"));
      const act = candidate.prepare(world, id, form);
      const paths = Object.values(form.expand ?? {}).filter((value) => typeof value === "string");
      return () => {
        expireOverdue(world);
        renewOverdue(world);
        return expand(world.state, act(), paths);
      };
    }
    const message = `Unrecognized request URL (${method}: ${path}). Please see https://stripe.com/docs or we can help at https://support.stripe.com/.`;
    throw new StripeFault(404, { type: "invalid_request_error", message }, false);
  }
}

/** Returns the ID in a path that matches the pattern, or an empty text for a pattern without an ID; undefined if the path does not match. */
function matchPath(pattern: string, path: string): string | undefined {
  const [before = "", after] = pattern.split(":id");
  if (after === undefined) return path === pattern ? "" : undefined;
  const id = path.startsWith(before) && path.endsWith(after) ? path.slice(before.length, path.length - after.length) : "";
  return id !== "" && !id.includes("/") ? decodeURIComponent(id) : undefined;
}

/** Throws a StripeFault unless the request has the secret key, and the headers of the one version that this server implements. */
function authorize({ authorization, version, onBehalf, idempotencyKey }: ApiRequest, secretKey: string): void {
  const refuse = (message: string) => new StripeFault(401, { type: "invalid_request_error", message }, false);
  const [scheme = "", credentials = ""] = (authorization ?? "").split(" ");
  const isBasic = /^basic$/i.test(scheme);
  const key = isBasic ? (Buffer.from(credentials, "base64").toString("utf8").split(":")[0] ?? "") : credentials;
  if (key === "" || (!isBasic && !/^bearer$/i.test(scheme))) {
    throw refuse(
      "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth " +
        "(e.g. 'Authorization: Bearer YOUR_SECRET_KEY'). See https://stripe.com/docs/api#authentication for details, or we can help at https://support.stripe.com/.",
    );
  }
  if (key !== secretKey)
    throw refuse(`Invalid API Key provided: ${key.slice(0, 8)}${"*".repeat(Math.max(0, key.length - 12))}${key.slice(-4)}`);
  if (version !== undefined && version !== Stripe.API_VERSION) {
    throw malformed(`Invalid Stripe API version: ${version}. This server answers in the shapes of ${Stripe.API_VERSION} alone.`);
  }
  if (onBehalf !== undefined) throw malformed("This server takes no requests for connected accounts (the header Stripe-Account).");
  if ((idempotencyKey ?? "").length > 255) throw malformed("Idempotency keys must be at most 255 characters.");
}

function replay(first: Kept, path: string, fingerprint: string, key: string): ApiAnswer {
  const refuse = (message: string) => new StripeFault(400, { type: "idempotency_error", message }, false);
  if (first.path !== path) {
    throw refuse(
      `Keys for idempotent requests can only be used for the same endpoint they were first used for ('${path}' vs '${first.path}'). ` +
        `Try using a key other than '${key}' if you meant to execute a different request.`,
    );
  }
  if (first.fingerprint !== fingerprint) {
    throw refuse(
      "Keys for idempotent requests can only be used with the same parameters they were first used with. " +
        `Try using a key other than '${key}' if you meant to execute a different request.`,
    );
  }
  const headers = { ...first.answer.headers, "Idempotent-Replayed": "true", "Original-Request": first.answer.headers["Request-Id"] ?? "" };
  return { ...first.answer, headers };
}
