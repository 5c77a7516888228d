import { exampleOf, inputSchema, type Json } from "../../src/contract/json-schema.ts";
import { inputSource, type OperationDefinition, pathParameters, requiresKey } from "../../src/contract/operation.ts";
import { toExample } from "../../src/http/endpoints/openapi/openapi.ts";
import { joinCommand, KEY_HEADER, quote } from "./shell.ts";

/** Returns the shell command that calls an operation with the example of its input. */
export function toCurl(definition: OperationDefinition, apiUrl: string): string {
  const { method } = definition;
  const source = inputSource(definition);
  const { properties, required } = inputSchema(definition);
  const inPath = pathParameters(definition.path);
  const names = Object.keys(properties).filter((name) => !inPath.includes(name));
  const needed = names.filter((name) => required.includes(name));
  const path = definition.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(exampleOf(properties[name] ?? {}))));
  const example = source === "multipart" ? {} : toExample(definition, { properties, names, needed });
  const query = source === "query" ? new URLSearchParams(Object.entries(example).map(([name, value]) => [name, String(value)])) : undefined;
  const isSent = source === "json" && needsBody(definition, example);
  return joinCommand([
    `curl ${isDefaultMethod(method, isSent || source === "multipart") ? "" : `-X ${method} `}${quote(`${apiUrl}${path}${query?.size ? `?${query}` : ""}`)}`,
    ...(needsKey(definition) ? [KEY_HEADER] : []),
    ...(isSent ? [`-H 'Content-Type: application/json'`, `-d ${quote(JSON.stringify(example))}`] : []),
    ...(source === "multipart" ? [...toFormFields(needed, properties), "-F file=@report.pdf"] : []),
  ]);
}

/** Whether the example is refused without a key, also for operations that accept a token in its place. */
const needsKey = (definition: OperationDefinition): boolean => requiresKey(definition) || 401 in definition.errors;

/** Returns the required fields of a form except its file, which comes last. */
const toFormFields = (needed: readonly string[], properties: Readonly<Record<string, Json>>): string[] =>
  needed.filter((name) => name !== "file").map((name) => `-F ${quote(`${name}=${exampleOf(properties[name] ?? {})}`)}`);

/** Whether curl uses the method by default: POST with a body, otherwise GET. */
const isDefaultMethod = (method: string, hasBody: boolean): boolean => method === (hasBody ? "POST" : "GET");

const needsBody = ({ method }: OperationDefinition, example: Json): boolean => method !== "GET" && Object.keys(example).length > 0;
