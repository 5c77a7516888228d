import { inputSource, type OperationDefinition, pathParameters } from "../contract/operation.ts";
import type { BatchFile, BufferedFile } from "../contract/scalars.ts";
import { definitionOf, type OperationName, type RequestInput, type ResponseOf } from "./contract.ts";

/** A response whose status is not 2xx. */
export class ApiError extends Error {
  override readonly name = "ApiError";

  constructor(
    readonly status: number,
    /** The error code in upper case; `UNKNOWN` if the response has no `errorCode`. */
    readonly code: string,
    message: string,
    readonly body: unknown,
    /** The seconds of the header `Retry-After`; undefined without one. */
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
  }
}

export interface ClientOptions {
  /** `{base_url}`, such as `https://files.example.org/api`. */
  readonly baseUrl: string;
  readonly key?: string;
  readonly fetch?: (request: Request) => Promise<Response>;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** The header `Idempotency-Key` of a write: a repetition resolves to the first output, with `idempotent: true`. */
  readonly idempotencyKey?: string | undefined;
}

export interface ContractClient {
  /** Calls an operation of the contract. Rejects with ApiError if the status is not 2xx. */
  call<Name extends OperationName>(name: Name, input: RequestInput<Name>, options?: CallOptions): Promise<ResponseOf<Name>>;
  /** Calls an operation and resolves to the response, whose body the caller reads, such as a stream of events. Rejects like `call`. */
  open<Name extends OperationName>(name: Name, input: RequestInput<Name>, options?: CallOptions): Promise<Response>;
}

/** Creates a client typed by the contract. The client also runs in browsers. */
export function createClient({ baseUrl, key, fetch = globalThis.fetch }: ClientOptions): ContractClient {
  const open: ContractClient["open"] = async (name, input, { signal, idempotencyKey } = {}) => {
    const request = toRequest(baseUrl, definitionOf(name), { input: input as Record<string, unknown>, signal });
    if (key !== undefined) request.headers.set("Authorization", `Bearer ${key}`);
    if (idempotencyKey !== undefined) request.headers.set("Idempotency-Key", idempotencyKey);
    const response = await fetch(request);
    if (!response.ok) throw await readError(response);
    return response;
  };
  return {
    open,
    async call(name, input, options) {
      const response = await open(name, input, options);
      const body: unknown = await response.json().catch(() => undefined);
      return body as ResponseOf<typeof name>;
    },
  };
}

interface SentInput {
  readonly input: Record<string, unknown>;
  readonly signal?: AbortSignal | null | undefined;
}

function toRequest(baseUrl: string, definition: OperationDefinition, { input, signal = null }: SentInput): Request {
  const pathFields = pathParameters(definition.path);
  const path = definition.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(input[name])));
  const url = new URL(baseUrl + path);
  const { method } = definition;
  const source = inputSource(definition);
  // Omits null in queries and forms, which cannot express it.
  const isSent = (value: unknown): boolean => value !== undefined && (source === "json" || value !== null);
  const fields = Object.entries(input).filter(([name, value]) => !pathFields.includes(name) && isSent(value));
  if (source === "query") {
    for (const [name, value] of fields) url.searchParams.set(name, String(value));
    return new Request(url, { method, signal });
  }
  if (source === "multipart") return new Request(url, { method, signal, body: toForm(fields) });
  const headers = { "Content-Type": "application/json" };
  return new Request(url, { method, signal, headers, body: JSON.stringify(Object.fromEntries(fields)) });
}

/** Builds a form with the files last, so that the server has the fields before it streams the files. */
function toForm(fields: [string, unknown][]): FormData {
  const form = new FormData();
  for (const [name, value] of fields) if (name !== "file") form.append(name, String(value));
  for (const [name, value] of fields) if (name === "file") appendFiles(form, value as BufferedFile | Iterable<BatchFile>);
  return form;
}

function appendFiles(form: FormData, value: BufferedFile | Iterable<BatchFile>): void {
  if (!(Symbol.iterator in value)) {
    form.append("file", toFile(value));
    return;
  }
  let folderId: string | undefined;
  for (const file of value) {
    if (file.folderId !== undefined && file.folderId !== folderId) form.append("folderId", file.folderId);
    folderId = file.folderId ?? folderId;
    form.append("relativePath", file.relativePath);
    for (const name of ["sha256", "modifiedAt", "executable"] as const) {
      const value = file[name];
      if (value !== undefined) form.append(name, value);
    }
    form.append("file", toFile({ ...file, name: file.relativePath }));
  }
}

const toFile = ({ name, type, bytes }: BufferedFile): File => new File([bytes as Uint8Array<ArrayBuffer>], name, { type: type ?? "" });

/** Reads the error of a response whose status is not 2xx. */
export async function readError(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => undefined);
  const { error, errorCode } = (typeof body === "object" && body !== null ? body : {}) as { error?: unknown; errorCode?: unknown };
  const retryAfter = response.headers.get("retry-after") ?? "";
  const seconds = /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : undefined;
  const message = String(error ?? `The server responded with status ${response.status}.`);
  return new ApiError(response.status, String(errorCode ?? "UNKNOWN"), message, body, seconds);
}
