import type { Hono } from "hono";
import { requireScope } from "../auth/authenticate.ts";
import type { Call, Ctx, TxCtx } from "../context.ts";
import { operations as contractOperations } from "../contract/index.ts";
import { isWrite, neededScope, type OperationDefinition, pathParameters, requiresKey } from "../contract/operation.ts";
import { notAhead } from "../operations/downloads/open-delivery.ts";
import { digestInput, doOnce } from "../operations/idempotency.ts";
import { operations } from "../operations/index.ts";
import { answerEvents } from "./answer-events.ts";
import { toCall } from "./call.ts";
import type { HttpContext, HttpEnv } from "./env.ts";
import { headLength } from "./head-length.ts";
import { isPrefetch } from "./prefetch.ts";
import { readInput } from "./read-input.ts";
import { methodNotAllowed, refuseOtherMethods } from "./refuse-methods.ts";

type AnyOperation = (ctx: Ctx, call: Call, input: unknown) => Promise<unknown>;

/** Serves every operation of the contract below `prefix`. */
export function mountContract(app: Hono<HttpEnv>, ctx: Ctx, prefix: string, stop?: AbortSignal): void {
  const isFixed = (definition: OperationDefinition): boolean => pathParameters(definition.path).length === 0;
  const mounted = (definition: OperationDefinition): string => prefix + definition.path.replace(/\{(\w+)\}/g, ":$1");
  const onlyGet = new Set(contractOperations.filter(([, { counts }]) => counts).map(([, definition]) => mounted(definition)));
  for (const wanted of [true, false]) {
    for (const [name, definition] of contractOperations) {
      if (isFixed(definition) !== wanted) continue;
      app.on(definition.method, mounted(definition), (c) =>
        answer(ctx, c, { definition, operation: operations[name] as AnyOperation, stop }),
      );
    }
    refuseOtherMethods(app, { onlyGet });
  }
}

interface Answering {
  readonly definition: OperationDefinition;
  readonly operation: AnyOperation;
  readonly stop: AbortSignal | undefined;
}

async function answer(ctx: Ctx, c: HttpContext, { definition, operation, stop }: Answering): Promise<Response> {
  if (c.req.method === "HEAD" && definition.counts) throw methodNotAllowed(["GET", "OPTIONS"]);
  if (definition.counts && isPrefetch(c)) throw notAhead();
  const call = await toCall(ctx, c, "api", {
    keyInQuery: definition.keyInQuery,
    tokenPrefix: definition.tokenInHeader?.prefix,
    uncounted: definition.requests === 0,
  });
  const scope = neededScope(definition);
  if (scope !== undefined && (requiresKey(definition) || call.actor.kind === "user")) requireScope(call.actor, scope);
  if (definition.waits) c.env.peer.setIdleTimeout(0);
  const output = await runOperation(ctx, c, call, { definition, operation });
  if (definition.events)
    return answerEvents(c, { call, definition: definition.events, items: output as AsyncIterable<unknown> | undefined, stop });
  const body = JSON.stringify(output);
  return new Response(body, {
    status: definition.status?.(output) ?? 200,
    headers: { "Content-Type": "application/json", "Cache-Control": "no-store", ...headLength(c, body) },
  });
}

/** Runs an operation, once for its `Idempotency-Key` where one was sent with a write. */
async function runOperation(
  ctx: Ctx,
  c: HttpContext,
  call: Call,
  { definition, operation }: { definition: OperationDefinition; operation: AnyOperation },
): Promise<unknown> {
  const key = isWrite(definition) ? c.req.header("idempotency-key") : undefined;
  if (key === undefined) {
    const input = await readInput(c, call, definition);
    countRequests(c, call, definition, input);
    return definition.output.parse(await operation(ctx, call, withEventId(c, definition, input)));
  }
  let input: Promise<unknown> | undefined;
  const read = (): Promise<unknown> => {
    input ??= readInput(c, call, definition);
    return input;
  };
  const digest = async (): Promise<string> => digestInput(await read());
  return await doOnce(
    ctx,
    { call, key, route: `${definition.method} ${definition.path}` },
    {
      digest,
      async run(remember) {
        const input = await read();
        const keep = async (ctx: TxCtx, answer: unknown): Promise<void> => remember(ctx, definition.output.parse(answer), await digest());
        return definition.output.parse(await operation(ctx, { ...call, remember: keep }, input));
      },
    },
  );
}

/** Where a client goes on after the last event that it has seen, as browsers say it. */
function withEventId(c: HttpContext, { events }: OperationDefinition, input: unknown): unknown {
  const lastEventId = events && c.req.header("last-event-id");
  return lastEventId === undefined ? input : { ...(input as object), lastEventId };
}

/** A call that asks for much counts as several requests. */
function countRequests(c: HttpContext, { actor, address }: Call, { requests }: OperationDefinition, input: unknown): void {
  const count = typeof requests === "function" ? requests(input as never) : 1;
  if (count > 1) c.env.rate = c.env.rates.take({ actor, address }, count - 1);
}
