import { errorBody } from "../../../contract/error-fields.ts";
import { exampleOf, hoistSchemas, inputSchema, type Json, toJsonSchema, toTextSchema, withoutNull } from "../../../contract/json-schema.ts";
import {
  acceptsIdempotencyKey,
  IDEMPOTENCY_KEY,
  inputSource,
  type OperationDefinition,
  pathParameters,
  requiredScope,
  requiresKey,
} from "../../../contract/operation.ts";
import { type OperationName, operationDefinitions } from "../../../service/contract.ts";
import { BYTES_TAG, byteRoutes, type DocumentUrls } from "./bytes.ts";
import { toLinks } from "./links.ts";
import { toPortable } from "./portable.ts";
import { describeBodyLimit, HEADERS, toResponses } from "./responses.ts";

const API_VERSION = "1.0.0";

const DESCRIPTION = `Send a file, get a link. Anyone with the link can download the file.

Every write except uploadBatch, deleteMe and those below \`/auth/\` accepts the header \`Idempotency-Key\` (${IDEMPOTENCY_KEY.minLength} to ${IDEMPOTENCY_KEY.maxLength} characters). A request that is repeated with the same key and body within
a day returns the first response with \`idempotent: true\`, and changes nothing.

A key has a scope: \`files_read\` reads, \`files_write\` also changes files, folders and shares, \`full\` also manages webhooks and keys, and \`admin\` also administers the server.`;

/** Returns the OpenAPI 3.1 document: the operations, from the schemas of their contracts, and the byte routes. */
export function toOpenApi(urls: DocumentUrls): Json {
  const paths: Record<string, Json> = {};
  for (const [name, definition] of operationDefinitions) {
    paths[definition.path] = { ...paths[definition.path], [definition.method.toLowerCase()]: toOperation(name, definition) };
  }
  for (const [path, item] of Object.entries(byteRoutes(urls))) paths[path] = { ...paths[path], ...item };
  const schemas: Json = { Error: { ...toJsonSchema(errorBody, "output"), description: "An error" } };
  return toPortable({
    openapi: "3.1.0",
    info: {
      title: "filehost",
      version: API_VERSION,
      description: DESCRIPTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: urls.apiUrl }],
    tags: [...new Set([...operationDefinitions.map(([, definition]) => definition.tag), BYTES_TAG])].map((name) => ({ name })),
    paths: hoistSchemas(paths, schemas),
    components: { securitySchemes: SECURITY_SCHEMES, parameters: PARAMETERS, headers: HEADERS, schemas },
  });
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
            schema: toTextSchema(withoutNull(properties[name]), required.includes(name)),
          }))
        : []),
      ...(acceptsIdempotencyKey(definition) ? [{ $ref: "#/components/parameters/IdempotencyKey" }] : []),
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
    ...(needsOneOf && oneOf(needsOneOf.map((name) => ({ required: [name] })))),
    ...(namedBy && oneOf(namedBy.map((name) => ({ properties: { [name]: { type: "string", minLength: 1 } }, required: [name] })))),
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

/**
 * Requires at least one of these schemas. It is written as "not none of them", because generators of clients treat an `anyOf` beside properties as
 * alternatives of types.
 */
const oneOf = (schemas: readonly Json[]): Json => ({ not: { allOf: schemas.map((schema) => ({ not: schema })) } });

/** Returns the example of an operation's body: the defined one, or one made of the required fields. */
export function toExample(
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
    description: "Makes the write repeatable: a request with the same key returns the first response and changes nothing",
    schema: { type: "string", minLength: IDEMPOTENCY_KEY.minLength, maxLength: IDEMPOTENCY_KEY.maxLength },
  },
};

/** The ways to send a key (accounts, "Authentication"). */
const SECURITY_SCHEMES = {
  bearer: { type: "http", scheme: "bearer", description: "An API key, as `Authorization: Bearer bc_…`" },
  authorization: { type: "apiKey", in: "header", name: "Authorization", description: "An API key, without the word Bearer" },
  header: { type: "apiKey", in: "header", name: "x-service-api-key", description: "An API key in its own header" },
  query: { type: "apiKey", in: "query", name: "key", description: "An API key, for clients that cannot send headers" },
};

/** Returns the ways to send a key to an operation, each with the required scope, and an empty one if the key is optional. */
function toSecurity(definition: OperationDefinition): Json[] {
  if (definition.access === "public") return [];
  const scope = requiredScope(definition);
  const scopes = scope === undefined ? [] : [scope];
  const ways = (Object.keys(SECURITY_SCHEMES) as (keyof typeof SECURITY_SCHEMES)[]).filter(
    (way) => way !== "query" || definition.keyInQuery,
  );
  const keys = ways.map((way) => ({ [way]: scopes }));
  return requiresKey(definition) ? keys : [{}, ...keys];
}

/** Describes the required scope, for tools that do not show it; undefined if there is none. */
function describeScope(definition: OperationDefinition): string | undefined {
  const scope = requiredScope(definition);
  if (scope === undefined) return undefined;
  if (scope === "admin") return "Requires an administrator's session, or a key with the scope `admin` (`filehost keys create --admin`).";
  return requiresKey(definition) ? `Requires a key with the scope \`${scope}\`.` : `A key is optional; it requires the scope \`${scope}\`.`;
}
