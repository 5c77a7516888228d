import { inputSource, type OperationDefinition, pathParameters } from "../contract/operation.ts";
import type { BatchFile, BufferedFile } from "../contract/scalars.ts";
import { contract, type OperationName, type RequestInput, type ResponseOf } from "./contract.ts";

/** A response whose status is not 2xx. */
export class ApiError extends Error {
  override readonly name = "ApiError";

  constructor(
    readonly status: number,
    /** In UPPER_SNAKE; `UNKNOWN` if the response has no `errorCode`. */
    readonly code: string,
    message: string,
    readonly body: unknown,
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

export interface Client {
  /** Calls an operation of the contract. Rejects with ApiError if the status is not 2xx. */
  call<Name extends OperationName>(name: Name, input: RequestInput<Name>): Promise<ResponseOf<Name>>;
}

/** Creates a client typed by the contract. It runs in browsers too. */
export function createClient({ baseUrl, key, fetch = globalThis.fetch }: ClientOptions): Client {
  return {
    async call(name, input) {
      const request = toRequest(baseUrl, contract[name], input as Record<string, unknown>);
      if (key !== undefined) request.headers.set("Authorization", `Bearer ${key}`);
      const response = await fetch(request);
      const body: unknown = await response.json().catch(() => undefined);
      if (!response.ok) throw toApiError(response.status, body);
      return body as ResponseOf<typeof name>;
    },
  };
}

function toRequest(baseUrl: string, definition: OperationDefinition, input: Record<string, unknown>): Request {
  const pathFields = pathParameters(definition.path);
  const path = definition.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(input[name])));
  const url = new URL(baseUrl + path);
  const fields = Object.entries(input).filter(([name, value]) => !pathFields.includes(name) && value !== undefined);
  const { method } = definition;
  const source = inputSource(definition);
  if (source === "query") {
    for (const [name, value] of fields) url.searchParams.set(name, String(value));
    return new Request(url, { method });
  }
  if (source === "multipart") return new Request(url, { method, body: toForm(fields) });
  return new Request(url, { method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(Object.fromEntries(fields)) });
}

/** Puts the files last, so that the server has the fields before it streams them. */
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
  for (const file of value) {
    form.append("relativePath", file.relativePath);
    if (file.sha256 !== undefined) form.append("sha256", file.sha256);
    form.append("file", toFile({ ...file, name: file.relativePath }));
  }
}

const toFile = ({ name, type, bytes }: BufferedFile): File => new File([bytes as Uint8Array<ArrayBuffer>], name, { type: type ?? "" });

function toApiError(status: number, body: unknown): ApiError {
  const { error, errorCode } = (typeof body === "object" && body !== null ? body : {}) as { error?: unknown; errorCode?: unknown };
  return new ApiError(status, String(errorCode ?? "UNKNOWN"), String(error ?? `The server responded with status ${status}.`), body);
}
