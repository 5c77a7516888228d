import type { z } from "zod";
import type { Envelope } from "./envelope.ts";

/** The callers of an operation: anyone; anyone, with the rights of a key that is sent; a key with at least that scope; or an administrator. */
export type Access = "public" | "optional" | "files_read" | "files_write" | "full" | "admin";

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** One operation of the API: its call, its callers, and its output. HTTP routes, OpenAPI and the client derive from it. */
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
   * The place of the input's other fields: the query, a JSON body, or a multipart form (at most 4 MB and 64 KB, unless it is streamed). Default: the
   * query for GET and DELETE, JSON otherwise.
   */
  readonly body?: "query" | "json" | "multipart";
  /**
   * Whether the operation receives the files of the form while they arrive. It may be repeated, because a stored file is not stored again, so an
   * `Idempotency-Key` is ignored.
   */
  readonly streams?: true;
  /** Whether the API key may also be sent as the query parameter `key` (accounts, "Authentication"). */
  readonly keyInQuery?: true;
  /** A field that may be sent as the bearer token in place of the key; its prefix distinguishes it from a key. */
  readonly tokenInHeader?: { readonly field: Extract<keyof z.infer<Input>, string>; readonly prefix: string };
  readonly input: Input;
  /** A valid input for the OpenAPI document; default: the examples of the required fields. */
  readonly example?: z.input<Input>;
  /** Fields of the body of which at least one must be sent. */
  readonly needsOneOf?: readonly Extract<keyof z.infer<Input>, string>[];
  /** Fields that identify the subject of the call: at least one must be sent, and not be empty. */
  readonly namedBy?: readonly Extract<keyof z.infer<Input>, string>[];
  /** Fields that are ignored, even invalid ones, if the field `by` is sent. */
  readonly ignores?: {
    readonly by: Extract<keyof z.infer<Input>, string>;
    readonly fields: readonly Extract<keyof z.infer<Input>, string>[];
  };
  /** Fields of related operations that mean nothing here. They are ignored, even if their names are consequential. */
  readonly ignoresFields?: readonly string[];
  /** Fields that are refused with 403 if `by` is sent, also those that are not in the input. Null counts as absent. */
  readonly refuses?: {
    readonly by: Extract<keyof z.infer<Input>, string>;
    readonly fields: readonly string[];
    message(field: string): string;
  };
  readonly output: Output;
  /** The envelope of the response; default: the output is the response. */
  readonly envelope?: Kind;
  /** Whether the response is compressed, because it has no secrets and may be large (envelopes and errors, "Compression"). */
  readonly isCompressed?: true;
  /** Whether a GET counts as a download, so that HEAD and prefetches are rejected. */
  readonly counts?: true;
  /** The number of requests as which one call counts in the general rate limit; default: 1. 0: the limit does not apply. */
  readonly requests?: 0 | ((input: z.infer<Input>) => number);
  /** Whether repeating this write has the same effect and response, so that its response may be stored outside a transaction. */
  readonly repeatable?: true;
  /** Whether the write needs a person who has just proved their identity, and not a repetition: an `Idempotency-Key` is ignored. */
  readonly needsPerson?: true;
  /**
   * Requirements beside the scope of the call: a verified email address; a key, or a session that gave a proof within 15 minutes. The operation
   * checks them, also before its response is repeated.
   */
  readonly requires?: readonly ("verified" | "proof")[];
  /** Whether the call may take minutes, so that the idle timeout of the connection is disabled. */
  readonly waits?: true;
  /** The events of an output that is sent as server-sent events; undefined follows the last event. */
  readonly events?: { readonly data: z.ZodType; id(item: never): string };
  /** The status of the response; default: 200. May depend on the output only without an envelope. */
  readonly status?: (output: z.infer<Output>) => number;
  /** Error statuses and their meaning, for the OpenAPI document. */
  readonly errors: Readonly<Record<number, string>>;
}

/** The types with which an operation is called. Browsers use them without the definitions. */
export interface CalledBy<By extends Method, Path extends `/${string}`> {
  readonly method: By;
  readonly path: Path;
}

/** A definition whose schemas are made when they are used first: making those of all operations takes longer than most commands. */
type DefinedLater<Definition extends OperationDefinition> = Omit<Definition, "input" | "output"> & {
  readonly input: () => Definition["input"];
  readonly output: () => Definition["output"];
};

/** Types one entry of a contract; `src/service/contract.ts` lists them all. */
export function defineOperation<
  Input extends z.ZodObject,
  Output extends z.ZodType,
  const By extends Method,
  const Path extends `/${string}`,
  Kind extends Envelope | undefined = undefined,
>({
  input,
  output,
  ...definition
}: DefinedLater<OperationDefinition<Input, Output, Kind>> & CalledBy<By, Path>): OperationDefinition<Input, Output, Kind> &
  CalledBy<By, Path> {
  const defined = { ...definition } as unknown as OperationDefinition<Input, Output, Kind> & CalledBy<By, Path>;
  defineLater(defined, "input", input);
  defineLater(defined, "output", output);
  return defined;
}

/** Defines a property whose value is made when it is read first. */
function defineLater<Target extends object>(target: Target, name: string, make: () => unknown): void {
  Object.defineProperty(target, name, {
    configurable: true,
    enumerable: true,
    get() {
      const value = make();
      Object.defineProperty(target, name, { value, enumerable: true });
      return value;
    },
  });
}

/** Returns the place of an operation's input, except for the fields in its path. */
export function inputSource(definition: OperationDefinition): "query" | "json" | "multipart" {
  return definition.body ?? (definition.method === "GET" || definition.method === "DELETE" ? "query" : "json");
}

/** Whether an operation changes something. */
export const isWrite = ({ method }: Pick<OperationDefinition, "method">): boolean => method !== "GET";

/** Whether an operation accepts an `Idempotency-Key` (idempotency, "Idempotency"). */
export const acceptsIdempotencyKey = (definition: OperationDefinition): boolean =>
  isWrite(definition) && !definition.streams && !definition.needsPerson && !definition.path.startsWith(SIGN_IN_PATH);

/**
 * The path of the operations of signing in. Their inputs are passwords and codes and their responses sessions, so they are not stored for repetition.
 */
const SIGN_IN_PATH = "/auth/";

/** Length of an `Idempotency-Key` in characters (idempotency, "Idempotency"). */
export const IDEMPOTENCY_KEY = { minLength: 8, maxLength: 200 } as const;

/** Whether an operation requires a key. */
export const requiresKey = ({ access }: OperationDefinition): boolean => access !== "public" && access !== "optional";

/** Returns the scope that a sent key must have, or `admin`; undefined if any scope suffices, or keys are ignored. */
export function requiredScope(
  definition: Pick<OperationDefinition, "access" | "method">,
): Exclude<Access, "public" | "optional"> | undefined {
  const { access } = definition;
  if (access === "public") return undefined;
  if (access !== "optional") return access;
  return isWrite(definition) ? "files_write" : undefined;
}

/** Lists the names in braces of a path template, in order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
}
