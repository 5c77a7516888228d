import type { z } from "zod";
import { exampleOf } from "./openapi-examples.ts";
import { type Json, toJsonSchema } from "./openapi-schemas.ts";
import { inputSource, isWrite, maxBodyBytes, type OperationDefinition, requiresKey } from "./operation.ts";

/** What an operation answers, good and bad, with the headers that it has then; `links` lead on from a good answer. */
export function toResponses(definition: OperationDefinition, links: Json): Json {
  const failures = allErrors(definition);
  return {
    ...toSuccess(definition, links),
    ...Object.fromEntries(
      Object.entries(failures).map(([status, description]) => [status, toFailure(definition, Number(status), description)]),
    ),
    default: toFailure(definition, 0, "Something else is wrong; `errorCode` says what"),
  };
}

/** What an operation says of its own refusals, beside what many operations can answer: both, where they share a status. */
function allErrors(definition: OperationDefinition): Record<number, string> {
  const common = commonErrors(definition);
  const own = Object.entries(definition.errors).map(([status, description]) => {
    const shared = SHARED.has(Number(status)) ? common[Number(status)] : undefined;
    return [status, shared === undefined ? description : `${description}. Or: ${shared}`];
  });
  return { ...common, ...(Object.fromEntries(own) as Record<number, string>) };
}

/** The statuses that an operation's own refusals share with something else. */
const SHARED: ReadonlySet<number> = new Set([401, 403, 409, 413, 422, 429, 503]);

/** What many operations can answer beside what they say themselves. */
function commonErrors(definition: OperationDefinition): Record<number, string> {
  const isOpen = !requiresKey(definition);
  const errors: Record<number, string> = {
    400: "The request is not valid",
    401: isOpen ? "The API key is not valid" : "The API key is missing or not valid",
    405: "The address does not take this method",
  };
  if (isCounted(definition)) errors[429] = "Too many requests";
  if (!isOpen || isWrite(definition)) errors[403] = "The key's scope is not enough, or a page of another site asks";
  if (isWrite(definition)) {
    errors[409] = "The first request with this Idempotency-Key still runs";
    errors[422] = "This Idempotency-Key was sent with another request";
  }
  if (inputSource(definition) !== "query") {
    errors[413] = `The body is larger than ${describeBodyLimit(definition)}`;
    errors[408] = "The body comes too slowly";
    errors[415] = "The body is of another type";
    errors[503] = "The server has no memory for the body; see Retry-After";
  }
  return errors;
}

function toSuccess(definition: OperationDefinition, links: Json): Json {
  if (definition.events) {
    const schema = toEventSchema(definition.events.data);
    return {
      200: { description: "Events", ...rateHeadersOf(definition), content: { "text/event-stream": { schema } } },
      204: { description: "Nothing is to come" },
    };
  }
  // One that does not look at the output is the same for all.
  const status = definition.status?.length === 0 ? definition.status(undefined) : 200;
  const schema = toJsonSchema(definition.output, "output");
  const content = { "application/json": { schema, example: exampleOf(schema) } };
  return { [status]: { description: "Done", ...rateHeadersOf(definition), content, ...links } };
}

/** Before OpenAPI 3.2, which has a word for it, the schema of an event stream is that of one event. */
function toEventSchema(data: z.ZodType): Json {
  const json = { type: "string", contentMediaType: "application/json", description: "JSON", contentSchema: toJsonSchema(data, "output") };
  return {
    type: "object",
    properties: { id: { type: "string", description: "Names the event, for Last-Event-ID" }, data: json },
    required: ["data"],
  };
}

function toFailure(definition: OperationDefinition, status: number, description: string): Json {
  const isSameShape = (definition.status?.length ?? 0) > 0 && status === 503;
  const schema = isSameShape ? toJsonSchema(definition.output, "output") : { $ref: "#/components/schemas/Error" };
  const headers = [
    ...(status === 429 || (status === 503 && !isSameShape) || (status === 409 && isWrite(definition)) ? ["Retry-After"] : []),
    ...(status === 429 ? RATE_HEADERS : []),
  ];
  return { description, ...(headers.length > 0 && { headers: toHeaders(headers) }), content: { "application/json": { schema } } };
}

const toHeaders = (names: readonly string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Health and the like are not counted, and say nothing of a rate. */
const isCounted = ({ requests }: OperationDefinition): boolean => requests !== 0;

const rateHeadersOf = (definition: OperationDefinition): Json => (isCounted(definition) ? { headers: toHeaders(RATE_HEADERS) } : {});

const KiB = 1024;

/** Most that the body of an operation may have, in words. */
export function describeBodyLimit(definition: OperationDefinition): string {
  const kilobytes = maxBodyBytes(definition) / KiB;
  if (inputSource(definition) === "multipart") return `${Math.floor(kilobytes / KiB)} MB and ${kilobytes % KiB} KB`;
  return kilobytes >= KiB ? `${kilobytes / KiB} MB` : `${kilobytes} KB`;
}

export const HEADERS = {
  "Retry-After": { description: "Seconds to wait", schema: { type: "string" } },
  "RateLimit-Policy": { description: "The general request rate (IETF draft)", schema: { type: "string" } },
  RateLimit: { description: "What is left of it (IETF draft)", schema: { type: "string" } },
  "X-RateLimit-Limit": { description: "Requests a window", schema: { type: "string" } },
  "X-RateLimit-Remaining": { description: "Requests left in this window", schema: { type: "string" } },
  "X-RateLimit-Reset": { description: "When the next window begins", schema: { type: "string" } },
};
const RATE_HEADERS = Object.keys(HEADERS).filter((name) => name !== "Retry-After");
