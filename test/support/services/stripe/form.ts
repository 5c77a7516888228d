import { z } from "zod";
import { malformed, type StripeFault } from "./fault.ts";

/** A value of a form-encoded body whose names have brackets: `a[b][0]=c` is `{ a: { b: { 0: "c" } } }`. */
export type Form = string | { [name: string]: Form };

/** Parses a form-encoded body or query string. Throws a StripeFault if one name is used for a value and for a group. */
export function parseForm(text: string): Record<string, Form> {
  const form: Record<string, Form> = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) insert(form, name, value);
  return form;
}

function insert(form: Record<string, Form>, name: string, value: string): void {
  const [first = "", ...rest] = name.replaceAll("]", "").split("[");
  let group = form;
  let key = first;
  for (const next of rest) {
    const inner: Form = group[key] ?? Object.create(null);
    group[key] = inner;
    if (typeof inner === "string") throw malformed(`Invalid request: ${name} is given both as a value and as a group.`, { param: first });
    group = inner;
    key = next === "" ? String(Object.keys(inner).length) : next;
  }
  if (typeof group[key] === "object")
    throw malformed(`Invalid request: ${name} is given both as a value and as a group.`, { param: first });
  group[key] = value;
}

/** The problem of one value. */
class Refusal extends Error {
  override readonly name = "Refusal";
  constructor(
    readonly say: (param: string) => string,
    readonly code?: string,
  ) {
    super("refused");
  }
}

/** Makes the schema of a value that `read` converts, or refuses with a Refusal. */
const scalar = <T>(read: (text: string) => T) =>
  z.string().transform((text, context): T => {
    try {
      if (text === "") throw new Refusal(sayEmpty, "parameter_invalid_empty");
      return read(text);
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      context.addIssue({ code: "custom", message: refusal.message, params: { refusal } });
      return z.NEVER;
    }
  });

const sayEmpty = (param: string): string =>
  `You passed an empty string for '${param}'. We assume empty values are an attempt to unset a parameter; however '${param}' cannot be unset. ` +
  `You should remove '${param}' from your request or supply a non-empty value.`;

export const text = (maxLength = 5000) =>
  scalar((value) => {
    if (value.length > maxLength) throw new Refusal(() => `Invalid string: ${shorten(value)}; must be at most ${maxLength} characters`);
    return value;
  });

export const integer = ({ min, max = 99_999_999_999 }: { readonly min: number; readonly max?: number }) =>
  scalar((value) => {
    const refuse = (message: string) => new Refusal(() => message, "parameter_invalid_integer");
    if (!/^-?\d{1,15}$/.test(value)) throw refuse(`Invalid integer: ${shorten(value)}`);
    if (Number(value) < min) throw refuse(`This value must be greater than or equal to ${min}.`);
    if (Number(value) > max) throw refuse(`This value must be less than or equal to ${max}.`);
    return Number(value);
  });

export const flag = () =>
  scalar((value) => {
    if (value !== "true" && value !== "false") throw new Refusal(() => `Invalid boolean: ${shorten(value)}`);
    return value === "true";
  });

export const oneOf = <const Name extends string>(...names: readonly Name[]) =>
  scalar((value): Name => {
    const known = names.find((name) => name === value);
    if (known === undefined) throw new Refusal((param) => `Invalid ${param}: must be one of ${names.join(", ")}`);
    return known;
  });

export const webUrl = () =>
  scalar((value) => {
    const isUrl = value.length <= 5000 && /^https?:\/\/[^/]/.test(value) && URL.canParse(value);
    if (!isUrl) throw new Refusal(() => "Not a valid URL", "url_invalid");
    return value;
  });

export const email = () =>
  scalar((value) => {
    const isAddress = /^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(value) && value.length <= 512;
    if (!isAddress) throw new Refusal(() => `Invalid email address: ${shorten(value)}`, "email_invalid");
    return value;
  });

/** Makes the schema of values in brackets with or without numbers. */
export const list = <Schema extends z.ZodType>(item: Schema) =>
  z.preprocess((value) => (typeof value === "object" && value !== null ? Object.values(value) : value), z.array(item));

/** Makes the schema of metadata with any names, at most 50, like Stripe. An empty value removes a name. */
export const metadata = () =>
  z.record(z.string(), z.string()).superRefine((values, context) => {
    const refuse = (message: string) => context.addIssue({ code: "custom", message, params: { refusal: new Refusal(() => message) } });
    if (Object.keys(values).length > 50) refuse("You can have up to 50 metadata keys.");
    for (const [name, value] of Object.entries(values)) {
      if (name.length > 40)
        refuse(`Metadata keys can have up to 40 characters, but you passed in a key that is ${name.length} characters.`);
      if (value.length > 500) {
        refuse(`Metadata values can have up to 500 characters, but you passed in a value that is ${value.length} characters.`);
      }
    }
  });

/** The parameters that every request may have. */
export const shared = { expand: list(text()).optional() };
/** The parameters that every request of a list may have. */
export const paged = { ...shared, limit: integer({ min: 1, max: 100 }).optional(), starting_after: text().optional() };

/** Checks a form. Throws a StripeFault with Stripe's message about the first problem. */
export function readParams<Schema extends z.ZodType>(schema: Schema, form: Record<string, Form>): z.output<Schema> {
  const result = schema.safeParse(form);
  if (!result.success) throw toFault(result.error.issues);
  return result.data;
}

function toFault(issues: readonly z.core.$ZodIssue[]): StripeFault {
  const unknown = issues.flatMap((issue) =>
    issue.code === "unrecognized_keys" ? issue.keys.map((key) => toParam([...issue.path, key])) : [],
  );
  if (unknown[0] !== undefined) {
    const noun = unknown.length === 1 ? "parameter" : "parameters";
    return malformed(`Received unknown ${noun}: ${unknown.join(", ")}`, { code: "parameter_unknown", param: unknown[0] });
  }
  const [issue] = issues;
  if (!issue) return malformed("Invalid request.");
  const param = toParam(issue.path);
  if (issue.code === "custom") {
    const refusal: unknown = issue.params?.refusal;
    if (refusal instanceof Refusal)
      return malformed(refusal.say(param), { ...(refusal.code !== undefined && { code: refusal.code }), param });
  }
  if (issue.input === undefined) return malformed(`Missing required param: ${param}.`, { code: "parameter_missing", param });
  const wanted =
    issue.code === "invalid_type" ? (issue.expected === "string" ? "string" : issue.expected === "array" ? "array" : "object") : "value";
  return malformed(`Invalid ${wanted}: ${shorten(JSON.stringify(issue.input))}`, { param });
}

const toParam = ([first = "", ...rest]: readonly PropertyKey[]): string => String(first) + rest.map((name) => `[${String(name)}]`).join("");

const shorten = (value: string): string => (value.length > 100 ? `${value.slice(0, 100)}…` : value);
