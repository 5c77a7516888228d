import type { z } from "zod";
import { readSentKey } from "../auth/authenticate.ts";
import { inputSource, maxBodyBytes, type OperationDefinition, pathParameters } from "../contract/operation.ts";
import { DIRECT_UPLOAD } from "../contract/scalars.ts";
import { AppError } from "../errors.ts";
import type { Caller } from "./callers.ts";
import { describeIssue } from "./describe-issue.ts";
import type { HttpContext } from "./env.ts";
import { readFormBytes } from "./form.ts";
import { isEmpty, type ReadBodyOptions, readBody } from "./read-body.ts";

/**
 * An operation's input from path, query and body, validated. Throws VALIDATION_FAILED, UNSUPPORTED_MEDIA_TYPE and what `readBody` throws for
 * a body, which counts as the caller's.
 */
export async function readInput(c: HttpContext, caller: Caller, definition: OperationDefinition): Promise<unknown> {
  const path = Object.fromEntries(pathParameters(definition.path).map((name) => [name, c.req.param(name)]));
  const fields: Record<string, unknown> = { ...(await readFields(c, caller, definition)), ...path };
  const { tokenInHeader } = definition;
  if (tokenInHeader && fields[tokenInHeader.field] === undefined) {
    const sent = readSentKey(c.req.raw.headers);
    if (sent?.startsWith(tokenInHeader.prefix)) fields[tokenInHeader.field] = sent;
  }
  if (definition.ignores && fields[definition.ignores.by] !== undefined) {
    for (const name of definition.ignores.fields) delete fields[name];
  }
  const input = parseInput(definition.input, fields);
  checkOneOf(definition, input);
  return input;
}

function checkOneOf({ needsOneOf, namedBy }: OperationDefinition, input: Record<string, unknown>): void {
  const isLacking = needsOneOf?.every((name) => input[name] === undefined) || namedBy?.every((name) => !input[name]);
  if (!isLacking) return;
  const message = `Send at least one of ${(namedBy ?? needsOneOf ?? []).join(", ")}.`;
  throw new AppError("VALIDATION_FAILED", message, { fields: { issues: [{ path: "", message }] } });
}

/** Holds fields against a schema. Throws VALIDATION_FAILED with every problem. */
export function parseInput<T extends z.ZodType>(schema: T, fields: unknown): z.infer<T> {
  const parsed = schema.safeParse(fields, { error: describeIssue });
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => ({ path: issue.path.join("."), message: issue.message }));
  const [first] = issues;
  throw new AppError("VALIDATION_FAILED", `The request is not valid. ${first ? `${first.path || "body"}: ${first.message}.` : ""}`, {
    fields: { issues },
  });
}

/** Query parameters by name; empty ones count as absent. */
export function queryFields(query: URLSearchParams): Record<string, string> {
  return Object.fromEntries([...query].filter(([, value]) => value !== ""));
}

async function readFields(c: HttpContext, caller: Caller, definition: OperationDefinition): Promise<Record<string, unknown>> {
  const source = inputSource(definition);
  if (source === "query") return queryFields(new URL(c.req.url).searchParams);
  const options = { caller, maxBytes: maxBodyBytes(definition) };
  return source === "multipart" ? await readForm(c, options) : await readJson(c, options);
}

async function readJson(c: HttpContext, options: ReadBodyOptions): Promise<Record<string, unknown>> {
  const request = c.req.raw;
  const type = request.headers.get("content-type");
  // No body at all has no type that could be wrong: the answer is which fields are missing.
  if (type === null && isEmpty(request)) return {};
  if (type === null || !/^application\/(?:[\w.+-]+\+)?json\b/i.test(type)) {
    throw new AppError("UNSUPPORTED_MEDIA_TYPE", "Send JSON, with the header `Content-Type: application/json`.");
  }
  using body = await readBody(c, options);
  // Many clients name the type of a body that they leave out.
  if (body.bytes.length === 0) return {};
  const value = parseJson(body.bytes);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw notJson();
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw notJson();
  }
}

function notJson(): AppError {
  const message = "The body is not a JSON object.";
  return new AppError("VALIDATION_FAILED", message, { fields: { issues: [{ path: "", message }] } });
}

const tooLargeForDirect = (): AppError =>
  new AppError(
    "FILE_TOO_LARGE_FOR_DIRECT",
    "This route takes files of up to 4 MB. Send larger ones in parts: begin with POST /files/multipart/init.",
    {
      fields: { maxBytes: DIRECT_UPLOAD.maxFileBytes, multipartInitPath: "/files/multipart/init" },
    },
  );

/** The form's file stays in memory until the request is answered. */
async function readForm(c: HttpContext, options: ReadBodyOptions): Promise<Record<string, unknown>> {
  const request = c.req.raw;
  const type = request.headers.get("content-type") ?? "";
  if (type === "" && isEmpty(request)) return {};
  if (!/^multipart\/form-data\b/i.test(type)) {
    throw new AppError("UNSUPPORTED_MEDIA_TYPE", "Send a form, with the file as its field `file` (Content-Type: multipart/form-data).");
  }
  const body = await readBody(c, { ...options, tooLarge: tooLargeForDirect() });
  c.env.held = body;
  const fields = await readFormBytes(body.bytes, type);
  for (const value of Object.values(fields)) {
    if (typeof value !== "string" && value.bytes.length > DIRECT_UPLOAD.maxFileBytes) throw tooLargeForDirect();
  }
  return fields;
}
