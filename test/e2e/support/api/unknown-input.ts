import type { PageRequest } from "../pages/page-requests.ts";
import type { OperationInput } from "./variants.ts";

/** The names of fields whose values identify an object, or are secrets of one. */
const IDENTIFIER = /^(id|key|file_code)$|Ids?$|[tT]oken$/;
/** The names of identifiers that callers choose. The same text identifies another object in another account. */
const CHOSEN = new Set(["runId", "lastEventId"]);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7/;

type Location = "path" | "query" | "body";
const LOCATIONS: readonly Location[] = ["path", "query", "body"];

/** Replaces the identifiers of an input with unused ones of the same form. */
export function toUnknown(input: OperationInput): OperationInput {
  const changed = LOCATIONS.map((location) => [location, mapValues(input[location], (value) => mapIdentifier(value))]);
  return { ...input, ...Object.fromEntries(changed.filter(([, values]) => values !== undefined)) };
}

/** An input with one identifier of another account, and the same input with an unknown one in its place. */
export interface Mixture {
  readonly name: string;
  readonly sent: OperationInput;
  readonly unknown: OperationInput;
}

/** Puts each identifier of `foreign` into the caller's own input, one at a time. */
export function listMixtures(own: OperationInput, foreign: OperationInput): readonly Mixture[] {
  return LOCATIONS.flatMap((location) => {
    const mix = (name: string, input: OperationInput): OperationInput => ({
      ...own,
      [location]: { ...own[location], [name]: input[location]?.[name] },
    });
    const names = Object.keys(own[location] ?? {}).filter(isIdentifier);
    return names.map((name) => ({ name, sent: mix(name, foreign), unknown: mix(name, toUnknown(foreign)) }));
  });
}

const isIdentifier = (name: string): boolean => IDENTIFIER.test(name) && !CHOSEN.has(name);

function mapValues(values: Readonly<Record<string, unknown>> | undefined, change: (value: unknown) => unknown) {
  return values && Object.fromEntries(Object.entries(values).map(([name, value]) => [name, isIdentifier(name) ? change(value) : value]));
}

function mapIdentifier(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(mapIdentifier);
  if (typeof value !== "string") return value;
  if (UUID.test(value)) return "019a0000-0000-7000-8000-000000000000";
  const prefix = /^[a-z]{2,10}_(?=.{43}$)/.exec(value)?.[0] ?? "";
  return prefix + value.slice(prefix.length).replace(/\w/g, "a");
}

/** Replaces the names in the request of a page with unused ones of the same form. */
export function replaceNames<Request extends PageRequest>(request: Request): Request {
  const replace = (text: string): string =>
    (request.names ?? []).reduce((changed, name) => changed.replaceAll(name, String(mapIdentifier(name))), text);
  const fields =
    request.fields && Object.fromEntries(Object.entries(request.fields).map(([field, value]) => [field, value && replace(value)]));
  return { ...request, path: replace(request.path), ...(fields && { fields }) };
}
