import { z } from "zod";
import { parseSize, SIZE_SYNTAX } from "../../lib/text/parse-size.ts";
import { describeIssue } from "../../service/describe-issue.ts";
import type { OptionSpec, ParsedOptions } from "../command.ts";
import { UsageError } from "../failure.ts";
import { timeAdvice, toIsoTime } from "./times.ts";

/** The fields of an operation's input, such as `contract.listShares.input.shape` or `publishFields`. */
type Fields = Readonly<Record<string, z.ZodType>>;

type Kebab<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${Lowercase<First>}${Rest extends Uncapitalize<Rest> ? "" : "-"}${Kebab<Rest>}`
  : Name;

type Value<Field extends z.ZodType> = NonNullable<z.output<Field>>;
type IsFlag<Field extends z.ZodType> = [Value<Field>] extends [boolean] ? true : false;

type FieldOption<Field extends z.ZodType> =
  IsFlag<Field> extends true
    ? OptionSpec & { readonly kind: "flag" }
    : OptionSpec & { readonly kind: "text" } & ([Value<Field>] extends [readonly unknown[]] ? { readonly many: true } : unknown);

type FieldOptions<F extends Fields, Name extends keyof F & string, Negatable extends boolean> = {
  readonly [N in Name as Kebab<N>]: FieldOption<F[N]>;
} & (Negatable extends true
  ? { readonly [N in Name as IsFlag<F[N]> extends true ? `no-${Kebab<N>}` : never]: OptionSpec & { readonly kind: "flag" } }
  : unknown);

interface ContractOptions<F extends Fields, Name extends keyof F & string, Negatable extends boolean> {
  /** The options for `defineCommand`: `expiresAt` becomes `--expires-at`. */
  readonly options: FieldOptions<F, Name, Negatable>;
  /**
   * Parses the given options as the contract does. An accepted empty text becomes null, which removes a value. Throws UsageError with every value
   * that the contract refuses.
   */
  read(command: string, given: ParsedOptions): { readonly [N in Name]?: z.output<F[N]> };
}

/**
 * Makes options for fields of an operation's input, with the help, choices and checks of the contract. A boolean becomes a flag; if `negatable`, also
 * `--no-…`, which sends false. A list becomes a repeatable option. An empty text of `removable` fields removes their value.
 */
export function fromContract<F extends Fields, const Name extends keyof F & string, const Negatable extends boolean = false>(
  fields: F,
  names: readonly Name[],
  {
    negatable = false as Negatable,
    removable = [],
  }: { readonly negatable?: Negatable; readonly removable?: readonly NoInfer<Name>[] } = {},
): ContractOptions<F, Name, Negatable> {
  const specOf = (name: Name): OptionSpec => ({ ...toOption(fields, name), ...(removable.includes(name) && { empty: "removes" }) });
  const specs = names.flatMap((name) => {
    const spec = specOf(name);
    const option = optionName(name);
    const isNegatable = negatable && spec.kind === "flag";
    return [
      [option, spec] as const,
      ...(isNegatable ? [[`no-${option}`, { kind: "flag", help: `The opposite of --${option}` }] as const] : []),
    ];
  });
  return {
    // The names and kinds follow from the fields, which the type of `Object.fromEntries` does not express.
    options: Object.fromEntries(specs) as unknown as FieldOptions<F, Name, Negatable>,
    read(command, given) {
      const wrong: string[] = [];
      const values: Partial<Record<Name, unknown>> = {};
      for (const name of names) {
        const option = optionName(name);
        if (given[option] === true && given[`no-${option}`] === true) wrong.push(`Pass --${option} or --no-${option}, not both.`);
        const sent = toSent(given, option);
        if (sent === undefined) continue;
        const { value } = specOf(name);
        const isTime = value === "TIME" && typeof sent === "string";
        const text = isTime ? (toIsoTime(sent, { nowMs: Date.now() }) ?? sent) : sent;
        const parsed = parseText(fields[name] as z.ZodType, text, { isSize: value === "SIZE" });
        if (parsed.success) values[name] = parsed.data;
        else wrong.push(`--${option}: ${describeWrong(specOf(name), parsed.error.issues.at(value === "SIZE" ? -1 : 0)?.message)}.`);
      }
      if (wrong.length > 0) throw new UsageError(wrong.join("\n"), `filehost ${command} --help`);
      return values as { readonly [N in Name]?: z.output<F[N]> };
    },
  };
}

/** Converts `expiresAt` to `expires-at`. */
const optionName = (field: string): string => field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function toOption(fields: Fields, name: string): OptionSpec {
  const field = fields[name] as z.ZodType;
  const { description = "", examples } = field.meta() ?? {};
  const example: unknown = Array.isArray(examples) ? examples[0] : undefined;
  const help = toHelp(description, fields);
  if (field.safeParse(true).success) return { kind: "flag", help };
  const choices = choicesOf(field);
  return {
    kind: "text",
    help,
    value: toPlaceholder(name, example),
    ...(choices && { choices }),
    ...(Array.isArray(example) && { many: true }),
  };
}

/** Makes the help of an option, in which other fields are named as options. */
const toHelp = (description: string, fields: Fields): string =>
  description
    .replace(/`?\b(\w*[a-z][A-Z]\w*)\b`?/g, (text, name: string) => (Object.hasOwn(fields, name) ? `--${optionName(name)}` : text))
    .replace(/\b([a-z]+) is true\b/g, (text, name: string) => (Object.hasOwn(fields, name) ? `--${optionName(name)} is given` : text))
    // The meaning of an absent field, in terms of JSON, is left out.
    .replace(/[;,]? *null(?: removes it|: [^;,.]*)/g, "")
    .replace(/^true: (.)(.*); false .*$/, (_text, first: string, rest: string) => first.toUpperCase() + rest)
    .replaceAll("`", "");

