import { z } from "zod";
import { JSON_BODY } from "./scalars.ts";

const KiB = 1024;

/** Longest JSON of one character: a pair of escapes, such as `\ud83d\ude00`. */
const CHARACTER_BYTES = 12;
/** Characters of a text whose schema names no limit: an id, a digest, a time. */
const UNLIMITED_CHARACTERS = 256;
/** A number at its longest, and what stands around a member: quotes, comma, colon, a line end and its indentation. */
const NUMBER_BYTES = 32;
const AROUND_BYTES = 16;
/** What clients send beside the fields that an operation knows: these are accepted and ignored. */
const UNKNOWN_FIELDS_BYTES = 2 * KiB;

/**
 * Most bytes that a JSON body of these fields may have, in whole kilobytes: each field at its longest, and room for unknown ones;
 * within `JSON_BODY`, whose `maxBytes` hold where a field has no limit, or a large one. Those named in `elsewhere` are not in the body.
 */
export function maxJsonBytes(fields: z.ZodObject, elsewhere: readonly string[]): number {
  const schema = z.toJSONSchema(fields, { io: "input", unrepresentable: "any", reused: "inline" });
  for (const name of elsewhere) delete schema.properties?.[name];
  const kilobytes = Math.ceil((longestJson(schema) + UNKNOWN_FIELDS_BYTES) / KiB);
  return Math.min(Math.max(kilobytes * KiB, JSON_BODY.leastBytes), JSON_BODY.maxBytes);
}

type Schema = z.core.JSONSchema.BaseSchema;

/** Bytes of the longest JSON that a schema takes; Infinity where it may be of any length. */
function longestJson(schema: Schema): number {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return Math.max(...choices.map((choice) => (typeof choice === "object" ? longestJson(choice as Schema) : Infinity)));
  const values = schema.const === undefined ? schema.enum : [schema.const];
  if (values) return Math.max(...values.map((value) => longestText(String(value).length)));
  switch (schema.type) {
    case "object":
      return longestObject(schema);
    case "array": {
      const { items, maxItems } = schema;
      if (maxItems === undefined || typeof items !== "object" || Array.isArray(items)) return Infinity;
      return 2 + maxItems * (longestJson(items as Schema) + AROUND_BYTES);
    }
    case "number":
    case "integer":
    case "boolean":
    case "null":
      return NUMBER_BYTES;
    default:
      if (schema.$ref !== undefined) return Infinity;
      return longestText(schema.maxLength ?? UNLIMITED_CHARACTERS);
  }
}

function longestObject({ properties, additionalProperties }: Schema): number {
  if (typeof additionalProperties === "object") return Infinity;
  return Object.entries(properties ?? {}).reduce((bytes, [name, value]) => {
    return bytes + longestText(name.length) + AROUND_BYTES + (typeof value === "object" ? longestJson(value as Schema) : Infinity);
  }, 2);
}

const longestText = (characters: number): number => 2 + characters * CHARACTER_BYTES;
