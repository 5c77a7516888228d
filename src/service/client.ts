import { inputSource, type OperationDefinition, pathParameters } from "../contract/operation.ts";
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

/** Puts the file last, so that the server has the fields before it streams the file. */
function toForm(fields: [string, unknown][]): FormData {
  const form = new FormData();
  for (const [name, value] of fields) if (name !== "file") form.set(name, String(value));
  for (const [name, value] of fields) {
    if (name !== "file") continue;
    const file = value as { name: string; type: string; bytes: Uint8Array<ArrayBuffer> };
    form.set("file", new File([file.bytes], file.name, { type: file.type }));
  }
  return form;
}

function toApiError(status: number, body: unknown): ApiError {
  const { error, errorCode } = (typeof body === "object" && body !== null ? body : {}) as { error?: unknown; errorCode?: unknown };
  return new ApiError(status, String(errorCode ?? "UNKNOWN"), String(error ?? `The server responded with status ${status}.`), body);
}
