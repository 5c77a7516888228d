import { z } from "zod";
import { operations } from "./index.ts";
import { inputSource, type OperationDefinition, pathParameters } from "./operation.ts";

const API_VERSION = "1.0.0";

const DESCRIPTION = `Send a file, get a link; whoever has the link can download it.

Any write takes the header \`Idempotency-Key\` (8 to 200 characters): sent again with the same key and body within a day, it answers what the
first one did, with \`idempotent: true\`, and does nothing twice.`;

type Json = Record<string, unknown>;

/** The OpenAPI 3.1 document of the whole contract, generated from the schemas that validate. */
export function toOpenApi(baseUrl: string): Json {
  const paths: Record<string, Json> = {};
  for (const [name, definition] of operations) {
    paths[definition.path] = { ...paths[definition.path], [definition.method.toLowerCase()]: toOperation(name, definition) };
  }
  const schemas: Json = { Error: ERROR_SCHEMA };
  return {
    openapi: "3.1.0",
    info: {
      title: "filehost",
      version: API_VERSION,
      description: DESCRIPTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: baseUrl }],
    tags: [...new Set(operations.map(([, definition]) => definition.tag))].map((name) => ({ name })),
    paths: shareSchemas(paths, schemas),
    components: { securitySchemes: SECURITY_SCHEMES, headers: HEADERS, schemas },
  };
}

function toOperation(operationId: string, definition: OperationDefinition): Json {
  const source = inputSource(definition);
  const { properties, required } = inputSchema(definition);
  const inPath = pathParameters(definition.path);
  const others = Object.keys(properties).filter((name) => !inPath.includes(name));
  const isQuery = source === "query";
  return {
    operationId,
    summary: definition.summary,
    ...(definition.description && { description: definition.description }),
    tags: [definition.tag],
    security: toSecurity(definition),
    parameters: [
      ...inPath.map((name) => ({ name, in: "path", required: true, schema: properties[name] })),
      ...(isQuery
        ? others.map((name) => ({
            name,
            in: "query",
            required: required.includes(name),
            schema: toTextSchema(properties[name], required.includes(name)),
          }))
        : []),
    ],
    ...(!isQuery && { requestBody: toRequestBody(source, definition, { properties, names: others, required }) }),
    responses: toResponses(definition),
  };
}

/** A query parameter or a form's field that is sent empty counts as absent; one that is required is not. */
function toTextSchema(schema: Json = {}, isRequired: boolean): Json {
  const { description, ...rest } = schema;
  const takesEmpty = rest.type === "string" && !["minLength", "pattern", "format", "enum", "const"].some((name) => name in rest);
  if (isRequired || takesEmpty) return schema;
  const choices = Array.isArray(rest.anyOf) ? (rest.anyOf as Json[]) : [rest];
  return { ...(description !== undefined && { description }), anyOf: [...choices, { type: "string", maxLength: 0 }] };
}

const isWrite = ({ method }: OperationDefinition): boolean => method !== "GET";

function toRequestBody(
  source: "json" | "multipart",
  { needsOneOf }: OperationDefinition,
  { properties, names, required }: { properties: Record<string, Json>; names: readonly string[]; required: readonly string[] },
): Json {
  const needed = names.filter((name) => required.includes(name));
  const schema = {
    type: "object",
    properties: Object.fromEntries(
      names.map((name) => [
        name,
        source === "json" ? properties[name] : toTextSchema(withoutNull(properties[name]), required.includes(name)),
      ]),
    ),
    ...(needed.length > 0 && { required: needed }),
    ...(needsOneOf && { anyOf: needsOneOf.map((name) => ({ required: [name] })) }),
  };
  return { required: true, content: { [source === "json" ? "application/json" : "multipart/form-data"]: { schema } } };
}

/** A form has no null: what is not meant is left out. */
function withoutNull(schema: Json = {}): Json {
  if (!Array.isArray(schema.anyOf)) return schema;
  const { anyOf, ...rest } = schema;
  const choices = (anyOf as Json[]).filter(({ type }) => type !== "null");
  return choices.length === 1 ? { ...choices[0], ...rest } : { ...rest, anyOf: choices };
}

function toResponses(definition: OperationDefinition): Json {
  const failures = { ...commonErrors(definition), ...definition.errors };
  return {
    ...toSuccess(definition),
    ...Object.fromEntries(
      Object.entries(failures).map(([status, description]) => [status, toFailure(definition, Number(status), description)]),
    ),
    default: toFailure(definition, 0, "Something else is wrong; `errorCode` says what"),
  };
}

/** What many operations can answer beside what they say themselves. */
function commonErrors(definition: OperationDefinition): Record<number, string> {
  const isOpen = definition.access === "public" || definition.access === "optional";
  const errors: Record<number, string> = {
    400: "The request is not valid",
    401: isOpen ? "The API key is not valid" : "The API key is missing or not valid",
    405: "The address does not take this method",
    429: "Too many requests",
  };
  if (!isOpen || isWrite(definition)) errors[403] = "The key's scope is not enough, or a page of another site asks";
  if (isWrite(definition)) {
    errors[409] = "The first request with this Idempotency-Key still runs";
    errors[422] = "This Idempotency-Key was sent with another request";
  }
  if (inputSource(definition) !== "query") {
    errors[413] = "The body is too large";
    errors[415] = "The body is of another type";
  }
  return errors;
}

