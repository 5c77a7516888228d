import { contract, type OperationName } from "./index.ts";
import { LINKS } from "./links.ts";
import type { Json } from "./openapi-schemas.ts";
import { inputSource, type OperationDefinition, pathParameters } from "./operation.ts";

/** The links of an operation's good answer, by the operation that each leads to; none where nothing takes what it answers. */
export function toLinks(from: OperationName): Json {
  const followers = Object.entries(LINKS[from] ?? {});
  if (followers.length === 0) return {};
  return { links: Object.fromEntries(followers.map(([to, taken]) => [to, toLink(to as OperationName, taken)])) };
}

function toLink(operationId: OperationName, taken: Readonly<Partial<Record<string, string>>>): Json {
  const definition: OperationDefinition = contract[operationId];
  const isParameter = (name: string): boolean => inputSource(definition) === "query" || pathParameters(definition.path).includes(name);
  const values = Object.entries(taken).map(([name, source = ""]) => [name, toExpression(source)] as const);
  const parameters = values.filter(([name]) => isParameter(name));
  const body = values.filter(([name]) => !isParameter(name));
  return {
    operationId,
    ...(parameters.length > 0 && { parameters: Object.fromEntries(parameters) }),
    ...(body.length > 0 && { requestBody: Object.fromEntries(body) }),
  };
}

const toExpression = (source: string): string => (source.startsWith("$") ? source : `$response.body#${source}`);
