import assert from "node:assert/strict";
import type { z } from "zod";
import { type Client, createClient } from "../../../src/service/client.ts";
import type { contract, OperationName } from "../../../src/service/contract.ts";

/** The members of an upload's response that tests read. */
export interface Upload {
  readonly id: string;
  readonly shortId: string;
  readonly shortCode: string;
  readonly shareUrl: string;
  readonly sharePath: string;
  readonly url: string;
  readonly name: string;
  readonly size: number;
  readonly mimeType: string;
  readonly sha256: string | null;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly isAnonymous: boolean;
  readonly runId: string | null;
  readonly scanStatus: string;
  readonly claimToken?: string;
  readonly deletionToken?: string;
}

/** Members that API responses may have. */
export interface Body {
  readonly [name: string]: unknown;
  readonly success?: boolean;
  readonly error?: string;
  readonly errorCode?: string;
  readonly issues?: readonly { readonly path: string; readonly message: string }[];
  readonly url?: string;
  readonly urls?: Readonly<Record<string, string>>;
}

export interface ApiResponse<T = Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

export interface CallOptions {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent unchanged. */
  readonly body?: RequestInit["body"];
  /** Sent as JSON, with its content type. */
  readonly json?: unknown;
}

/** Calls `{server}{path}` and parses the JSON response; an empty one gives `{}`. */
export async function call<T = Body>(
  server: { readonly url: string },
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<ApiResponse<T>> {
  const response = await fetch(server.url + path, {
    method,
    headers: {
      ...(options.json === undefined ? {} : { "Content-Type": "application/json" }),
      ...(options.key === undefined ? {} : { Authorization: `Bearer ${options.key}` }),
      ...options.headers,
    },
    body: options.json === undefined ? options.body : JSON.stringify(options.json),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: (text === "" ? {} : JSON.parse(text)) as T };
}

/** Asserts the documented shape of an error: status, code, JSON envelope and a sentence as its text. */
export function assertRefused({ status, headers, body }: ApiResponse, expected: { readonly status: number; readonly code: string }): void {
  assert.deepEqual({ status, errorCode: body.errorCode }, { status: expected.status, errorCode: expected.code }, JSON.stringify(body));
  assert.match(headers.get("content-type") ?? "", /^application\/json/);
  assert.equal(body.success, false);
  assert.match(body.error ?? "", /^[A-Z0-9].{15,}[.!]$/s);
}

export interface UploadForm {
  readonly name?: string;
  readonly type?: string;
  readonly bytes?: string | Uint8Array<ArrayBuffer>;
  readonly fields?: Readonly<Record<string, string>>;
}

/** Makes a form with publish fields and, unless `bytes` is missing, a file. */
export function toForm({ name = "note.txt", type = "text/plain", bytes, fields = {} }: UploadForm): FormData {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  if (bytes !== undefined) form.append("file", new File([bytes], name, { type }));
  return form;
}

/** Calls `POST /api/files/upload`; resolves to any response. */
export async function postUpload(
  server: { readonly url: string },
  form: UploadForm,
  options: CallOptions = {},
): Promise<ApiResponse<Body & { readonly data: Upload }>> {
  return await call(server, "POST", "/api/files/upload", { ...options, body: toForm(form) });
}

/** The input of an operation, for helpers whose callers pass loosely typed fields. */
export type InputOf<Name extends OperationName> = z.input<(typeof contract)[Name]["input"]>;

/** Makes a client typed by the contract, for calls that must succeed: it rejects with ApiError. `call` sends anything and returns any response. */
export function clientOf(server: { readonly url: string }, { key, headers = {} }: Pick<CallOptions, "key" | "headers"> = {}): Client {
  return createClient({
    baseUrl: `${server.url}/api`,
    ...(key !== undefined && { key }),
    async fetch(request) {
      for (const [name, value] of Object.entries(headers)) request.headers.set(name, value);
      return await fetch(request);
    },
  });
}

/** Uploads a file; rejects when the server refuses it. */
export async function upload(
  server: { readonly url: string },
  { name = "note.txt", type = "text/plain", bytes = "", fields = {} }: UploadForm,
  options: Pick<CallOptions, "key" | "headers"> = {},
): Promise<Upload> {
  const file = { name, type, bytes: typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes };
  const { data } = await clientOf(server, options).call("uploadFile", { ...fields, file } as InputOf<"uploadFile">);
  return data;
}

/** Calls `GET /api/files/share/{shortId}`. */
export const getShare = (server: { readonly url: string }, shortId: string): Promise<ApiResponse> =>
  call(server, "GET", `/api/files/share/${shortId}`);

/** Calls `GET /api/files/download/{fileId}`. */
export const authorize = (server: { readonly url: string }, fileId: string, options: CallOptions = {}): Promise<ApiResponse> =>
  call(server, "GET", `/api/files/download/${fileId}`, options);

/** Authorises a download; resolves to the signed URL. */
export async function signedUrl(server: { readonly url: string }, fileId: string): Promise<string> {
  return (await clientOf(server).call("authorizeDownload", { fileId })).url;
}
