import type { z } from "zod";
import { maxJsonBytes } from "./body-size.ts";
import { DIRECT_UPLOAD } from "./scalars.ts";

/** Who may call: anyone, anyone but with a key's rights where one is sent, or a key with at least that scope. */
export type Access = "public" | "optional" | "files_read" | "files_write" | "full";

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

export interface OperationDefinition<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType> {
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly method: Method;
  /** Relative to `{base_url}`; `{name}` takes the input's field of that name. */
  readonly path: `/${string}`;
  readonly access: Access;
  /**
   * Where the input's other fields come from: the query, a JSON body, or a multipart form (at most 4 MB and 64 KB).
   * Default: the query for GET and DELETE, JSON otherwise.
   */
  readonly body?: "query" | "json" | "multipart";
  /** Whether the API key may come as the query parameter `key` (interface, "Authentication"). */
  readonly keyInQuery?: true;
  /** A field that may also come where a key would: told from one by its prefix. */
  readonly tokenInHeader?: { readonly field: Extract<keyof z.infer<Input>, string>; readonly prefix: string };
  readonly input: Input;
  /** A good input, for the OpenAPI document; without it, the examples of the fields that have to be sent. */
  readonly example?: z.input<Input>;
  /** Fields of the body of which at least one must be sent. */
  readonly needsOneOf?: readonly Extract<keyof z.infer<Input>, string>[];
  /** Fields of the body of which at least one must be a text that is not empty: they name what the call is about. */
  readonly namedBy?: readonly Extract<keyof z.infer<Input>, string>[];
  /** Where `by` is sent, the others are not even looked at, whatever they are. */
  readonly ignores?: {
    readonly by: Extract<keyof z.infer<Input>, string>;
    readonly fields: readonly Extract<keyof z.infer<Input>, string>[];
  };
  readonly output: Output;
  /** A GET that counts as something done: what only looks (a HEAD) is refused. */
  readonly counts?: true;
  /** How many requests one call counts as; 1 by default, 0 where the general rate does not hold. */
  readonly requests?: 0 | ((input: z.infer<Input>) => number);
  /** It may take minutes: the connection is kept although it is silent. */
  readonly waits?: true;
  /** The output is a sequence of these, answered as server-sent events; undefined where nothing is to come any more. */
  readonly events?: { readonly data: z.ZodType; id(item: never): string };
  /** Status of the answer, 200 by default. */
  readonly status?: (output: z.infer<Output>) => number;
  /** What else it may answer, for the OpenAPI document: status → what it means. */
  readonly errors: Readonly<Record<number, string>>;
}

/** Types one entry of the contract; see `contract/index.ts` for the list. */
export function defineOperation<Input extends z.ZodObject, Output extends z.ZodType>(
  definition: OperationDefinition<Input, Output>,
): OperationDefinition<Input, Output> {
  return definition;
}

/** Where an operation's non-path input travels. */
export function inputSource(definition: OperationDefinition): "query" | "json" | "multipart" {
  return definition.body ?? (definition.method === "GET" || definition.method === "DELETE" ? "query" : "json");
}

/** Whether it changes something: it may be sent again under an `Idempotency-Key`. */
export const isWrite = ({ method }: OperationDefinition): boolean => method !== "GET";

/** Characters of an `Idempotency-Key` (decisions, "Idempotency"). */
export const IDEMPOTENCY_KEY = { minLength: 8, maxLength: 200 } as const;

/** Whether an operation cannot be called without a key. */
export const requiresKey = ({ access }: OperationDefinition): boolean => access !== "public" && access !== "optional";

/** The scope that a key needs where it is sent to an operation; undefined where any key will do, or none is looked at. */
export function neededScope(definition: OperationDefinition): Exclude<Access, "public" | "optional"> | undefined {
  const { access } = definition;
  if (access === "public") return undefined;
  if (access !== "optional") return access;
  return isWrite(definition) ? "files_write" : undefined;
}

/** Most bytes that an operation's body may have: of JSON, what its fields need at their longest (request limits, "Size of a body"). */
export function maxBodyBytes(definition: OperationDefinition): number {
  if (inputSource(definition) === "multipart") return DIRECT_UPLOAD.maxFileBytes + DIRECT_UPLOAD.overheadBytes;
  const known = bodyBytes.get(definition) ?? maxJsonBytes(definition.input, pathParameters(definition.path));
  bodyBytes.set(definition, known);
  return known;
}

const bodyBytes = new WeakMap<OperationDefinition, number>();

/** Names in braces of a path template, in order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
}
