import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { ApiResponse } from "./api.ts";

export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly schema: Schema;
}

interface Content {
  readonly schema: Schema;
}

interface Operation {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Content>> }>>;
}

/** The operations of a path by method. Routes outside the API's base URL have separate servers. */
type PathItem = Readonly<Record<string, Operation>> & { readonly servers?: readonly { readonly url: string }[] };

interface Document {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: { readonly parameters: Readonly<Record<string, Parameter>> };
}

/** One operation as described by a running server's document. */
export interface Described {
  readonly id: string;
  readonly method: string;
  /** The path relative to the server's root, with parameter names in braces. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: { readonly type: string; readonly schema: Schema } | undefined;
  /** Whether a key is required, optional or ignored. */
  readonly key: "required" | "optional" | "ignored";
  /** The scope that a key requires; undefined if it requires none. */
  readonly scope: string | undefined;
  /** Describes how a response's status, type or body differs from the documented ones; undefined if it does not. */
  problemOf(response: ApiResponse<unknown>): string | undefined;
}

export interface Description {
  readonly operations: readonly Described[];
  /** Whether a value satisfies a schema of the document. */
  accepts(schema: Schema, value: unknown): boolean;
}

/** Reads a server's OpenAPI document; its schemas are validated as JSON Schema 2020-12. */
export async function readDescription(server: { readonly url: string }): Promise<Description> {
  const document = (await (await fetch(`${server.url}/agent-openapi.json`)).json()) as Document;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, DOCUMENT_ID);
  const compiled = new Map<Schema, ValidateFunction>();
  const prefix = new URL(document.servers[0]?.url ?? "").pathname.replace(/\/$/, "");
  return {
    operations: Object.entries(document.paths).flatMap(([path, { servers, ...items }]) =>
      servers === undefined
        ? Object.entries<Operation>(items).map(([method, item]) => describe(ajv, { method, path, prefix, item, document }))
        : [],
    ),
    accepts(schema, value) {
      const validate = compiled.get(schema) ?? ajv.compile(schema);
      compiled.set(schema, validate);
      return validate(value);
    },
  };
}

const DOCUMENT_ID = "https://example.org/openapi.json";

interface DocumentedItem {
  readonly method: string;
  readonly path: string;
  readonly prefix: string;
  readonly item: Operation;
  readonly document: Document;
}

function resolve({ components }: Document, reference: string): Parameter {
  const parameter = components.parameters[reference.replace("#/components/parameters/", "")];
  if (!parameter) throw new Error(`The document has no ${reference}.`);
  return parameter;
}

function describe(ajv: Ajv2020, { method, path, prefix, item, document }: DocumentedItem): Described {
  const [type, content] = Object.entries(item.requestBody?.content ?? {})[0] ?? [];
  return {
    id: item.operationId,
    method: method.toUpperCase(),
    path: prefix + path,
    parameters: item.parameters.map((parameter) => ("$ref" in parameter ? resolve(document, parameter.$ref) : parameter)),
    body: type === undefined || content === undefined ? undefined : { type, schema: content.schema },
    key: item.security.length === 0 ? "ignored" : item.security.some((way) => Object.keys(way).length === 0) ? "optional" : "required",
    scope: item.security.flatMap((way) => Object.values(way).flat())[0],
    problemOf({ status, headers, body }) {
      const response = item.responses[status];
      if (response === undefined) return `status ${status} is not documented: ${JSON.stringify(body)}`;
      const [documented] = Object.keys(response.content ?? {});
      const sent = headers.get("content-type")?.replace(/;.*/, "");
      if (documented !== sent) return `responds with ${sent}, not ${documented}`;
      if (documented !== "application/json") return undefined;
      const pointer = ["paths", path, method, "responses", String(status), "content", documented, "schema"].map(toPointer).join("/");
      const validate = ajv.getSchema(`${DOCUMENT_ID}#/${pointer}`);
      if (validate === undefined) return "has no schema";
      return validate(body) ? undefined : `${ajv.errorsText(validate.errors)}: ${JSON.stringify(body)}`;
    },
  };
}

const toPointer = (name: string): string => encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
