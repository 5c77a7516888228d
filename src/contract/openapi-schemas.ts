import { z } from "zod";
import type { OperationDefinition } from "./operation.ts";

export type Json = Record<string, unknown>;

/** The fields of an operation's input, as JSON Schema, and which of them have to be sent. */
export function inputSchema(definition: OperationDefinition): { properties: Record<string, Json>; required: string[] } {
  const schema = toJsonSchema(definition.input, "input");
  const properties = (schema.properties ?? {}) as Record<string, Json>;
  const required = [...((schema.required ?? []) as string[])];
  for (const [name, property] of Object.entries(properties)) {
    // Needed, though the schema lets it be absent so that the operation can say what that means.
    if (property.isNeeded === true) required.push(name);
    delete property.isNeeded;
  }
  return { properties, required };
}

/** A schema as the document has it: of what is sent, or of what is answered. */
export function toJsonSchema(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    reused: "inline",
    override: ({ zodSchema, jsonSchema }) => {
      // Left out by Zod of what it converts: here they are always of what is sent.
      const { examples } = z.globalRegistry.get(zodSchema) ?? {};
      if (Array.isArray(examples)) jsonSchema.examples = examples;
      if (jsonSchema.format === "binary") Object.assign(jsonSchema, { type: "string", format: "binary" });
      // The format says it, and the pattern that Zod makes of it is not one that every reader of the document understands.
      if (jsonSchema.format === "uuid" || jsonSchema.format === "date-time") delete jsonSchema.pattern;
      // Answers may have more members than these, in this version or a later one.
      if (io === "output" && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      delete jsonSchema.id;
      describeEnvelope(jsonSchema as Json);
    },
  });
  return json;
}

const ENVELOPE = { success: "Always true", data: "What is answered" } as const;

/** Members that answers share mean the same in each. */
function describeEnvelope({ properties }: Json): void {
  for (const [name, description] of Object.entries(ENVELOPE)) {
    const property = (properties as Record<string, Json> | undefined)?.[name];
    if (property) property.description ??= description;
  }
}

/** A query parameter or a form's field that is sent empty counts as absent; one that is required is not. */
export function toTextSchema(schema: Json = {}, isRequired: boolean): Json {
  const { description, examples, ...rest } = schema;
  const takesEmpty = rest.type === "string" && !["minLength", "pattern", "format", "enum", "const"].some((name) => name in rest);
  if (isRequired || takesEmpty) return schema;
  const choices = Array.isArray(rest.anyOf) ? (rest.anyOf as Json[]) : [rest];
  const told = { ...(description !== undefined && { description }), ...(examples !== undefined && { examples }) };
  return { ...told, anyOf: [...choices, { type: "string", maxLength: 0 }] };
}

/** A form has no null: what is not meant is left out. */
export function withoutNull(schema: Json = {}): Json {
  if (!Array.isArray(schema.anyOf)) return schema;
  const { anyOf, ...rest } = schema;
  const choices = (anyOf as Json[]).filter(({ type }) => type !== "null");
  return choices.length === 1 ? { ...choices[0], ...rest } : { ...rest, anyOf: choices };
}

/** The document with the schemas that have names moved to `schemas`, once each, and every reference to them following. */
export function shareSchemas<T>(node: T, schemas: Json): T {
  if (Array.isArray(node)) return node.map((item: unknown) => shareSchemas(item, schemas)) as T;
  if (typeof node !== "object" || node === null) return node;
  const { $defs, ...members } = node as { $defs?: Json } & Json;
  for (const [name, schema] of Object.entries($defs ?? {})) schemas[name] ??= shareSchemas(schema, schemas);
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [
      name,
      name === "$ref" && typeof value === "string" ? value.replace(/^#\/\$defs\//, "#/components/schemas/") : shareSchemas(value, schemas),
    ]),
  ) as T;
}
