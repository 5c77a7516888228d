import type { Described, Description, Schema } from "./document.ts";

/** An operation's input, by where it travels. A `File` in the body goes as a form's file. */
export interface Sent {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

export interface BadInput {
  readonly what: string;
  readonly sent: Sent;
  /** What it is answered with: an address that cannot be is unknown rather than wrong. */
  readonly statuses: readonly number[];
}

/** Every way in which one member of a good input can be wrong that the operation's schemas tell. */
export function badInputs(description: Description, operation: Described, good: Sent): readonly BadInput[] {
  return [...badParameters(description, operation, good), ...badBodies(description, operation, good)];
}

function* badParameters({ takes }: Description, { parameters }: Described, good: Sent): Generator<BadInput> {
  for (const { name, in: place, required, schema } of parameters) {
    const statuses = place === "path" ? [400, 404] : [400];
    if (place === "query" && required) {
      yield { what: `${name} missing`, sent: { ...good, query: without(good.query, name) }, statuses };
    }
    for (const value of wrongTexts(schema)) {
      // An empty part of a path is another address.
      if ((place === "path" && value === "") || takes(schema, value)) continue;
      yield { what: `${name} = ${brief(value)}`, sent: { ...good, [place]: { ...good[place], [name]: value } }, statuses };
    }
  }
}

function* badBodies({ takes }: Description, { body }: Described, good: Sent): Generator<BadInput> {
  if (!body) return;
  const isForm = body.type === "multipart/form-data";
  const bodies: [string, Record<string, unknown>][] = [["nothing in the body", {}]];
  for (const name of body.schema.required ?? []) bodies.push([`${name} missing`, without(good.body, name)]);
  for (const [name, schema] of Object.entries(body.schema.properties ?? {})) {
    const values = isForm ? wrongTexts(schema) : wrongValues(schema);
    for (const value of values) bodies.push([`${name} = ${brief(value)}`, { ...good.body, [name]: value }]);
    if (schema.format === "binary") {
      yield { what: `${name} as text`, sent: { ...good, body: { ...good.body, [name]: "text" } }, statuses: [400] };
    }
  }
  for (const [what, value] of bodies) {
    const written = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, member instanceof File ? "" : member]));
    if (!takes(body.schema, written)) yield { what, sent: { ...good, body: value }, statuses: [400] };
  }
}

/** Values of every type and past every limit; not all of them are wrong for every schema. */
function wrongValues(schema: Schema): readonly unknown[] {
  const choices = [schema, ...(schema.anyOf ?? [])];
  return [
    ...[null, true, 5, 1.5, [], {}, [null], [5], [{}], { "1": null }, { "1": "x" }],
    ...choices.flatMap(({ minimum, maximum }) => [
      ...(minimum === undefined ? [] : [minimum - 1]),
      ...(maximum === undefined ? [] : [maximum * 2 + 2]),
    ]),
    ...choices.flatMap(({ maxItems }) => (maxItems === undefined ? [] : [Array.from({ length: maxItems + 1 }, () => "0123456789abcdef")])),
    ...choices.flatMap(({ items }) => (items === undefined ? [] : wrongItems(items).map((item) => [item]))),
    ...wrongTexts(schema),
  ];
}

function wrongItems(items: Schema): readonly unknown[] {
  const members = Object.entries(items.properties ?? {});
  const whole = Object.fromEntries(members.map(([name, { type }]) => [name, type === "integer" ? 1 : "x"]));
  return [
    ...wrongValues({ ...items, properties: {} }),
    ...members.flatMap(([name, schema]) => [
      without(whole, name),
      ...wrongValues(schema).map((value): Record<string, unknown> => ({ ...whole, [name]: value })),
    ]),
  ];
}

function wrongTexts(schema: Schema): readonly string[] {
  const limits = [schema, ...(schema.anyOf ?? [])].flatMap(({ maxLength }) => (maxLength === undefined ? [] : [maxLength]));
  const tooLong = limits.map((maxLength) => "a".repeat(maxLength + 1));
  return ["", " ", "x", "no such thing", "-1", "0", "1.5", "maybe", "2030-13-45T99:00:00Z", ...tooLong];
}

function without<T>(record: Readonly<Record<string, T>> = {}, name: string): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([other]) => other !== name));
}

function brief(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 40)}… (${text.length})` : text;
}
