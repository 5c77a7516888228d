import { errorBody } from "./error-fields.ts";
import { type OperationName, operations } from "./index.ts";
import { BYTES_TAG, byteRoutes, type DocumentAddresses } from "./openapi-bytes.ts";
import { exampleOf } from "./openapi-examples.ts";
import { toLinks } from "./openapi-links.ts";
import { describeBodyLimit, HEADERS, toResponses } from "./openapi-responses.ts";
import { inputSchema, type Json, shareSchemas, toJsonSchema, toTextSchema, withoutNull } from "./openapi-schemas.ts";
import { describeScope, SECURITY_SCHEMES, toSecurity } from "./openapi-security.ts";
import { IDEMPOTENCY_KEY, inputSource, isWrite, type OperationDefinition, pathParameters } from "./operation.ts";

const API_VERSION = "1.0.0";

const DESCRIPTION = `Send a file, get a link; whoever has the link can download it.

Any write takes the header \`Idempotency-Key\` (${IDEMPOTENCY_KEY.minLength} to ${IDEMPOTENCY_KEY.maxLength} characters): sent again with the same key and body within a day, it answers what the
first one did, with \`idempotent: true\`, and does nothing twice.

A key has a scope, which is named beside each way to send it: \`files_read\` may look, \`files_write\` may also do everything about files, folders
and shares, and \`full\` also webhooks and keys.`;

/** The OpenAPI 3.1 document of the whole contract, generated from the schemas that validate, and of the addresses that take or give bytes. */
export function toOpenApi(addresses: DocumentAddresses): Json {
  const paths: Record<string, Json> = {};
  for (const [name, definition] of operations) {
    paths[definition.path] = { ...paths[definition.path], [definition.method.toLowerCase()]: toOperation(name, definition) };
  }
  for (const [path, item] of Object.entries(byteRoutes(addresses))) paths[path] = { ...paths[path], ...item };
  const schemas: Json = { Error: { ...toJsonSchema(errorBody, "output"), description: "A refusal" } };
  return {
    openapi: "3.1.0",
    info: {
      title: "filehost",
      version: API_VERSION,
      description: DESCRIPTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: addresses.baseUrl }],
    tags: [...new Set([...operations.map(([, definition]) => definition.tag), BYTES_TAG])].map((name) => ({ name })),
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
      ...inPath.map((name) => ({
        name,
        in: "path",
        required: true,
        description: properties[name]?.description,
        schema: properties[name],
      })),
      ...(isQuery
        ? others.map((name) => ({
            name,
            in: "query",
            required: required.includes(name),
            description: properties[name]?.description,
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
    required: needed.length > 0 || needsOneOf !== undefined || namedBy !== undefined,
    content:
      source === "json"
        ? { "application/json": { schema, example: toExample(definition, { properties, names, needed }) } }
        : { "multipart/form-data": { schema } },
  };
}

/** The good body that an operation names, or one of the fields that have to be sent. */
function toExample(
  { example, needsOneOf, namedBy }: OperationDefinition,
  { properties, names, needed }: { properties: Record<string, Json>; names: readonly string[]; needed: readonly string[] },
): Json {
  if (example !== undefined) return Object.fromEntries(Object.entries(example).filter(([name]) => names.includes(name)));
  const sent = [...needed, ...(namedBy ?? []).slice(0, 1), ...(needsOneOf ?? []).slice(0, 1)];
  return Object.fromEntries(sent.map((name) => [name, exampleOf(properties[name] ?? {})]));
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
