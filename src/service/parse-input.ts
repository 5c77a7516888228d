import type { z } from "zod";
import type { OperationDefinition } from "../contract/operation.ts";
import { AppError, invalidField } from "../errors.ts";
import { describeIssue } from "./describe-issue.ts";

/** Parses the fields of a call by the definition of its operation. Throws VALIDATION_FAILED with all issues, FORBIDDEN for a refused field. */
export function parseOperationInput(definition: OperationDefinition, fields: Readonly<Record<string, unknown>>): unknown {
  const counted = withoutIgnored(definition, fields);
  const input = parseInput(definition.input, counted);
  checkOneOf(definition, input);
  checkRefused(definition, counted);
  return input;
}

/** Parses fields by a schema. Throws VALIDATION_FAILED with all issues. */
export function parseInput<T extends z.ZodType>(schema: T, fields: unknown): z.infer<T> {
  const parsed = schema.safeParse(fields, { error: describeIssue });
  if (parsed.success) return parsed.data;
  // The last of a field: a number beyond the exact integers also has the issue of that bound before the one of the field's own.
  const issues = [...new Map(parsed.error.issues.map(({ path, message }) => [path.join("."), { path: path.join("."), message }])).values()];
  const [first] = issues;
  throw new AppError("VALIDATION_FAILED", `The request is not valid. ${first ? `${first.path || "body"}: ${first.message}.` : ""}`, {
    fields: { issues },
  });
}

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
