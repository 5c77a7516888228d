import { responseSchema } from "../../src/contract/envelope.ts";
import { errorBody } from "../../src/contract/error-fields.ts";
import { exampleOf, inputSchema, type Json, toJsonSchema, withoutNull } from "../../src/contract/json-schema.ts";
import { inputSource, type OperationDefinition, pathParameters, requiredScope, requiresKey } from "../../src/contract/operation.ts";
import { ERRORS } from "../../src/errors.ts";
import { BYTES_TAG, byteRoutes, type DocumentUrls } from "../../src/http/endpoints/openapi/bytes.ts";
import { type OperationName, operationDefinitions } from "../../src/service/contract.ts";
import { toCurl } from "./curl.ts";
import { toField, toFields } from "./reference-fields.ts";
import { joinCommand, KEY_HEADER, quote } from "./shell.ts";
import type { DocsAccess, DocsGroup, DocsInput, DocsOperation, DocsOutput, DocsStatus, DocsView } from "./view.ts";

/** Returns the API reference of a server with these URLs: the operations by tag, in the order of the contract, and the byte routes. */
export function toDocsView(urls: DocumentUrls): DocsView {
  const tagged = operationDefinitions.map(([name, definition]) => [definition.tag, toOperation(name, definition, urls)] as const);
  const groups = [...Map.groupBy(tagged, ([tag]) => tag)].map(([tag, entries]) =>
    toGroup(
      tag,
      entries.map(([, operation]) => operation),
    ),
  );
  const byStatus = Map.groupBy(Object.entries(ERRORS), ([, { status }]) => status);
  return {
    siteUrl: urls.siteUrl,
    apiUrl: urls.apiUrl,
    groups: [...groups, toGroup(BYTES_TAG, toByteOperations(urls))],
    errors: [...byStatus].map(([status, entries]) => ({ status, codes: entries.map(([code]) => code) })),
    errorFields: toFields(toJsonSchema(errorBody, "output")),
  };
}

const toGroup = (name: string, operations: readonly DocsOperation[]): DocsGroup => ({
  name,
  slug: name.toLowerCase().replaceAll(" ", "-"),
  operations,
});

function toOperation(id: OperationName, definition: OperationDefinition, { siteUrl, apiUrl }: DocumentUrls): DocsOperation {
  const { method, path, summary, description, errors } = definition;
  return {
    id,
    method,
    path,
    summary,
    description,
    access: toAccess(definition),
    inputs: toInputs(definition),
    output: toOutput(definition, siteUrl),
    errors: toStatuses(errors),
    curl: toCurl(definition, apiUrl),
  };
}

function toAccess(definition: OperationDefinition): DocsAccess {
  if (definition.access === "public") return { key: "none" };
  return { key: requiresKey(definition) ? "required" : "optional", scope: requiredScope(definition) };
}

function toInputs(definition: OperationDefinition): DocsInput[] {
  const { properties, required } = inputSchema(definition);
  const inPath = pathParameters(definition.path);
  const toInput = (kind: DocsInput["kind"], names: readonly string[]): DocsInput => ({
    kind,
    // Queries and forms have no null.
    fields: names.map((name) =>
      toField(name, kind === "json" ? (properties[name] ?? {}) : withoutNull(properties[name]), { isRequired: required.includes(name) }),
    ),
  });
  const others = Object.keys(properties).filter((name) => !inPath.includes(name));
  const needsOneOf = definition.namedBy ?? definition.needsOneOf;
  return [toInput("path", inPath), { ...toInput(inputSource(definition), others), needsOneOf }].filter(({ fields }) => fields.length > 0);
}

function toOutput(definition: OperationDefinition, siteUrl: string): DocsOutput {
  if (definition.events)
    return { status: 200, envelope: "events", fields: toFields(toJsonSchema(definition.events.data, "output")), others: [] };
  return {
    // A status function without parameters does not depend on the output.
    status: definition.status?.length === 0 ? definition.status(undefined) : 200,
    envelope: definition.envelope ?? "none",
    fields: toFields(toJsonSchema(definition.output, "output")),
    example: toJson(exampleOf(toJsonSchema(responseSchema(definition), "output")), siteUrl),
    others: [],
  };
}

