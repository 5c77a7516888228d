import { malformed } from "./fault.ts";
import { findObject, type State, toList } from "./state.ts";

type Json = Record<string, unknown>;

/** Copies a response, in which objects replace the IDs at the given paths, such as `payment_intent.latest_charge`. Throws a StripeFault. */
export function expand(state: State, answer: object, paths: readonly string[]): object {
  const copy: Json = JSON.parse(JSON.stringify(answer));
  for (const path of paths) {
    if (path.split(".").length > 4) {
      throw malformed(`You cannot expand more than 4 levels of a property. Property: ${path}`, { param: "expand" });
    }
    expandPath(state, copy, path.split("."), path);
  }
  return copy;
}

function expandPath(state: State, object: Json, [name = "", ...rest]: readonly string[], path: string): void {
  const id = object.id;
  if (name === "line_items" && object.object === "checkout.session" && typeof id === "string") {
    const items = state.terms.get(id)?.lineItems ?? [];
    object.line_items ??= JSON.parse(JSON.stringify(toList([...items], `/v1/checkout/sessions/${id}/line_items`)));
  }
  const value = object[name];
  if (value === undefined) throw refusal(path);
  const found = typeof value === "string" ? findObject(state, value) : undefined;
  if (typeof value === "string" && !found) throw refusal(path);
  if (found) object[name] = JSON.parse(JSON.stringify(found));
  if (rest.length === 0) return;
  for (const inner of [object[name]].flat()) if (isObject(inner)) expandPath(state, inner, rest, path);
}

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null;

const refusal = (path: string) =>
  malformed(`This property cannot be expanded (${path}). You may want to try expanding 'data.${path}' instead.`, { param: "expand" });
