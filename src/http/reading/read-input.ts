import { maxBodyBytes } from "../../contract/body-size.ts";
import { inputSource, type OperationDefinition, pathParameters } from "../../contract/operation.ts";
import { DIRECT_UPLOAD } from "../../contract/scalars.ts";
import { AppError, invalidField } from "../../errors.ts";
import { checkUnknown, checkUnknownHeaders, parseOperationInput } from "../../service/parse-input.ts";
import { tooLargeForDirect } from "../../service/uploads/too-large-for-direct.ts";
import type { Caller } from "../callers/rate-limit-keys.ts";
import type { HttpContext } from "../routing/env.ts";
import { isForm, notForm, readFormBytes } from "./form.ts";
import { readFileStream } from "./form-files.ts";
import { isEmpty, type ReadBodyOptions, readBody } from "./read-body.ts";
import { readApiKey } from "./request-headers.ts";
import { setField } from "./sent-fields.ts";

/**
 * Reads and validates an operation's input from path, query and body. Throws VALIDATION_FAILED, UNSUPPORTED_MEDIA_TYPE and the errors of
 * `readBody`.
 */
export async function readInput(c: HttpContext, caller: Caller, definition: OperationDefinition): Promise<unknown> {
  const path = Object.fromEntries(pathParameters(definition.path).map((name) => [name, c.req.param(name)]));
  const fields: Record<string, unknown> = { ...(await readFields(c, caller, definition)), ...path };
  const { tokenInHeader } = definition;
  if (tokenInHeader && fields[tokenInHeader.field] === undefined) {
    const sent = readApiKey(c);
    if (sent?.startsWith(tokenInHeader.prefix)) fields[tokenInHeader.field] = sent;
  }
  return parseOperationInput(definition, fields);
}

/** Returns the query parameters by name, without empty ones. Throws VALIDATION_FAILED as `setField` does. */
export function queryFields(query: URLSearchParams): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [name, value] of query) if (value !== "") setField(fields, name, value);
  return fields;
}

/** Returns whether a URL has the query parameter `password`, however it is capitalized. */
export const hasPassword = ({ search, searchParams }: URL): boolean =>
  search !== "" && searchParams.keys().some((name) => name.toLowerCase() === "password");

/** Throws VALIDATION_FAILED for a query parameter `password`, on every route (sharing, "A password of your own"). */
export function checkNoPassword(url: URL): void {
  if (!hasPassword(url)) return;
  throw invalidField(
    "password",
    "A password does not belong in a URL, which is logged and kept in histories. Send it in the body or, with curl -T, as the header X-Password.",
  );
}

async function readFields(c: HttpContext, caller: Caller, definition: OperationDefinition): Promise<Record<string, unknown>> {
  const source = inputSource(definition);
  const query = queryFields(c.env.url.searchParams);
  if (source === "query") return query;
  // The operation does not read the query.
  checkUnknown([], query);
  const options = { caller, maxBytes: maxBodyBytes(definition) };
  if (source === "json") return await readJson(c, options);
  checkUnknownHeaders(Object.keys(definition.input.shape), c.req.raw.headers);
  return definition.streams ? await readFileStream(c, options, definition) : await readForm(c, options);
}

async function readJson(c: HttpContext, options: ReadBodyOptions): Promise<Record<string, unknown>> {
  const request = c.req.raw;
  const type = request.headers.get("content-type");
  // A request without a body cannot have a wrong type; the response lists the missing fields.
  if (type === null && isEmpty(request)) return {};
  if (type === null || !/^application\/(?:[\w.+-]+\+)?json\b/i.test(type)) {
    throw new AppError("UNSUPPORTED_MEDIA_TYPE", "Send JSON, with the header `Content-Type: application/json`.");
  }
  using body = await readBody(c, options);
  // Many clients send the type of a body that they omit.
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

const notJson = (): AppError => invalidField("", "The body is not valid. Send a JSON object.");

/** Reads a form. Its file stays in memory until the response is sent. */
async function readForm(c: HttpContext, options: ReadBodyOptions): Promise<Record<string, unknown>> {
  const request = c.req.raw;
  const type = request.headers.get("content-type") ?? "";
  if (type === "" && isEmpty(request)) return {};
  if (!isForm(type)) throw notForm();
  const body = await readBody(c, { ...options, tooLarge: tooLargeForDirect() });
  c.env.bufferedBody = body;
  const fields = await readFormBytes(body.bytes, type);
  for (const value of Object.values(fields)) {
    if (typeof value !== "string" && value.bytes.length > DIRECT_UPLOAD.maxFileBytes) throw tooLargeForDirect();
  }
  return fields;
}
