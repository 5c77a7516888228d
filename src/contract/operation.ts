import type { z } from "zod";
import type { Envelope } from "./envelope.ts";

/** Who may call: anyone; anyone, with the rights of a key that is sent; a key with at least that scope; or an administrator. */
export type Access = "public" | "optional" | "files_read" | "files_write" | "full" | "admin";

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** One operation of the API: how it is called, by whom, and what it returns. HTTP routes, OpenAPI and the client derive from it. */
export interface OperationDefinition<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
  Kind extends Envelope | undefined = Envelope | undefined,
> {
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly method: Method;
  /** Relative to `{base_url}`; `{name}` is the input's field of that name. */
  readonly path: `/${string}`;
  readonly access: Access;
  /**
   * Where the input's other fields are sent: in the query, a JSON body, or a multipart form (at most 4 MB and 64 KB, unless it is streamed).
   * Default: the query for GET and DELETE, JSON otherwise.
   */
  readonly body?: "query" | "json" | "multipart";
  /**
   * The operation receives the files of the form while they arrive. It may be repeated: a file that is stored is not stored again. So an
   * `Idempotency-Key` is ignored.
   */
  readonly streams?: true;
  /** The API key may also be sent as the query parameter `key` (accounts, "Authentication"). */
  readonly keyInQuery?: true;
  /** A field that may also be sent in place of the key; its prefix distinguishes it from one. */
  readonly tokenInHeader?: { readonly field: Extract<keyof z.infer<Input>, string>; readonly prefix: string };
  readonly input: Input;
  /** A valid input for the OpenAPI document; default: the examples of the required fields. */
  readonly example?: z.input<Input>;
  /** Fields of the body of which at least one must be sent. */
  readonly needsOneOf?: readonly Extract<keyof z.infer<Input>, string>[];
  /** Fields that identify the subject of the call: at least one must be sent, and not be empty. */
  readonly namedBy?: readonly Extract<keyof z.infer<Input>, string>[];
  /** If `by` is sent, the other fields are ignored, even invalid ones. */
  readonly ignores?: {
    readonly by: Extract<keyof z.infer<Input>, string>;
    readonly fields: readonly Extract<keyof z.infer<Input>, string>[];
  };
  /** Fields that callers of related operations send, and that mean nothing here: they are ignored, whatever they are named. */
  readonly ignoresFields?: readonly string[];
  /** If `by` is sent, these fields are 403 in place of ignored or applied, also those that are not of the input. Null counts as absent. */
  readonly refuses?: {
    readonly by: Extract<keyof z.infer<Input>, string>;
    readonly fields: readonly string[];
    message(field: string): string;
  };
  readonly output: Output;
  /** How the response carries the output; default: the output is the response. */
  readonly envelope?: Kind;
  /** The response has no secrets and may be large, so it is compressed (envelopes and errors, "Compression"). */
  readonly isCompressed?: true;
  /** A GET that counts as a download; HEAD and prefetches are rejected. */
  readonly counts?: true;
  /** Requests that one call counts as in the general rate limit; default: 1. 0: the limit does not apply. */
  readonly requests?: 0 | ((input: z.infer<Input>) => number);
  /** Repeating this write has the same effect and response, so it may store its response outside a transaction. */
  readonly repeatable?: true;
  /** The write is for who has just proved who they are, not for a repetition: an `Idempotency-Key` is ignored. */
  readonly needsPerson?: true;
  /**
   * What the account must be beside the scope of the call: its email address verified; a key, or a session that gave a proof within 15 minutes.
   * Checked by the operation, and before its response is repeated.
   */
  readonly requires?: readonly ("verified" | "proof")[];
  /** The call may take minutes: the idle timeout of the connection is disabled. */
  readonly waits?: true;
  /** The output is a sequence of these, sent as server-sent events; undefined if no further event will follow. */
  readonly events?: { readonly data: z.ZodType; id(item: never): string };
  /** Status of the response; default: 200. May depend on the output only without an envelope. */
  readonly status?: (output: z.infer<Output>) => number;
  /** Error statuses and their meaning, for the OpenAPI document. */
  readonly errors: Readonly<Record<number, string>>;
}

/** How an operation is called, as types: browsers name it by these, without the definitions. */
export interface CalledBy<By extends Method, Path extends `/${string}`> {
  readonly method: By;
  readonly path: Path;
}

/** Types one entry of a contract; `src/service/contract.ts` lists them all. */
export function defineOperation<
  Input extends z.ZodObject,
  Output extends z.ZodType,
  const By extends Method,
  const Path extends `/${string}`,
  Kind extends Envelope | undefined = undefined,
>(
  definition: OperationDefinition<Input, Output, Kind> & CalledBy<By, Path>,
): OperationDefinition<Input, Output, Kind> & CalledBy<By, Path> {
  return definition;
}

/** Where an operation's input is sent, except for the fields in its path. */
export function inputSource(definition: OperationDefinition): "query" | "json" | "multipart" {
  return definition.body ?? (definition.method === "GET" || definition.method === "DELETE" ? "query" : "json");
}

/** Whether an operation changes something. */
export const isWrite = ({ method }: Pick<OperationDefinition, "method">): boolean => method !== "GET";

/** Whether an operation accepts an `Idempotency-Key` (idempotency, "Idempotency"). */
export const acceptsIdempotencyKey = (definition: OperationDefinition): boolean =>
  isWrite(definition) && !definition.streams && !definition.needsPerson && !definition.path.startsWith(SIGN_IN_PATH);

/** The operations of signing in: their inputs are passwords and codes, their responses sessions. None of it is stored to be repeated. */
const SIGN_IN_PATH = "/auth/";

/** Length of an `Idempotency-Key` in characters (idempotency, "Idempotency"). */
export const IDEMPOTENCY_KEY = { minLength: 8, maxLength: 200 } as const;

/** Whether an operation requires a key. */
export const requiresKey = ({ access }: OperationDefinition): boolean => access !== "public" && access !== "optional";

/** The scope that a sent key must have, or `admin`; undefined if any key will do, or keys are ignored. */
export function requiredScope(
  definition: Pick<OperationDefinition, "access" | "method">,
): Exclude<Access, "public" | "optional"> | undefined {
  const { access } = definition;
  if (access === "public") return undefined;
  if (access !== "optional") return access;
  return isWrite(definition) ? "files_write" : undefined;
}

/** Names in braces of a path template, in order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
}
