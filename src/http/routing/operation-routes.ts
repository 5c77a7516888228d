import type { RequestContext } from "../../context.ts";
import { type OperationDefinition, pathParameters } from "../../contract/operation.ts";
import { type AnyOperation, authorizeCall, requestsOf, runOperation } from "../../service/call-operation.ts";
import { contract, operationDefinitions } from "../../service/contract.ts";
import { prefetchRefused } from "../../service/downloads/open-download.ts";
import { operations } from "../../service/operations.ts";
import { identifyCaller } from "../callers/caller.ts";
import { readInput } from "../reading/read-input.ts";
import { isPrefetch } from "../reading/request-headers.ts";
import { respondCompressedJson, respondJson } from "../responding/respond.ts";
import { respondEvents } from "../responding/respond-events.ts";
import type { HttpContext, Route } from "./env.ts";

interface BoundOperation {
  readonly definition: OperationDefinition;
  readonly run: AnyOperation;
}

/** Returns the routes of the operations below `prefix`, either those with parameters in their path or the others. */
export function operationRoutes(prefix: string, { hasParameters }: { readonly hasParameters: boolean }): Route[] {
  return operationDefinitions
    .filter(([, { path }]) => pathParameters(path).length > 0 === hasParameters)
    .map(([name, definition]) => ({
      method: definition.method,
      path: prefix + definition.path.replace(/\{(\w+)\}/g, ":$1"),
      rate: definition.requests === 0 ? "uncounted" : "caller",
      handle: (c) => handleOperation(c, { definition, run: operations[name] as AnyOperation }),
      refusesHead: definition.counts,
    }));
}

/** `GET /health`, the path that load balancers use. Ignores a key, because the response is the same for every caller. */
export async function handleHealth(c: HttpContext): Promise<Response> {
  const call = await identifyCaller(c, "api", { isUncounted: true, key: null });
  const output = await operations.getHealth(c.env.ctx, call, {});
  return respondJson(c, output, contract.getHealth.status?.(output));
}

async function handleOperation(c: HttpContext, { definition, run }: BoundOperation): Promise<Response> {
  if (definition.counts && isPrefetch(c)) throw prefetchRefused();
  const call = await identifyCaller(c, "api", {
    keyInQuery: definition.keyInQuery,
    tokenPrefix: definition.tokenInHeader?.prefix,
    isUncounted: definition.requests === 0,
  });
  const ctx = authorizeCall(c.env.ctx, call, definition);
  if (definition.waits) c.env.peer.setIdleTimeout(0);
  const response = await runOperation(c.env.ctx, call, {
    definition,
    idempotencyKey: c.req.header("idempotency-key"),
    async readInput() {
      const input = await readInput(c, call, definition);
      countAs(c, call, requestsOf(definition, input));
      return withLastEventId(c, definition, input);
    },
    run: (call, input) => run(ctx, call, input),
  });
  if (definition.events)
    return respondEvents(c, { call, definition: definition.events, items: response as AsyncIterable<unknown> | undefined });
  return definition.isCompressed ? await respondCompressedJson(c, response) : respondJson(c, response, definition.status?.(response));
}

/**
 * Counts a request as several. Throws RATE_LIMITED if they exceed the rate, before anything has been done, unlike `countRequests` in an operation.
 */
export function countAs(c: HttpContext, { actor, address }: RequestContext, count: number): void {
  if (count > 1) c.env.rate = c.env.rates.consume({ actor, address }, count - 1);
}

/** Adds the `Last-Event-ID` of a client that resumes an event stream. */
function withLastEventId(c: HttpContext, { events }: OperationDefinition, input: unknown): unknown {
  const lastEventId = events && c.req.header("last-event-id");
  return lastEventId === undefined ? input : { ...(input as object), lastEventId };
}
