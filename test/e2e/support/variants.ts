import type { Described, Description, Schema } from "./document.ts";

/** An operation's input, by where it travels. A `File` in the body goes as a form's file. */
export interface Sent {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

export interface Variant {
  readonly what: string;
  readonly sent: Sent;
  /** What it is answered with where the document does not take it; undefined where it does, so that it depends on what it says. */
  readonly statuses: readonly number[] | undefined;
}

/** A good input with one member of it missing or another, in every way that the operation's schemas suggest; most are bad. */
export function variants(description: Description, operation: Described, good: Sent): readonly Variant[] {
  return [...variantParameters(description, operation, good), ...variantBodies(description, operation, good)];
}

function* variantParameters({ takes }: Description, { parameters }: Described, good: Sent): Generator<Variant> {
  for (const { name, in: place, required, schema } of parameters) {
    // An address that cannot be is unknown rather than wrong.
    const refused = place === "path" ? [400, 404] : [400];
    if (place === "query" && required) {
      yield { what: `${name} missing`, sent: { ...good, query: without(good.query, name) }, statuses: refused };
    }
    for (const value of someTexts(schema)) {
      if (place === "header") {
        if (!/^[ -~]*$/.test(value)) continue;
        const sent = { ...good, headers: { ...good.headers, [name]: value } };
        yield { what: `${name}: ${brief(value)}`, sent, statuses: takes(schema, value) ? undefined : [400] };
        continue;
      }
      // An empty part of a path is another address.
      if (place === "path" && value === "") continue;
      const sent = { ...good, [place]: { ...good[place], [name]: value } };
      yield { what: `${name} = ${brief(value)}`, sent, statuses: takes(schema, value) ? undefined : refused };
    }
  }
}

function* variantBodies({ takes }: Description, { body }: Described, good: Sent): Generator<Variant> {
  if (!body) return;
  const isForm = body.type === "multipart/form-data";
  const bodies: [string, Record<string, unknown>][] = [["nothing in the body", {}]];
  for (const name of body.schema.required ?? []) bodies.push([`${name} missing`, without(good.body, name)]);
  for (const [name, schema] of Object.entries(body.schema.properties ?? {})) {
    if (schema.format === "binary") {
      // Bytes and text are the same to a schema, and not to a form.
      yield { what: `${name} as text`, sent: { ...good, body: { ...good.body, [name]: "text" } }, statuses: [400] };
      continue;
    }
    const values = isForm ? someTexts(schema) : someValues(schema);
    for (const value of values) bodies.push([`${name} = ${brief(value)}`, { ...good.body, [name]: value }]);
  }
  for (const [what, value] of bodies) {
    const written = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, member instanceof File ? "" : member]));
    yield { what, sent: { ...good, body: value }, statuses: takes(body.schema, written) ? undefined : [400] };
  }
}

/** Values of every type, at every limit and past it. */
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
