import { z } from "zod";
import type { OperationDefinition } from "./operation.ts";
import { isSecret } from "./secret.ts";

export type Json = Record<string, unknown>;

/** Returns the fields of an operation's input as JSON Schema, and the names of the required ones. */
export function inputSchema(definition: OperationDefinition): { properties: Record<string, Json>; required: string[] } {
  const schema = toJsonSchema(definition.input, "input");
  const properties = (schema.properties ?? {}) as Record<string, Json>;
  const required = [...((schema.required ?? []) as string[])];
  for (const [name, property] of Object.entries(properties)) {
    // The schema allows the absence of the field, so that the operation can describe the error.
    if (property.isNeeded === true) required.push(name);
    delete property.isNeeded;
  }
  return { properties, required };
}

/** Converts a zod schema to the JSON Schema of a request (`input`) or a response (`output`). */
export function toJsonSchema(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    reused: "inline",
    override: ({ zodSchema, jsonSchema }) => {
      // Zod omits the examples of converted values; here they are always of the sent value.
      const { examples } = z.globalRegistry.get(zodSchema) ?? {};
      if (Array.isArray(examples)) jsonSchema.examples = examples;
      if (jsonSchema.format === "binary") Object.assign(jsonSchema, { type: "string", format: "binary" });
      // The format is enough, and not every reader of the document supports Zod's pattern.
      if (jsonSchema.format === "uuid" || jsonSchema.format === "date-time") delete jsonSchema.pattern;
      // Responses may have more members, in this or a later version.
      if (io === "output" && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      if (io === "output") allowWithheld(zodSchema, jsonSchema as Json);
      delete jsonSchema.id;
      describeEnvelope(jsonSchema as Json);
    },
  });
  return json;
}

/** Marks a secret that only a repeated response may lack (idempotency, "Secrets of a repeated response"). */
const SECRET_MARK = "x-secret";

function allowWithheld(schema: z.core.$ZodType, json: Json): void {
  if (!(schema instanceof z.ZodObject) || !Array.isArray(json.required)) return;
  const shape: Readonly<Record<string, z.ZodType>> = schema.shape;
  const properties = (json.properties ?? {}) as Record<string, Json>;
  const required = json.required as readonly string[];
  const secrets = required.filter((name) => shape[name] !== undefined && isSecret(shape[name]));
  for (const name of secrets) properties[name] = { ...properties[name], [SECRET_MARK]: true };
  json.required = required.filter((name) => !secrets.includes(name));
  if ((json.required as string[]).length === 0) delete json.required;
}

/** Removes marks from a schema, for readers that refuse unknown keywords. */
export const withoutMarks = (json: Json): Json =>
  JSON.parse(JSON.stringify(json, (name, value: unknown) => (name === SECRET_MARK ? undefined : value)));

const ENVELOPE = { success: "Always true", data: "The result" } as const;

/** Describes the members that all envelopes share. */
function describeEnvelope({ properties }: Json): void {
  for (const [name, description] of Object.entries(ENVELOPE)) {
    const property = (properties as Record<string, Json> | undefined)?.[name];
    if (property) property.description ??= description;
  }
}

/**
 * Allows the empty text, which counts as absent, for an optional query parameter or form field. It joins the alternative that is a text, because
 * generators of clients cannot distinguish two alternatives of one type.
 */
export function toTextSchema(schema: Json = {}, isRequired: boolean): Json {
  if (isRequired) return schema;
  const { description, examples, ...rest } = schema;
  const choices = flatChoices(rest);
  const described = { ...(description !== undefined && { description }), ...(examples !== undefined && { examples }) };
  const texts = choices.filter(({ type }) => type === "string");
  const others = choices.filter(({ type }) => type !== "string");
  const widened = [...others, allowEmpty(joinTexts(texts))];
  const [only = {}] = widened;
  return widened.length === 1 ? { ...described, ...only } : { ...described, anyOf: widened };
}

/** Lists the alternatives of a schema, with nested alternatives flattened. */
export const flatChoices = (schema: Json): readonly Json[] =>
  Array.isArray(schema.anyOf) ? (schema.anyOf as Json[]).flatMap(flatChoices) : [schema];

/** Joins several alternatives of text to one schema. */
function joinTexts(texts: readonly Json[]): Json {
  const [only = { type: "string", maxLength: 0 }] = texts;
  return texts.length < 2 ? only : { type: "string", pattern: texts.map(toPattern).join("|") };
}

/** Patterns of the formats that occur beside other alternatives of text. */
const FORMATS: Readonly<Record<string, string>> = {
  uuid: "^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$",
  "date-time": "^\\d{4}-\\d{2}-\\d{2}[Tt]\\d{2}:\\d{2}",
};

function toPattern({ pattern, format, enum: values, const: value }: Json): string {
  if (typeof pattern === "string") return pattern;
  const known = FORMATS[String(format)];
  if (known !== undefined) return known;
  const listed = Array.isArray(values) ? values : [value];
  return `^(?:${listed.join("|")})$`;
}

/** Removes the minimum length, so that the empty text is allowed. No keyword expresses that it is allowed beside a `format`. */
function allowEmpty({ minLength: _, ...text }: Json): Json {
  if (Array.isArray(text.enum)) return { ...text, enum: [...(text.enum as unknown[]), ""] };
  if (typeof text.const === "string") return { type: "string", enum: [text.const, ""] };
  return typeof text.pattern === "string" ? { ...text, pattern: `^$|${text.pattern}` } : text;
}

/** Removes null from a form field's schema: forms have no null. */
export function withoutNull(schema: Json = {}): Json {
  if (!Array.isArray(schema.anyOf)) return schema;
  const { anyOf, ...rest } = schema;
  const choices = (anyOf as Json[]).filter(({ type }) => type !== "null");
  return choices.length === 1 ? { ...choices[0], ...rest } : { ...rest, anyOf: choices };
}

/** Moves named schemas of the document to `schemas`, once each, and updates the references. */
export function hoistSchemas<T>(node: T, schemas: Json): T {
  if (Array.isArray(node)) return node.map((item: unknown) => hoistSchemas(item, schemas)) as T;
  if (typeof node !== "object" || node === null) return node;
  const { $defs, ...members } = node as { $defs?: Json } & Json;
  for (const [name, schema] of Object.entries($defs ?? {})) schemas[name] ??= hoistSchemas(schema, schemas);
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [
      name,
      name === "$ref" && typeof value === "string" ? value.replace(/^#\/\$defs\//, "#/components/schemas/") : hoistSchemas(value, schemas),
    ]),
  ) as T;
}

/** Builds a valid value from the examples of a schema's parts; undefined if a required part has none. */
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

/** Chooses the example of an alternative. Null is the example of a nullable schema without one. */
const chooseFrom = (choices: readonly Json[], defs: Readonly<Record<string, Json>>): unknown =>
  choices.some(({ type }) => type === "null") ? null : choices.map((choice) => toValue(choice, defs)).find((value) => value !== undefined);

function objectOf(schema: Json, defs: Readonly<Record<string, Json>>): unknown {
  const required = (schema.required ?? []) as readonly string[];
  const members = Object.entries((schema.properties ?? {}) as Record<string, Json>)
    .filter(([name, property]) => required.includes(name) || property[SECRET_MARK] === true)
    .map(([name, property]) => [name, toValue(property, defs)] as const);
  return members.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(members);
}
