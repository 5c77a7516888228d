import { z } from "zod";
import { inputSource, type OperationDefinition, pathParameters } from "./operation.ts";
import { BATCH_UPLOAD, DIRECT_UPLOAD, JSON_BODY } from "./scalars.ts";

const KiB = 1024;

const maxBytesOf = new WeakMap<OperationDefinition, number>();

/** Returns the largest body that an operation accepts, in bytes. For JSON, each field has its longest value (request limits, "Size of a body"). */
export function maxBodyBytes(definition: OperationDefinition): number {
  if (definition.streams) return BATCH_UPLOAD.maxBytes + BATCH_UPLOAD.overheadBytes;
  if (inputSource(definition) === "multipart") return DIRECT_UPLOAD.maxFileBytes + DIRECT_UPLOAD.overheadBytes;
  const maxBytes = maxBytesOf.get(definition) ?? maxJsonBytes(definition.input, pathParameters(definition.path));
  maxBytesOf.set(definition, maxBytes);
  return maxBytes;
}

/** The longest JSON of one character: a pair of escapes, such as `\ud83d\ude00`. */
const CHARACTER_BYTES = 12;
/** The number of characters of a text whose schema names no limit: an ID, a digest, a time. */
const UNLIMITED_CHARACTERS = 256;
/** The longest JSON of a number. */
const NUMBER_BYTES = 32;
/** The bytes around a member: quotes, comma, colon, a line end and its indentation. */
const AROUND_BYTES = 16;
/** The space for unknown fields, which are accepted and ignored. */
const UNKNOWN_FIELDS_BYTES = 2 * KiB;

/**
 * Returns the size of the largest JSON body with these fields, in whole kilobytes and within `JSON_BODY`, with each field at its longest and space
 * for unknown ones. The fields named in `elsewhere` are not in the body.
 */
function maxJsonBytes(fields: z.ZodObject, elsewhere: readonly string[]): number {
  const schema = z.toJSONSchema(fields, { io: "input", unrepresentable: "any", reused: "inline" });
  for (const name of elsewhere) delete schema.properties?.[name];
  const kilobytes = Math.ceil((longestJson(schema) + UNKNOWN_FIELDS_BYTES) / KiB);
  return Math.min(Math.max(kilobytes * KiB, JSON_BODY.minBytes), JSON_BODY.maxBytes);
}

type Schema = z.core.JSONSchema.BaseSchema;

/** Returns the size of the longest JSON that a schema accepts; Infinity if it sets no limit. */
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
