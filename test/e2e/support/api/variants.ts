import type { Described, Description, Schema } from "./openapi-document.ts";

/** An operation's input by location. A `File` in the body is sent as a form's file, and a list of them as several. */
export interface OperationInput {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

export interface Variant {
  readonly what: string;
  readonly sent: OperationInput;
  /** The allowed statuses if the document refuses the input; undefined if it accepts the input, because the status then depends on the values. */
  readonly statuses: readonly number[] | undefined;
}

/** Makes variants of a valid input with one member missing or changed, by the operation's schemas. Most are invalid. */
export function variants(description: Description, operation: Described, good: OperationInput): readonly Variant[] {
  return [...variantParameters(description, operation, good), ...variantBodies(description, operation, good)];
}

function* variantParameters({ accepts }: Description, { parameters }: Described, good: OperationInput): Generator<Variant> {
  for (const { name, in: location, required, schema } of parameters) {
    // A malformed path parameter may also be an unknown object.
    const refused = location === "path" ? [400, 404] : [400];
    if (location === "query" && required) {
      yield { what: `${name} missing`, sent: { ...good, query: without(good.query, name) }, statuses: refused };
    }
    for (const value of someTexts(schema)) {
      if (location === "header") {
        if (!/^[ -~]*$/.test(value)) continue;
        const sent = { ...good, headers: { ...good.headers, [name]: value } };
        yield { what: `${name}: ${brief(value)}`, sent, statuses: accepts(schema, value) ? undefined : [400] };
        continue;
      }
      // An empty path segment leads to another route.
      if (location === "path" && value === "") continue;
      const sent = { ...good, [location]: { ...good[location], [name]: value } };
      // An empty text counts as absent, which a schema with a format cannot express.
      const isAbsent = value === "" && location === "query" && !required;
      yield { what: `${name} = ${brief(value)}`, sent, statuses: isAbsent || accepts(schema, value) ? undefined : refused };
    }
  }
}

function* variantBodies({ accepts }: Description, { body }: Described, good: OperationInput): Generator<Variant> {
  if (!body) return;
  const isForm = body.type === "multipart/form-data";
  const bodies: [string, Record<string, unknown>][] = [["nothing in the body", {}]];
  for (const name of body.schema.required ?? []) bodies.push([`${name} missing`, without(good.body, name)]);
  for (const [name, schema] of Object.entries(body.schema.properties ?? {})) {
    if (schema.format === "binary" || schema.items?.format === "binary") {
      // A schema does not distinguish bytes from text, but a form does.
      yield { what: `${name} as text`, sent: { ...good, body: { ...good.body, [name]: "text" } }, statuses: [400] };
      continue;
    }
    const values = isForm ? someTexts(schema) : someValues(schema);
    for (const value of values) bodies.push([`${name} = ${brief(value)}`, { ...good.body, [name]: value }]);
  }
  for (const [what, value] of bodies) {
    const members = Object.entries(value).map(([name, member]) => [name, withoutBytes(member)] as const);
    // An empty field of a form counts as absent, which a schema with a format cannot express.
    const isAbsent = (name: string, member: unknown) => isForm && member === "" && !body.schema.required?.includes(name);
    const written = Object.fromEntries(members.filter(([name, member]) => !isAbsent(name, member)));
    yield { what, sent: { ...good, body: value }, statuses: accepts(body.schema, written) ? undefined : [400] };
  }
}

const withoutBytes = (member: unknown): unknown =>
  Array.isArray(member) ? member.map(withoutBytes) : member instanceof File ? "" : member;

/** Returns values of every type, at and beyond each limit. */
function someValues(schema: Schema): readonly unknown[] {
  const choices = [schema, ...(schema.anyOf ?? [])];
  return [
    ...[null, true, 5, 1.5, [], {}, [null], [5], [{}], { "1": null }, { "1": "x" }],
    ...choices.flatMap(({ minimum, maximum }) => [
      ...(minimum === undefined ? [] : [minimum, minimum - 1]),
      ...(maximum === undefined ? [] : [maximum, maximum * 2 + 2]),
    ]),
    ...choices.flatMap(({ maxItems }) => (maxItems === undefined ? [] : [Array.from({ length: maxItems + 1 }, () => "0123456789abcdef")])),
    ...choices.flatMap(({ items }) => (items === undefined ? [] : someItems(items).map((item) => [item]))),
    ...someTexts(schema),
  ];
}

function someItems(items: Schema): readonly unknown[] {
  const members = Object.entries(items.properties ?? {});
  const whole = Object.fromEntries(members.map(([name, { type }]) => [name, type === "integer" ? 1 : "x"]));
  return [
    ...someValues({ ...items, properties: {} }),
    ...members.flatMap(([name, schema]) => [
      without(whole, name),
      ...someValues(schema).map((value): Record<string, unknown> => ({ ...whole, [name]: value })),
    ]),
  ];
}

function someTexts(schema: Schema): readonly string[] {
  const limits = [schema, ...(schema.anyOf ?? [])].flatMap(({ maxLength }) => (maxLength === undefined ? [] : [maxLength]));
  const long = (limits.length > 0 ? limits : [5_000]).flatMap((length) => ["a".repeat(length), "a".repeat(length + 1)]);
  const odd = ["a\u0000b", "🙂", "../../etc", "a/b%", "' OR 1=1 --", "\ud800", "\r\nX: y"];
  const known = ["0123456789abcdef", "11111111-1111-4111-8111-111111111111", "null", "1", "true", "9999w", "2100-01-01T00:00:00Z"];
  return ["", " ", "x", "no such thing", "-1", "0", "2030-13-45T99:00:00Z", "999999999999999999999", ...odd, ...known, ...long];
}

function without<T>(record: Readonly<Record<string, T>> = {}, name: string): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([other]) => other !== name));
}

function brief(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 40)}… (${text.length})` : text;
}
