import type { z } from "zod";

type Issue = z.core.$ZodRawIssue;

/** Describes what a field must be (envelopes and errors, "Errors"); undefined where the schema's message is better. */
export function describeIssue(issue: Issue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is required" : `give ${TYPES[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `give ${issue.values.length > 1 ? "one of " : ""}${issue.values.map(String).join(", ")}`;
    case "invalid_format":
      return FORMATS[issue.format];
    case "too_small":
      return describeBound(issue.origin, Number(issue.minimum), "at least");
    case "too_big":
      return describeBound(issue.origin, Number(issue.maximum), "at most");
    case "invalid_key":
      return issue.issues[0]?.message;
    default:
      return undefined;
  }
}

const TYPES: Readonly<Record<string, string>> = {
  string: "a string",
  int: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "an array",
  record: "an object",
  object: "an object",
};

const FORMATS: Readonly<Record<string, string>> = {
  uuid: "give a UUID",
  url: "give a URL such as https://example.org/file",
};

function describeBound(origin: string, bound: number, how: "at least" | "at most"): string {
  const unit = origin === "string" ? " character" : origin === "array" ? " item" : "";
  return `give ${how} ${bound}${unit === "" || bound === 1 ? unit : `${unit}s`}`;
}
