import fc from "fast-check";

/** The JSON Schema of a tool. */
export type Schema = Readonly<Record<string, unknown>>;

const { stringify } = JSON;

/** Names that objects of JavaScript inherit, and a name that does not exist. */
const UNKNOWN_NAMES = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "unknownField",
  "",
  "\u0000",
  "id\u0000",
  "a".repeat(5000),
];

/** URLs from which no import may fetch. */
export const PRIVATE_URLS = [
  ...["http://127.0.0.1:1/", "http://localhost/", "http://[::1]/", "http://169.254.169.254/latest/meta-data/", "https://10.0.0.1/"],
  ...["http://0x7f000001/", "http://2130706433/", "http://[::ffff:127.0.0.1]/", "http://0/", "http://192.168.0.1@127.0.0.1/"],
  ...["file:///etc/passwd", "ftp://127.0.0.1/", "data:text/plain,a", "javascript:alert(1)", "http://"],
];

/** JSON that no field expects, written as text, because no JavaScript value is serialized to some of it. */
const HOSTILE: readonly string[] = [
  ...[
    "null",
    "true",
    "0",
    "-1",
    "-0",
    "1.5",
    "1e400",
    "-1e400",
    "1e-400",
    "9007199254740993",
    "-9223372036854775809",
    "[]",
    "{}",
    "[null]",
  ],
  ...[
    '""',
    '" "',
    String.raw`"\ud800"`,
    String.raw`"\udfff\ud800"`,
    String.raw`"\u0000"`,
    String.raw`"a\u0000b"`,
    String.raw`"\u202egnp.exe"`,
  ],
  ...[
    '"../../etc/passwd"',
    '"..\\\\..\\\\a"',
    `"' OR 1=1 --"`,
    '"$(id)"',
    '"%00"',
    '"%"',
    '"<script>alert(1)</script>"',
    '"null"',
    '"-1"',
    '"1e9"',
  ],
  ...[
    '{"__proto__":{"isAdmin":true}}',
    '{"constructor":{"prototype":{}}}',
    '{"length":1e9}',
    '{"toString":1,"valueOf":1,"toJSON":1}',
    "[[[[1]]]]",
  ],
  ...[
    "[".repeat(5000) + "]".repeat(5000),
    `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`,
    stringify("a".repeat(200_000)),
    stringify("é".repeat(70_000)),
  ],
  stringify(Array.from({ length: 5000 }, () => 1)),
  stringify(Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`field${n}`, n]))),
  ...PRIVATE_URLS.map((url) => stringify(url)),
];

const hostile = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.json({ maxDepth: 4 }),
  fc.string({ unit: "binary", maxLength: 200 }).map((text) => stringify(text)),
);

/** Makes JSON texts of values that a schema describes, most of which it allows. */
function described(schema: Schema): fc.Arbitrary<string> {
  const { anyOf, oneOf, enum: choices, examples, type, format, items, properties } = schema;
  const usual = Array.isArray(examples) ? [{ weight: 3, arbitrary: fc.constantFrom(...examples).map((value) => stringify(value)) }] : [];
  if ("const" in schema) return fc.constant(stringify(schema.const));
  if (Array.isArray(choices)) return fc.constantFrom(...choices).map((value) => stringify(value));
  for (const schemas of [anyOf, oneOf])
    if (Array.isArray(schemas)) return fc.oneof(...usual, ...schemas.map((one: Schema) => described(one)));
  const { minLength = 0, maxLength = 60, minimum = -10, maximum = 1000 } = schema as Record<string, number>;
  switch ([type].flat()[0]) {
    case "boolean":
      return fc.boolean().map(String);
    case "integer":
    case "number":
      return fc.oneof(...usual, fc.integer({ min: Math.ceil(minimum), max: Math.min(maximum, 2 ** 53) }).map(String));
    case "array":
      return fc.array(described((items ?? {}) as Schema), { maxLength: 3 }).map((values) => `[${values.join()}]`);
    case "object":
      return toObject((properties ?? {}) as Readonly<Record<string, Schema>>);
    case "string":
      if (format === "uuid") return fc.uuid({ version: 7 }).map((id) => stringify(id));
      return fc.oneof(
        ...usual,
        fc.string({ minLength, maxLength: Math.max(minLength, Math.min(maxLength, 60)) }).map((text) => stringify(text)),
      );
    default:
      return fc.oneof(...usual, fc.constant("null"));
  }
}

type Fields = Readonly<Record<string, Schema>>;

/** Makes JSON texts of objects with a few of the fields that a schema describes. */
function toObject(properties: Fields): fc.Arbitrary<string> {
  const entries = Object.entries(properties);
  return fc
    .subarray(entries, { maxLength: Math.min(4, entries.length) })
    .chain((chosen) => fc.tuple(...chosen.map(([name, schema]) => toField(name, described(schema)))).map((fields) => `{${fields.join()}}`));
}

const toField = (name: string, value: fc.Arbitrary<string>): fc.Arbitrary<string> => value.map((text) => `${stringify(name)}:${text}`);

/** Values of fields that exist, such as IDs. */
export type KnownValues = Readonly<Record<string, readonly string[]>>;

/**
 * Makes JSON texts of a tool's arguments: the required fields and a few others, with existing or described values; often another field that is
 * hostile, unknown, or sent twice; sometimes no object.
 */
export function toArguments({ properties = {}, required = [] }: Schema, known: KnownValues = {}): fc.Arbitrary<string> {
  const entries = Object.entries(properties as Fields);
  const isRequired = ([name]: readonly [string, Schema]): boolean => (required as readonly string[]).includes(name);
  const toValue = (name: string, schema: Schema): fc.Arbitrary<string> => {
    const values = (known[name] ?? []).map((value) => stringify(value));
    return values.length === 0 ? described(schema) : fc.constantFrom(...values);
  };
  const names = [...entries.map(([name]) => name), ...UNKNOWN_NAMES];
  const spoilt = fc.constantFrom(...names).chain((name) => toField(name, hostile));
  const optional = entries.filter((entry) => !isRequired(entry));
  const object = fc
    .tuple(fc.subarray(optional, { maxLength: Math.min(4, optional.length) }), fc.integer({ min: 0, max: 9 }))
    .chain(([chosen, dropped]) => {
      const needed = entries.filter(isRequired).filter((_, index) => index !== dropped);
      const fields = [...needed, ...chosen].map(([name, schema]) => toField(name, toValue(name, schema)));
      return fc
        .tuple(fc.option(spoilt, { freq: 1, nil: undefined }), ...fields)
        .map(([spoiled, ...sent]) => `{${[...sent, spoiled].filter((field) => field !== undefined).join()}}`);
    });
  return fc.oneof({ weight: 15, arbitrary: object }, { weight: 1, arbitrary: hostile });
}
