import type { Ctx, RequestContext } from "../context.ts";
import { fromResponse, responseSchema, toResponse } from "../contract/envelope.ts";
import { acceptsIdempotencyKey, type OperationDefinition, requiredScope, requiresKey } from "../contract/operation.ts";
import type { Actor } from "./accounts/actor.ts";
import { asAdministrator } from "./accounts/administrator.ts";
import { requireScope } from "./accounts/authenticate.ts";
import { requireAsDefined } from "./accounts/requirements.ts";
import { definitionOf, type OperationName, type Output } from "./contract.ts";
import { digestInput, withIdempotency } from "./idempotency.ts";
import { operations } from "./operations.ts";
import { parseOperationInput } from "./parse-input.ts";

export type AnyOperation = (ctx: Ctx, call: RequestContext, input: unknown) => Promise<unknown>;

/** Returns the context in which an operation runs for a caller. Throws UNAUTHENTICATED, INSUFFICIENT_SCOPE or FORBIDDEN if they may not call it. */
export function authorizeCall(ctx: Ctx, call: RequestContext, definition: OperationDefinition): Ctx {
  const scope = requiredScope(definition);
  if (scope === "admin") return asAdministrator(ctx, call);
  if (scope !== undefined && needsScope(call.actor, definition)) requireScope(call.actor, scope);
  return ctx;
}

const needsScope = (actor: Actor, definition: OperationDefinition): boolean => requiresKey(definition) || actor.kind === "user";

export interface OperationCall<Name extends OperationName> {
  readonly name: Name;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly idempotencyKey?: string | undefined;
  /** Counts the call as `requests` requests. Throws RATE_LIMITED. */
  count(requests: number): void;
}

/** Calls an operation in this process with the checks of a request: the caller's rights, the fields, and the output. Throws AppErrors. */
export async function callOperation<Name extends OperationName>(
  ctx: Ctx,
  call: RequestContext,
  { name, fields, idempotencyKey, count }: OperationCall<Name>,
): Promise<Output<Name>> {
  const definition = definitionOf(name);
  const authorized = authorizeCall(ctx, call, definition);
  const response = await runOperation(ctx, call, {
    definition,
    idempotencyKey,
    async readInput() {
      const input = parseOperationInput(definition, fields);
      count(requestsOf(definition, input));
      return input;
    },
    run: (call, input) => (operations[name] as AnyOperation)(authorized, call, input),
  });
  return fromResponse(definition, response) as Output<Name>;
}

export interface OperationRun {
  readonly definition: OperationDefinition;
  /** The key of a repeatable write; ignored by operations that accept none. */
  readonly idempotencyKey: string | undefined;
  readInput(): Promise<unknown>;
  run(call: RequestContext, input: unknown): Promise<unknown>;
}

/** Runs an operation, and a write with an idempotency key only once per key (idempotency, "Idempotency"). Resolves to the output in its envelope. */
export async function runOperation(
  ctx: Ctx,
  call: RequestContext,
  { definition, idempotencyKey: key, readInput, run }: OperationRun,
): Promise<unknown> {
  if (key === undefined || !acceptsIdempotencyKey(definition)) return toResponse(definition, await run(call, await readInput()));
  let input: Promise<unknown> | undefined;
  const readOnce = (): Promise<unknown> => {
    input ??= readInput();
    return input;
  };
  return await withIdempotency(
    ctx,
    { call, key, route: `${definition.method} ${definition.path}` },
    {
      digest: async () => digestInput(await readOnce()),
      run: async (saveResponse) => await run({ ...call, saveResponse }, await readOnce()),
      toResponse: (output) => toResponse(definition, output),
      responseSchema: responseSchema(definition),
      checkRepeat() {
        if (definition.requires !== undefined) requireAsDefined(ctx, call, definition);
      },
      repeatable: definition.repeatable,
    },
  );
}

/** Returns the number of requests that a call counts as in the general rate limit. */
export const requestsOf = ({ requests }: OperationDefinition, input: unknown): number =>
  typeof requests === "function" ? requests(input as never) : 1;
