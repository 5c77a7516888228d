import type { Hono } from "hono";
import { requireScope } from "../auth/authenticate.ts";
import type { Ctx } from "../context.ts";
import { operations as contractOperations } from "../contract/index.ts";
import type { OperationDefinition } from "../contract/operation.ts";
import { operations } from "../operations/index.ts";
import { toCall } from "./call.ts";
import type { HttpContext, HttpEnv } from "./env.ts";
import { readInput } from "./read-input.ts";

type AnyOperation = (ctx: Ctx, call: Awaited<ReturnType<typeof toCall>>, input: unknown) => Promise<unknown>;

/** Serves every operation of the contract below `prefix`. */
export function mountContract(app: Hono<HttpEnv>, ctx: Ctx, prefix: string): void {
  for (const [name, definition] of contractOperations) {
    const path = prefix + definition.path.replace(/\{(\w+)\}/g, ":$1");
    app.on(definition.method, path, (c) => answer(ctx, c, definition, operations[name] as AnyOperation));
  }
}

async function answer(ctx: Ctx, c: HttpContext, definition: OperationDefinition, operation: AnyOperation): Promise<Response> {
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
