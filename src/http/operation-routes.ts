import type { Ctx, RequestContext } from "../context.ts";
import { toResponse } from "../contract/envelope.ts";
import { acceptsIdempotencyKey, type OperationDefinition, pathParameters, requiredScope, requiresKey } from "../contract/operation.ts";
import { requireAdministrator } from "../service/accounts/administrator.ts";
import { requireScope } from "../service/accounts/authenticate.ts";
import { contract, operationDefinitions } from "../service/contract.ts";
import { prefetchRefused } from "../service/downloads/open-download.ts";
import { digestInput, withIdempotency } from "../service/idempotency.ts";
import { operations } from "../service/operations.ts";
import { identifyCaller } from "./caller.ts";
import type { HttpContext, Route } from "./env.ts";
import { readInput } from "./read-input.ts";
import { isPrefetch } from "./request-headers.ts";
import { respondCompressedJson, respondJson } from "./respond.ts";
import { respondEvents } from "./respond-events.ts";

type AnyOperation = (ctx: Ctx, call: RequestContext, input: unknown) => Promise<unknown>;

interface BoundOperation {
  readonly definition: OperationDefinition;
  readonly run: AnyOperation;
}

/** The routes of the operations below `prefix`: those whose path has parameters, or the others. */
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
  const call = await identifyCaller(c, "api", { uncounted: true, ignoresKey: true });
  const output = await operations.getHealth(c.env.ctx, call, {});
  return respondJson(c, output, contract.getHealth.status?.(output));
}

async function handleOperation(c: HttpContext, { definition, run }: BoundOperation): Promise<Response> {
  if (definition.counts && isPrefetch(c)) throw prefetchRefused();
  const call = await identifyCaller(c, "api", {
    keyInQuery: definition.keyInQuery,
    tokenPrefix: definition.tokenInHeader?.prefix,
    uncounted: definition.requests === 0,
  });
  const scope = requiredScope(definition);
  if (scope === "admin") requireAdministrator(c.env.ctx, call);
  else if (scope !== undefined && (requiresKey(definition) || call.actor.kind === "user")) requireScope(call.actor, scope);
  if (definition.waits) c.env.peer.setIdleTimeout(0);
  const response = await runOperation(c, call, { definition, run });
  if (definition.events)
    return respondEvents(c, { call, definition: definition.events, items: response as AsyncIterable<unknown> | undefined });
  return definition.isCompressed ? await respondCompressedJson(c, response) : respondJson(c, response, definition.status?.(response));
}

/** Runs an operation; a write with an `Idempotency-Key` only once for that key. */
async function runOperation(c: HttpContext, call: RequestContext, { definition, run }: BoundOperation): Promise<unknown> {
  const { ctx } = c.env;
  const key = acceptsIdempotencyKey(definition) ? c.req.header("idempotency-key") : undefined;
  const readAndCount = async (): Promise<unknown> => {
    const input = await readInput(c, call, definition);
    countParsed(c, call, definition, input);
    return input;
  };
  if (key === undefined) return toResponse(definition, await run(ctx, call, withLastEventId(c, definition, await readAndCount())));
  let input: Promise<unknown> | undefined;
  const readOnce = (): Promise<unknown> => {
    input ??= readAndCount();
    return input;
  };
  return await withIdempotency(
    ctx,
    { call, key, route: `${definition.method} ${definition.path}` },
    {
      digest: async () => digestInput(await readOnce()),
      run: async (saveResponse) => await run(ctx, { ...call, saveResponse }, await readOnce()),
      toResponse: (output) => toResponse(definition, output),
      repeatable: definition.repeatable,
    },
  );
}

/**
 * Counts a call as the number of requests that its definition states for its input. Throws RATE_LIMITED if they exceed the rate: nothing has
 * been done yet, unlike when an operation calls `countRequests`.
 */
function countParsed(c: HttpContext, { actor, address }: RequestContext, { requests }: OperationDefinition, input: unknown): void {
  const count = typeof requests === "function" ? requests(input as never) : 1;
  if (count > 1) c.env.rate = c.env.rates.consume({ actor, address }, count - 1);
}

/** Adds the `Last-Event-ID` of a client that resumes an event stream. */
function withLastEventId(c: HttpContext, { events }: OperationDefinition, input: unknown): unknown {
  const lastEventId = events && c.req.header("last-event-id");
  return lastEventId === undefined ? input : { ...(input as object), lastEventId };
}
