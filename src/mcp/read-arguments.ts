import type { Json } from "../contract/json-schema.ts";

/**
 * Converts arguments that models write in another clear form to the form of the schema: null for an absent field, and the text of a number or a truth
 * value for the value (mcp, "Tools").
 */
export function readArguments(schema: Json, args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return readObject(schema, args);
}

function readObject({ properties }: Json, value: object): Record<string, unknown> {
  const schemas = new Map(Object.entries((properties ?? {}) as Record<string, Json>));
  const fields = Object.entries(value).map(([name, value]) => [name, readValue(schemas.get(name) ?? {}, value)] as const);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

/** Converts a value; undefined for a null that stands for an absent field. */
function readValue(schema: Json, value: unknown): unknown {
  const choices = choicesOf(schema);
  const has = (...types: string[]): boolean => choices.some(({ type }) => types.includes(String(type)));
  if (value === null) return has("null") ? null : undefined;
  if (typeof value === "string" && !has("string") && choices.every((choice) => "type" in choice)) return readText(value, has);
  const [list] = choices.filter(({ items }) => items !== undefined);
  if (Array.isArray(value) && list) return value.map((item) => readValue(list.items as Json, item) ?? item);
  const [object] = choices.filter(({ properties }) => properties !== undefined);
  return typeof value === "object" && !Array.isArray(value) && object ? readObject(object, value) : value;
}

function readText(text: string, has: (...types: string[]) => boolean): unknown {
  const trimmed = text.trim();
  if (has("boolean") && /^(?:true|false)$/i.test(trimmed)) return trimmed.toLowerCase() === "true";
  const number = Number(trimmed);
  // Texts are not converted if the number would be written differently, such as one with more digits than are exact.
  if (has("integer", "number") && /^-?\d+(?:\.\d+)?$/.test(trimmed) && Math.abs(number) <= Number.MAX_SAFE_INTEGER) return number;
  return text;
}

const choicesOf = (schema: Json): readonly Json[] =>
  ["anyOf", "oneOf"]
    .flatMap((name) => (schema[name] ?? []) as Json[])
    .flatMap(choicesOf)
    .concat(Array.isArray(schema.type) ? schema.type.map((type) => ({ ...schema, type })) : schema.anyOf || schema.oneOf ? [] : [schema]);
