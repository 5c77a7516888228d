import type { Json } from "./openapi-schemas.ts";

/** A value that a schema allows, made of the examples of its parts; undefined where a part has none and may not be left out. */
export function exampleOf(schema: Json): unknown {
  return toValue(schema, (schema.$defs ?? {}) as Record<string, Json>);
}

function toValue(schema: Json, defs: Readonly<Record<string, Json>>): unknown {
  if (Array.isArray(schema.examples)) return schema.examples[0];
  if (typeof schema.$ref === "string") return toValue(defs[schema.$ref.replace("#/$defs/", "")] ?? {}, defs);
  if ("const" in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  for (const choices of [schema.anyOf, schema.oneOf, schema.allOf]) if (Array.isArray(choices)) return chooseFrom(choices as Json[], defs);
  if ([schema.type].flat().includes("null")) return null;
  if (schema.type === "array") return [toValue((schema.items ?? {}) as Json, defs)].filter((item) => item !== undefined);
  return schema.type === "object" ? objectOf(schema, defs) : undefined;
}

/** Nothing is a good example of what may be null and has none of its own. */
const chooseFrom = (choices: readonly Json[], defs: Readonly<Record<string, Json>>): unknown =>
  choices.some(({ type }) => type === "null") ? null : choices.map((choice) => toValue(choice, defs)).find((value) => value !== undefined);

function objectOf(schema: Json, defs: Readonly<Record<string, Json>>): unknown {
  const required = (schema.required ?? []) as readonly string[];
  const members = Object.entries((schema.properties ?? {}) as Record<string, Json>)
    .filter(([name]) => required.includes(name))
    .map(([name, property]) => [name, toValue(property, defs)] as const);
  return members.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(members);
}
