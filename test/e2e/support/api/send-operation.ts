import { type ApiResponse, toForm } from "./api.ts";
import type { Described } from "./openapi-document.ts";
import type { OperationInput } from "./variants.ts";

export interface OperationCaller {
  readonly key?: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

interface RawRequest {
  readonly key?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: RequestInit["body"];
}

type Server = { readonly url: string };

/** Calls an operation as the OpenAPI document describes it; resolves to any response. */
export function sendOperation(
  server: Server,
  operation: Described,
  sent: OperationInput,
  { key, idempotencyKey }: OperationCaller,
): Promise<ApiResponse<unknown>> {
  const { headers, body } = toBody(operation, sent);
  const repeated = idempotencyKey !== undefined && { "Idempotency-Key": idempotencyKey };
  return sendRaw(server, operation, sent, { key, headers: { ...headers, ...repeated }, body });
}

/** Calls the path of an operation with any body. */
export async function sendRaw(
  server: Server,
  { method, path }: Described,
  sent: OperationInput,
  { key, headers, body }: RawRequest,
): Promise<ApiResponse<unknown>> {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent((sent.path?.[name] ?? "").toWellFormed()));
  const response = await fetch(`${server.url}${filled}?${new URLSearchParams(sent.query)}`, {
    method,
    headers: { ...sent.headers, ...headers, ...(key !== undefined && { Authorization: `Bearer ${key}` }) },
    body,
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

function toBody(
  { body }: Described,
  sent: OperationInput,
): { readonly headers?: Record<string, string>; readonly body?: RequestInit["body"] } {
  if (!body) return {};
  if (body.type === "application/json") return { headers: { "Content-Type": body.type }, body: JSON.stringify(sent.body) };
  const form = toForm({});
  for (const [name, value] of Object.entries(sent.body ?? {}))
    for (const member of Array.isArray(value) ? value : [value]) form.append(name, member instanceof File ? member : String(member));
  return { body: form };
}
