import type { z } from "zod";
import { maxBodyBytes } from "../../../contract/body-size.ts";
import { responseSchema } from "../../../contract/envelope.ts";
import { exampleOf, type Json, toJsonSchema } from "../../../contract/json-schema.ts";
import { acceptsIdempotencyKey, inputSource, isWrite, type OperationDefinition, requiresKey } from "../../../contract/operation.ts";

/** Returns the responses of an operation, with their headers. `links` belong to the successful response. */
export function toResponses(definition: OperationDefinition, links: Json): Json {
  const failures = allErrors(definition);
  return {
    ...toSuccess(definition, links),
    ...Object.fromEntries(
      Object.entries(failures).map(([status, description]) => [status, toFailure(definition, Number(status), description)]),
    ),
    default: toFailure(definition, 0, "Another error; see `errorCode`"),
  };
}

/** Returns an operation's own errors and the common errors, with both descriptions if they share a status. */
function allErrors(definition: OperationDefinition): Record<number, string> {
  const common = commonErrors(definition);
  const own = Object.entries(definition.errors).map(([status, description]) => {
    const shared = SHARED.has(Number(status)) ? common[Number(status)] : undefined;
    return [status, shared === undefined ? description : `${description}. Or: ${shared}`];
  });
  return { ...common, ...(Object.fromEntries(own) as Record<number, string>) };
}

/** The statuses whose descriptions are combined. */
const SHARED: ReadonlySet<number> = new Set([401, 403, 409, 413, 422, 429, 503]);

/** Returns the errors that an operation shares with many others. */
function commonErrors(definition: OperationDefinition): Record<number, string> {
  const isOpen = !requiresKey(definition);
  const errors: Record<number, string> = {
    400: "The request is not valid",
    401: isOpen ? "The API key is not valid" : "The API key is missing or not valid",
    405: "The URL does not accept this method",
  };
  if (isCounted(definition)) errors[429] = "Too many requests";
  if (!isOpen || isWrite(definition)) errors[403] = "The key's scope is not sufficient, or the request comes from a page of another site";
  if (acceptsIdempotencyKey(definition)) {
    errors[409] = "The first request with this Idempotency-Key is still running";
    errors[422] = "This Idempotency-Key was used for another request";
  }
  if (inputSource(definition) !== "query") {
    errors[413] = `The body is larger than ${describeBodyLimit(definition)}`;
    errors[408] = "The body arrives too slowly";
    errors[415] = "The body's type is not supported";
    errors[503] = "The server has no memory for the body; see Retry-After";
  }
  return errors;
}

function toSuccess(definition: OperationDefinition, links: Json): Json {
  if (definition.events) {
    const schema = toEventSchema(definition.events.data);
    return {
      200: { description: "Events", ...rateHeadersOf(definition), content: { "text/event-stream": { schema } } },
      204: { description: "No more events" },
    };
  }
  // A status function without parameters does not depend on the output.
  const status = definition.status?.length === 0 ? definition.status(undefined) : 200;
  const schema = toJsonSchema(responseSchema(definition), "output");
  const content = { "application/json": { schema, example: exampleOf(schema) } };
  return { [status]: { description: "Done", ...rateHeadersOf(definition), content, ...links } };
}

/** Returns the schema of one event, because OpenAPI 3.1, unlike 3.2, cannot describe a stream of events. */
function toEventSchema(data: z.ZodType): Json {
  const json = { type: "string", contentMediaType: "application/json", description: "JSON", contentSchema: toJsonSchema(data, "output") };
  return {
    type: "object",
    properties: { id: { type: "string", description: "ID of the event, for Last-Event-ID" }, data: json },
    required: ["data"],
  };
}

function toFailure(definition: OperationDefinition, status: number, description: string): Json {
  const isSameShape = (definition.status?.length ?? 0) > 0 && status === 503;
  const schema = isSameShape ? toJsonSchema(responseSchema(definition), "output") : { $ref: "#/components/schemas/Error" };
  const headers = [
    ...(status === 429 || (status === 503 && !isSameShape) || (status === 409 && acceptsIdempotencyKey(definition)) ? ["Retry-After"] : []),
    ...(status === 429 ? RATE_HEADERS : []),
  ];
  return { description, ...(headers.length > 0 && { headers: toHeaders(headers) }), content: { "application/json": { schema } } };
}

const toHeaders = (names: readonly string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Returns whether an operation counts in the general rate and so has rate headers. */
const isCounted = ({ requests }: OperationDefinition): boolean => requests !== 0;

const rateHeadersOf = (definition: OperationDefinition): Json => (isCounted(definition) ? { headers: toHeaders(RATE_HEADERS) } : {});

const KiB = 1024;

/** Returns the maximum size of an operation's body, in words. */
export function describeBodyLimit(definition: OperationDefinition): string {
  const kilobytes = maxBodyBytes(definition) / KiB;
  const [megabytes, rest] = [Math.floor(kilobytes / KiB), kilobytes % KiB];
  if (megabytes === 0) return `${kilobytes} KB`;
  return rest > 0 ? `${megabytes} MB and ${rest} KB` : `${megabytes} MB`;
}

export const HEADERS = {
  "Retry-After": { description: "Seconds to wait", schema: { type: "string" } },
  "RateLimit-Policy": { description: "The general request rate (IETF draft)", schema: { type: "string" } },
  RateLimit: { description: "What is left of the request rate (IETF draft)", schema: { type: "string" } },
  "X-RateLimit-Limit": { description: "Requests allowed in a window", schema: { type: "string" } },
  "X-RateLimit-Remaining": { description: "Requests left in this window", schema: { type: "string" } },
  "X-RateLimit-Reset": { description: "When the next window starts", schema: { type: "string" } },
};
const RATE_HEADERS = Object.keys(HEADERS).filter((name) => name !== "Retry-After");
