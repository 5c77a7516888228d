import type { Json } from "./openapi-schemas.ts";
import { neededScope, type OperationDefinition, requiresKey } from "./operation.ts";

/** Every way to send a key (interface, "Authentication"). */
export const SECURITY_SCHEMES = {
  bearer: { type: "http", scheme: "bearer", description: "An API key, as `Authorization: Bearer bc_…`" },
  authorization: { type: "apiKey", in: "header", name: "Authorization", description: "The same without the word Bearer" },
  header: { type: "apiKey", in: "header", name: "x-service-api-key", description: "An API key in a header of its own" },
  query: { type: "apiKey", in: "query", name: "key", description: "An API key, where a header cannot be sent" },
};

/** The ways to send a key to an operation, each with the scope that the key needs; an empty one where it works without. */
export function toSecurity(definition: OperationDefinition): Json[] {
  if (definition.access === "public") return [];
  const scope = neededScope(definition);
  const scopes = scope === undefined ? [] : [scope];
  const ways = (Object.keys(SECURITY_SCHEMES) as (keyof typeof SECURITY_SCHEMES)[]).filter(
    (way) => way !== "query" || definition.keyInQuery,
  );
  const keys = ways.map((way) => ({ [way]: scopes }));
  return requiresKey(definition) ? keys : [{}, ...keys];
}

/** The same in words, for readers whose tools show no roles; undefined where there is nothing to say. */
export function describeScope(definition: OperationDefinition): string | undefined {
  const scope = neededScope(definition);
  if (scope === undefined) return undefined;
  return requiresKey(definition) ? `Needs a key with the scope \`${scope}\`.` : `Takes a key, which then needs the scope \`${scope}\`.`;
}
