import { z } from "zod";
import { operations } from "./index.ts";
import { inputSource, type OperationDefinition, pathParameters } from "./operation.ts";

const API_VERSION = "1.0.0";

type Json = Record<string, unknown>;

/** The OpenAPI 3.1 document of the whole contract, generated from the schemas that validate. */
export function toOpenApi(baseUrl: string): Json {
  const paths: Record<string, Json> = {};
  for (const [name, definition] of operations) {
    paths[definition.path] = { ...paths[definition.path], [definition.method.toLowerCase()]: toOperation(name, definition) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "filehost", version: API_VERSION, description: "Send a file, get a link; whoever has the link can download it." },
    servers: [{ url: baseUrl }],
    tags: [...new Set(operations.map(([, definition]) => definition.tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "An API key, as `Authorization: Bearer bc_…`" },
        header: { type: "apiKey", in: "header", name: "x-service-api-key" },
      },
      schemas: { Error: ERROR_SCHEMA },
    },
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
      ...(isQuery ? others.map((name) => ({ name, in: "query", required: required.includes(name), schema: properties[name] })) : []),
    ],
    ...(!isQuery && { requestBody: toRequestBody(source, properties, others, required) }),
    responses: toResponses(definition),
  };
}

function toRequestBody(source: "json" | "multipart", properties: Json, names: readonly string[], required: readonly string[]): Json {
  const schema = {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, properties[name]])),
    required: names.filter((name) => required.includes(name)),
  };
  return { required: true, content: { [source === "json" ? "application/json" : "multipart/form-data"]: { schema } } };
}

function toResponses(definition: OperationDefinition): Json {
  const failures = {
    ...COMMON_ERRORS,
    ...(definition.access === "public" ? {} : { 401: "The API key is missing or not valid" }),
    ...definition.errors,
  };
  return {
    ...toSuccess(definition),
    ...Object.fromEntries(
      Object.entries(failures).map(([status, description]) => [status, toFailure(definition, Number(status), description)]),
    ),
  };
}

function toSuccess(definition: OperationDefinition): Json {
  if (definition.events) {
    const schema = { type: "string", description: "Server-sent events; the data of each is JSON" };
    return { 200: { description: "Events", content: { "text/event-stream": { schema } } }, 204: { description: "Nothing is to come" } };
  }
  // One that does not look at the output is the same for all.
  const status = definition.status?.length === 0 ? definition.status(undefined) : 200;
  return { [status]: { description: "Done", content: { "application/json": { schema: toJsonSchema(definition.output, "output") } } } };
}

function toFailure(definition: OperationDefinition, status: number, description: string): Json {
  const isSameShape = (definition.status?.length ?? 0) > 0 && status === 503;
  const schema = isSameShape ? toJsonSchema(definition.output, "output") : { $ref: "#/components/schemas/Error" };
  return { description, content: { "application/json": { schema } } };
}

function toSecurity(definition: OperationDefinition): Json[] {
  if (definition.access === "public") return [];
  const keys = [{ bearer: [] }, { header: [] }];
  return definition.access === "optional" ? [{}, ...keys] : keys;
}

function inputSchema(definition: OperationDefinition): { properties: Json; required: string[] } {
  const schema = toJsonSchema(definition.input, "input");
  return { properties: (schema.properties ?? {}) as Json, required: (schema.required ?? []) as string[] };
}

function toJsonSchema(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    reused: "inline",
    override: ({ jsonSchema }) => {
      if (jsonSchema.format === "binary") Object.assign(jsonSchema, { type: "string", format: "binary" });
      delete jsonSchema.id;
    },
  });
  return json;
}

const COMMON_ERRORS: Readonly<Record<number, string>> = { 400: "The request is not valid", 429: "Too many requests" };

const ERROR_SCHEMA = {
  type: "object",
  properties: {
    success: { const: false },
    error: { type: "string", description: "A sentence that says what to do" },
    errorCode: { type: "string", description: "What happened, in UPPER_SNAKE" },
  },
  required: ["success", "error", "errorCode"],
};
