import { type OperationName, operations } from "./index.ts";
import { toLinks } from "./openapi-links.ts";
import { describeBodyLimit, ERROR_SCHEMA, HEADERS, toResponses } from "./openapi-responses.ts";
import { inputSchema, type Json, shareSchemas, toTextSchema, withoutNull } from "./openapi-schemas.ts";
import { describeScope, SECURITY_SCHEMES, toSecurity } from "./openapi-security.ts";
import { IDEMPOTENCY_KEY, inputSource, isWrite, type OperationDefinition, pathParameters } from "./operation.ts";

const API_VERSION = "1.0.0";

const DESCRIPTION = `Send a file, get a link; whoever has the link can download it.

Any write takes the header \`Idempotency-Key\` (${IDEMPOTENCY_KEY.minLength} to ${IDEMPOTENCY_KEY.maxLength} characters): sent again with the same key and body within a day, it answers what the
first one did, with \`idempotent: true\`, and does nothing twice.

A key has a scope, which is named beside each way to send it: \`files_read\` may look, \`files_write\` may also do everything about files, folders
and shares, and \`full\` also webhooks and keys.`;

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
    components: { securitySchemes: SECURITY_SCHEMES, parameters: PARAMETERS, headers: HEADERS, schemas },
  };
}

function toOperation(operationId: OperationName, definition: OperationDefinition): Json {
  const source = inputSource(definition);
  const { properties, required } = inputSchema(definition);
  const inPath = pathParameters(definition.path);
  const others = Object.keys(properties).filter((name) => !inPath.includes(name));
  const isQuery = source === "query";
  const description = [definition.description, describeScope(definition)].filter((sentence) => sentence !== undefined).join(" ");
  return {
    operationId,
    summary: definition.summary,
    ...(description !== "" && { description }),
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
      ...(isWrite(definition) ? [{ $ref: "#/components/parameters/IdempotencyKey" }] : []),
    ],
    ...(!isQuery && { requestBody: toRequestBody(source, definition, { properties, names: others, required }) }),
    responses: toResponses(definition, toLinks(operationId)),
  };
}

function toRequestBody(
  source: "json" | "multipart",
  definition: OperationDefinition,
  { properties, names, required }: { properties: Record<string, Json>; names: readonly string[]; required: readonly string[] },
): Json {
  const { needsOneOf, namedBy } = definition;
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
    ...(namedBy && { anyOf: namedBy.map((name) => ({ properties: { [name]: { type: "string", minLength: 1 } }, required: [name] })) }),
  };
  return {
    description: `At most ${describeBodyLimit(definition)}`,
    required: true,
    content: { [source === "json" ? "application/json" : "multipart/form-data"]: { schema } },
  };
}

const PARAMETERS = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description: "A name for this write: sent again with it, it is answered as the first time, and not done twice",
    schema: { type: "string", minLength: IDEMPOTENCY_KEY.minLength, maxLength: IDEMPOTENCY_KEY.maxLength },
  },
};