function toSuccess(definition: OperationDefinition): Json {
  if (definition.events) {
    const schema = { type: "string", description: "Server-sent events; the data of each is JSON" };
    return { 200: { description: "Events", content: { "text/event-stream": { schema } } }, 204: { description: "Nothing is to come" } };
  }
  // One that does not look at the output is the same for all.
  const status = definition.status?.length === 0 ? definition.status(undefined) : 200;
  const schema = toJsonSchema(definition.output, "output");
  return { [status]: { description: "Done", headers: toHeaders(RATE_HEADERS), content: { "application/json": { schema } } } };
}

function toFailure(definition: OperationDefinition, status: number, description: string): Json {
  const isSameShape = (definition.status?.length ?? 0) > 0 && status === 503;
  const schema = isSameShape ? toJsonSchema(definition.output, "output") : { $ref: "#/components/schemas/Error" };
  const headers = status === 429 ? toHeaders(["Retry-After", ...RATE_HEADERS]) : undefined;
  return { description, ...(headers && { headers }), content: { "application/json": { schema } } };
}

const toHeaders = (names: readonly string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

function toSecurity(definition: OperationDefinition): Json[] {
  if (definition.access === "public") return [];
  const keys = [{ bearer: [] }, { header: [] }, ...(definition.keyInQuery ? [{ query: [] }] : [])];
  return definition.access === "optional" ? [{}, ...keys] : keys;
}

function inputSchema(definition: OperationDefinition): { properties: Record<string, Json>; required: string[] } {
  const schema = toJsonSchema(definition.input, "input");
  const properties = (schema.properties ?? {}) as Record<string, Json>;
  const required = [...((schema.required ?? []) as string[])];
  for (const [name, property] of Object.entries(properties)) {
    // Needed, though the schema lets it be absent so that the operation can say what that means.
    if (property.isNeeded === true) required.push(name);
    delete property.isNeeded;
  }
  return { properties, required };
}

function toJsonSchema(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    reused: "inline",
    override: ({ jsonSchema }) => {
      if (jsonSchema.format === "binary") Object.assign(jsonSchema, { type: "string", format: "binary" });
      // The format says it, and the pattern that Zod makes of it is not one that every reader of the document understands.
      if (jsonSchema.format === "uuid" || jsonSchema.format === "date-time") delete jsonSchema.pattern;
      // Answers may have more members than these, in this version or a later one.
      if (io === "output") delete jsonSchema.additionalProperties;
      delete jsonSchema.id;
    },
  });
  return json;
}

/** The document with the schemas that have names moved to `schemas`, once each, and every reference to them following. */
function shareSchemas<T>(node: T, schemas: Json): T {
  if (Array.isArray(node)) return node.map((item: unknown) => shareSchemas(item, schemas)) as T;
  if (typeof node !== "object" || node === null) return node;
  const { $defs, ...members } = node as { $defs?: Json } & Json;
  for (const [name, schema] of Object.entries($defs ?? {})) schemas[name] ??= shareSchemas(schema, schemas);
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [
      name,
      name === "$ref" && typeof value === "string" ? value.replace(/^#\/\$defs\//, "#/components/schemas/") : shareSchemas(value, schemas),
    ]),
  ) as T;
}

const SECURITY_SCHEMES = {
  bearer: { type: "http", scheme: "bearer", description: "An API key, as `Authorization: Bearer bc_…`; the word Bearer may be left out" },
  header: { type: "apiKey", in: "header", name: "x-service-api-key" },
  query: { type: "apiKey", in: "query", name: "key", description: "Where a header cannot be sent" },
};

const HEADERS = {
  "Retry-After": { description: "Seconds to wait", schema: { type: "string" } },
  "RateLimit-Policy": { description: "The general request rate (IETF draft)", schema: { type: "string" } },
  RateLimit: { description: "What is left of it (IETF draft)", schema: { type: "string" } },
  "X-RateLimit-Limit": { description: "Requests a window", schema: { type: "string" } },
  "X-RateLimit-Remaining": { description: "Requests left in this window", schema: { type: "string" } },
  "X-RateLimit-Reset": { description: "When the next window begins", schema: { type: "string" } },
};
const RATE_HEADERS = Object.keys(HEADERS).filter((name) => name !== "Retry-After");

const ERROR_SCHEMA = {
  type: "object",
  properties: {
    success: { const: false },
    error: { type: "string", description: "A sentence that says what to do" },
    errorCode: { type: "string", description: "What happened, in UPPER_SNAKE" },
  },
  required: ["success", "error", "errorCode"],
};
