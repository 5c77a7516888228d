import type { Hono } from "hono";
import { requireScope } from "../auth/authenticate.ts";
import type { Ctx } from "../context.ts";
import { operations as contractOperations } from "../contract/index.ts";
import { type OperationDefinition, pathParameters } from "../contract/operation.ts";
import { operations } from "../operations/index.ts";
import { toCall } from "./call.ts";
import type { HttpContext, HttpEnv } from "./env.ts";
import { readInput } from "./read-input.ts";
import { methodNotAllowed, refuseOtherMethods } from "./refuse-methods.ts";

type AnyOperation = (ctx: Ctx, call: Awaited<ReturnType<typeof toCall>>, input: unknown) => Promise<unknown>;

/** Serves every operation of the contract below `prefix`. */
export function mountContract(app: Hono<HttpEnv>, ctx: Ctx, prefix: string): void {
  const isFixed = (definition: OperationDefinition): boolean => pathParameters(definition.path).length === 0;
  for (const wanted of [true, false]) {
    for (const [name, definition] of contractOperations) {
      if (isFixed(definition) !== wanted) continue;
      const path = prefix + definition.path.replace(/\{(\w+)\}/g, ":$1");
      app.on(definition.method, path, (c) => answer(ctx, c, definition, operations[name] as AnyOperation));
    }
    refuseOtherMethods(app);
  }
}

async function answer(ctx: Ctx, c: HttpContext, definition: OperationDefinition, operation: AnyOperation): Promise<Response> {
  if (c.req.method === "HEAD" && definition.counts) throw methodNotAllowed(["GET", "OPTIONS"]);
  const call = await toCall(ctx, c, "api");
  if (definition.access !== "public" && definition.access !== "optional") requireScope(call.actor, definition.access);
  if (definition.access === "optional" && definition.method !== "GET" && call.actor.kind === "user")
    requireScope(call.actor, "files_write");
  const input = await readInput(c, definition);
  const output = definition.output.parse(await operation(ctx, call, input));
  return new Response(JSON.stringify(output), {
    status: definition.status?.(output) ?? 200,
    headers: { "Content-Type": "application/json", "Cache-Control": "no-store" },
  });
}
