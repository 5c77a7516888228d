import type { z } from "zod";
import { describeConsequential, describeConsequentialHeader } from "../contract/consequential-fields.ts";
import { isWrite, type OperationDefinition } from "../contract/operation.ts";
import { AppError, invalidField } from "../errors.ts";
import { describeIssue } from "./describe-issue.ts";

/** Parses the fields of a call by the definition of its operation. Throws VALIDATION_FAILED with all issues, and FORBIDDEN for a refused field. */
export function parseOperationInput(definition: OperationDefinition, fields: Readonly<Record<string, unknown>>): unknown {
  const counted = withoutIgnored(definition, fields);
  const input = parseInput(definition.input, counted);
  if (isWrite(definition)) checkUnknown(knownFields(definition, counted), counted);
  checkOneOf(definition, input);
  checkRefused(definition, counted);
  return input;
}

/** Parses fields by a schema. Throws VALIDATION_FAILED with all issues. */
export function parseInput<T extends z.ZodType>(schema: T, fields: unknown): z.infer<T> {
  const parsed = schema.safeParse(fields, { error: describeIssue });
  if (parsed.success) return parsed.data;
  // Keeps the last issue of each field: a number beyond the exact integers has a general issue before the field's own.
  const issues = [...new Map(parsed.error.issues.map(({ path, message }) => [path.join("."), { path: path.join("."), message }])).values()];
  const [first] = issues;
  throw new AppError("VALIDATION_FAILED", `The request is not valid. ${first ? `${first.path || "body"}: ${first.message}.` : ""}`, {
    fields: { issues },
  });
}

/** Throws VALIDATION_FAILED with all unknown fields whose loss would change money, rights or lifetime (envelopes and errors, "Unknown fields"). */
export function checkUnknown(known: readonly string[], fields: Readonly<Record<string, unknown>>): void {
  refuse(Object.entries(fields), (name, value) => describeConsequential(name, value, known));
}

/** Checks the headers of an upload in the way that `checkUnknown` checks fields. `known` lists the fields in query or form. */
export function checkUnknownHeaders(known: readonly string[], headers: Headers): void {
  refuse([...headers], (name, value) => describeConsequentialHeader(name, value, known));
}

const MAX_ISSUES = 20;
const MAX_NAME_CHARACTERS = 100;

function refuse<Value>(fields: readonly (readonly [string, Value])[], describe: (name: string, value: Value) => string | undefined): void {
  const issues = fields.flatMap(([name, value]) => {
    const message = describe(name, value);
    return message === undefined ? [] : [{ path: name.slice(0, MAX_NAME_CHARACTERS), message }];
  });
  const [first] = issues;
  if (first === undefined) return;
  throw new AppError("VALIDATION_FAILED", `The request is not valid. ${first.path}: ${first.message}`, {
    fields: { issues: issues.slice(0, MAX_ISSUES) },
  });
}

/** Returns the fields that an operation uses, ignores knowingly, or refuses with its own message. */
const knownFields = (
  { input, ignoresFields = [], refuses }: OperationDefinition,
  fields: Readonly<Record<string, unknown>>,
): readonly string[] => [
  ...Object.keys(input.shape),
  ...ignoresFields,
  ...(refuses !== undefined && fields[refuses.by] != null ? refuses.fields : []),
];

function withoutIgnored({ ignores }: OperationDefinition, fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (ignores === undefined || fields[ignores.by] === undefined) return fields;
  const ignored: readonly string[] = ignores.fields;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !ignored.includes(name)));
}

function checkRefused({ refuses }: OperationDefinition, fields: Readonly<Record<string, unknown>>): void {
  if (refuses === undefined || fields[refuses.by] == null) return;
  const refused = refuses.fields.find((name) => fields[name] != null);
  if (refused !== undefined) throw new AppError("FORBIDDEN", refuses.message(refused));
}

function checkOneOf({ needsOneOf, namedBy }: OperationDefinition, input: Readonly<Record<string, unknown>>): void {
  const isMissing = needsOneOf?.every((name) => input[name] === undefined) || namedBy?.every((name) => !input[name]);
  if (!isMissing) return;
  throw invalidField("", `Send at least one of ${(namedBy ?? needsOneOf ?? []).join(", ")}.`);
}
