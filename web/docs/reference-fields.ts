import type { Json } from "../../src/contract/json-schema.ts";
import type { DocsField } from "./view.ts";

/** The named schemas to which references refer. */
export type Definitions = Readonly<Record<string, Json>>;

/** Lists the properties of an object's schema, or of the items of an array. */
export function toFields(schema: Json, definitions = (schema.$defs ?? {}) as Definitions): DocsField[] {
  const objects = choicesOf(schema, definitions).flatMap((choice) =>
    choice.type === "array" ? choicesOf((choice.items ?? {}) as Json, definitions) : [choice],
  );
  const withProperties = objects.filter(({ properties }) => properties !== undefined);
  const names = new Set(withProperties.flatMap(({ properties }) => Object.keys(properties as Json)));
  return [...names].map((name) => {
    const kinds = withProperties.flatMap(({ properties }) => (properties as Readonly<Record<string, Json[]>>)[name] ?? []);
    const isRequired = withProperties.every(({ required = [] }) => (required as string[]).includes(name));
    return toField(name, merge(kinds), { isRequired, definitions });
  });
}

/** Merges the schemas of a field in several kinds of object. The first one describes it. */
const merge = (kinds: readonly Json[]): Json =>
  kinds.length === 1 ? (kinds[0] ?? {}) : { description: kinds[0]?.description, anyOf: kinds };

/** Describes one field by its schema. */
export function toField(
  name: string,
  schema: Json,
  { isRequired, definitions = {} }: { readonly isRequired: boolean; readonly definitions?: Definitions },
): DocsField {
  const choices = choicesOf(schema, definitions);
  const { description } = schema;
  const isFlag = choices.some(({ type }) => type === "boolean");
  return {
    name,
    type: typeOf(choices, definitions),
    isRequired,
    description: typeof description === "string" ? description : choices.map((choice) => choice.description).find(isText),
    limits: isFlag ? [] : [...new Set(choices.flatMap(limitsOf))],
    values: isFlag ? [] : [...new Set(choices.flatMap(valuesOf))],
    fields: toFields(schema, definitions),
  };
}

const isText = (value: unknown): value is string => typeof value === "string";

/** Lists the alternatives of a schema, without references and nested alternatives. */
function choicesOf(schema: Json, definitions: Definitions): Json[] {
  if (isText(schema.$ref)) return choicesOf(definitions[schema.$ref.replace(/^.*\//, "")] ?? {}, definitions);
  const choices = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(choices)) return (choices as Json[]).flatMap((choice) => choicesOf(choice, definitions));
  // An empty text counts as absent, so it is no type.
  if (schema.type === "string" && schema.maxLength === 0) return [];
  if (Array.isArray(schema.type)) return schema.type.map((type: unknown) => ({ ...schema, type }));
  return [schema];
}

/** Returns the type, such as `string or null`. Forms and queries write a number or flag as text, so that text is not listed. */
function typeOf(choices: readonly Json[], definitions: Definitions): string {
  const names = new Set(choices.map((choice) => nameOf(choice, definitions)));
  for (const exact of ["boolean", "integer"]) if (names.has(exact)) names.delete("string");
  return [...names].join(" or ");
}

const FORMATS: Readonly<Record<string, string>> = { "date-time": "time", uri: "URL", uuid: "UUID", binary: "file" };

function nameOf({ type, format, items, const: value }: Json, definitions: Definitions): string {
  if (value !== undefined) return typeof value;
  if (type === "array") return `array of ${typeOf(choicesOf((items ?? {}) as Json, definitions), definitions)}`;
  if (isText(format) && format in FORMATS) return FORMATS[format] ?? format;
  return isText(type) ? type : "any";
}

/** Bounds from this size on are not shown, because they only express that the number is whole. */
const UNBOUNDED = 999_999_999_999_999;

function limitsOf({ minLength, maxLength, minimum, maximum, minItems, maxItems }: Json): string[] {
  const bounds: readonly (readonly [unknown, unknown, string])[] = [
    [minLength === 1 ? undefined : minLength, maxLength, " characters"],
    [minimum, maximum, ""],
    [minItems, maxItems, " items"],
  ];
  return bounds.flatMap(([min, max, unit]) => describeBounds(toBound(min), toBound(max), unit) ?? []);
}

const toBound = (value: unknown): number | undefined => (typeof value === "number" && Math.abs(value) < UNBOUNDED ? value : undefined);

function describeBounds(min: number | undefined, max: number | undefined, unit: string): string | undefined {
  if (min === undefined && max === undefined) return undefined;
  if (min === undefined) return `at most ${format(max)}${unit}`;
  if (max === undefined) return min === 0 ? undefined : `at least ${format(min)}${unit}`;
  return min === max ? `${format(min)}${unit}` : `${format(min)} to ${format(max)}${unit}`;
}

const format = (value: number | undefined): string => (value ?? 0).toLocaleString("en");

function valuesOf({ enum: values, const: value }: Json): string[] {
  if (Array.isArray(values)) return values.filter((one) => one !== null && one !== "").map(String);
  return value === undefined || value === null ? [] : [String(value)];
}
