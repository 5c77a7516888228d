import type { Stripe } from "stripe";
import type { z } from "zod";
import type { Emit } from "./events.ts";
import { malformed } from "./fault.ts";
import { type Form, readParams } from "./form.ts";
import type { State } from "./state.ts";

/** The environment of a route. */
export interface World {
  readonly state: State;
  readonly emit: Emit;
  /** Lists the webhook endpoints of the platform. */
  readonly endpoints: () => Stripe.WebhookEndpoint[];
  readonly events: readonly Stripe.Event[];
}

/** One method at one address of the API. */
export interface Route {
  readonly method: "DELETE" | "GET" | "POST";
  /** The path, such as `/v1/accounts/:id`. */
  readonly path: string;
  /** Checks the parameters, and returns the function that does all the work in one step. Both throw StripeFault. */
  readonly prepare: (world: World, id: string, form: Record<string, Form>) => () => object;
}

export function route<Schema extends z.ZodType>(
  method: Route["method"],
  path: string,
  schema: Schema,
  act: (world: World, params: z.output<Schema>, id: string) => object,
): Route {
  return {
    method,
    path,
    prepare: (world, id, form) => {
      const params = readParams(schema, form);
      return () => act(world, params, id);
    },
  };
}

interface Page {
  readonly limit?: number | undefined;
  readonly starting_after?: string | undefined;
}

/** Returns the requested part of a list, newest first. `objects` are in the order of their creation. */
export function toPage<T extends { readonly id: string }>(objects: Iterable<T>, { limit = 10, starting_after: after }: Page, url: string) {
  const all = [...objects].reverse();
  const index = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && index === 0)
    throw malformed(`No such object: '${after}'`, { code: "resource_missing", param: "starting_after" });
  return { object: "list" as const, data: all.slice(index, index + limit), has_more: all.length > index + limit, url };
}
