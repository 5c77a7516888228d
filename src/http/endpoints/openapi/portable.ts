import { exampleOf, flatChoices, type Json } from "../../../contract/json-schema.ts";

/** Keywords that describe a schema with alternatives, whichever of them applies. */
const DESCRIPTIVE: ReadonlySet<string> = new Set(["description", "examples", "default", "deprecated"]);

/** Converts the document's schemas to the form that common generators of clients read (openapi, "Generators of clients"). */
export function toPortable<T>(node: T): T {
  if (Array.isArray(node)) return node.map((item: unknown) => toPortable(item)) as T;
  if (typeof node !== "object" || node === null) return node;
  const members = Object.fromEntries(
    Object.entries(node).map(([name, value]) => [name, name === "example" || name === "examples" ? value : toPortable(value)]),
  );
  if (isTypeList(members.type)) return separate(members, members.type) as T;
  if (Array.isArray(members.anyOf)) return { ...members, anyOf: flatChoices(members) } as T;
  return withoutAlias(members) as T;
}

const isTypeList = (type: unknown): type is readonly string[] => Array.isArray(type) && type.every((each) => typeof each === "string");

function separate({ type: _, ...members }: Json, types: readonly string[]): Json {
  const entries = Object.entries(members);
  const limits = Object.fromEntries(entries.filter(([name]) => !DESCRIPTIVE.has(name)));
  return {
    ...Object.fromEntries(entries.filter(([name]) => DESCRIPTIVE.has(name))),
    anyOf: types.map((type) => (type === "null" ? { type } : { type, ...limits })),
  };
}

/** Describes `error_code` in words: in most languages, generators would give it the name of `errorCode`. */
function withoutAlias(schema: Json): Json {
  const { errorCode, error_code, ...others } = (schema.properties ?? {}) as Record<string, Json>;
  if (errorCode === undefined || error_code === undefined) return schema;
  const description = `${schema.description}. Where a proof of work is wrong, it also has \`error_code\`, such as \`${exampleOf(error_code)}\``;
  return { ...schema, properties: { errorCode, ...others }, description };
}