/** The URL of the site in the contract's examples. */
const EXAMPLE_SITE = "https://files.example.org";

/** Formats an example as JSON, with this server's URLs. */
function toJson(value: unknown, siteUrl: string): string | undefined {
  return value === undefined
    ? undefined
    : JSON.stringify(value, null, 2).replaceAll(EXAMPLE_SITE, () => JSON.stringify(siteUrl).slice(1, -1));
}

const toStatuses = (errors: Readonly<Record<number, string>>): DocsStatus[] =>
  Object.entries(errors).map(([status, description]) => ({ status: Number(status), description }));

/** A byte route, as in the OpenAPI document. */
interface ByteRoute {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly security: readonly object[];
  readonly parameters: readonly (Json & {
    readonly name?: string;
    readonly in?: "path" | "query" | "header";
    readonly required?: boolean;
    readonly schema?: Json;
  })[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Json }>> };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Readonly<Record<string, Json>> }>>;
}

function toByteOperations(urls: DocumentUrls): DocsOperation[] {
  return Object.entries(byteRoutes(urls)).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, route]) =>
      method === "servers" ? [] : toByteOperation(method.toUpperCase(), path, { route: route as ByteRoute, urls }),
    ),
  );
}

function toByteOperation(
  method: string,
  path: string,
  { route, urls }: { readonly route: ByteRoute; readonly urls: DocumentUrls },
): DocsOperation {
  const { operationId: id, summary, description, security, responses } = route;
  const { 200: success, default: _, ...others } = responses;
  const content = success?.content?.["application/json"];
  const statuses = toStatuses(Object.fromEntries(Object.entries(others).map(([status, { description }]) => [Number(status), description])));
  return {
    id,
    method,
    path,
    summary,
    description,
    access: security.length === 0 ? { key: "none" } : { key: "optional", scope: "files_write" },
    inputs: toByteInputs(route),
    output: {
      status: 200,
      description: success?.description,
      envelope: "none",
      fields: content ? toFields((content as { readonly schema: Json }).schema) : [],
      example: toJson(content?.example, urls.siteUrl),
      others: statuses.filter(({ status }) => status < 400),
    },
    errors: statuses.filter(({ status }) => status >= 400),
    curl: BYTE_COMMANDS[id]?.(urls) ?? "",
  };
}

function toByteInputs({ parameters, requestBody }: ByteRoute): DocsInput[] {
  const inputs = (["path", "query", "header"] as const).map((kind) => ({
    kind,
    fields: parameters
      .filter((parameter) => parameter.in === kind)
      .map(({ name = "", description, schema = {}, required = false }) =>
        toField(name, { ...withoutNull(schema), description }, { isRequired: required }),
      ),
  }));
  const form = requestBody?.content["multipart/form-data"];
  return [...inputs, { kind: "multipart" as const, fields: form ? toFields(form.schema) : [] }].filter(({ fields }) => fields.length > 0);
}

/** The commands of byte routes. Signed URLs are used unchanged, so they are in a variable. */
const BYTE_COMMANDS: Readonly<Record<string, (urls: DocumentUrls) => string>> = {
  putPart: () => `curl -T part-1 "$PART_URL"`,
  putDelegated: () => `curl -T report.pdf "$UPLOAD_URL"`,
  downloadFile: () => `curl -o report.pdf "$DOWNLOAD_URL"`,
  downloadArchive: () => `curl -o files.zip "$ARCHIVE_URL"`,
  downloadOwnArchive: () => `curl -o files.zip "$ARCHIVE_URL"`,
  postForm: ({ siteUrl }) => joinCommand([`curl ${quote(`${siteUrl}/`)}`, KEY_HEADER, "-F file=@report.pdf", "-F file=@notes.txt"]),
  putFile: ({ siteUrl }) => joinCommand([`curl -T report.pdf ${quote(`${siteUrl}/`)}`, KEY_HEADER]),
};