/** Chooses `SIZE`, `N`, `TIME`, `ID` or `TEXT`, by the name of the field and the example of the contract. */
function toPlaceholder(name: string, example: unknown): string {
  if (typeof example === "number") return /Bytes$/.test(name) ? "SIZE" : "N";
  if (/Ids?$/.test(name)) return "ID";
  return typeof example === "string" && /^\d{4}-\d\d-\d\dT/.test(example) ? "TIME" : "TEXT";
}

function choicesOf(field: z.ZodType): readonly string[] | undefined {
  let inner: unknown = field;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodNullable) inner = inner.unwrap();
  return inner instanceof z.ZodEnum ? inner.options.map(String) : undefined;
}

/** Returns the given value; undefined if the option was not given. */
function toSent(given: ParsedOptions, option: string): string | boolean | readonly string[] | null | undefined {
  if (given[`no-${option}`] === true) return false;
  const value = given[option];
  if (value === false || (Array.isArray(value) && value.length === 0)) return undefined;
  return value === "" ? null : value;
}

type Sent = string | boolean | readonly string[] | null;

/** Parses a text. On a command line, a number of JSON is a text, which may be a size. */
function parseText(field: z.ZodType, sent: Sent, { isSize }: { readonly isSize: boolean }) {
  const parsed = field.safeParse(sent, { error: describeIssue });
  if (parsed.success || typeof sent !== "string") return parsed;
  const number = /^-?\d+(?:\.\d+)?$/.test(sent) ? Number(sent) : parseSize(sent);
  if (number === undefined) return parsed;
  const asNumber = field.safeParse(number, { error: describeIssue });
  return asNumber.success || isSize ? asNumber : parsed;
}

function describeWrong({ value }: OptionSpec, message = "not valid"): string {
  if (value === "TIME") return timeAdvice();
  if (value !== "SIZE") return message;
  const bounds = /\b(?:at least|at most|from) .*$/.exec(message)?.[0];
  return `write a size such as ${SIZE_SYNTAX}${bounds === undefined ? "" : `, ${bounds}`}`;
}
