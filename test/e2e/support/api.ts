import assert from "node:assert/strict";
import { type ContractClient, createClient } from "../../../src/service/client.ts";
import type { OperationName, Output, RequestInput, ResponseOf } from "../../../src/service/contract.ts";

type Server = { readonly url: string };

/** The result of an upload. */
export type Upload = Output<"uploadFile">;

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
  /** The body, which is sent unchanged. */
  readonly body?: RequestInit["body"];
  /** The value that is sent as JSON, with its content type. */
  readonly json?: unknown;
}

export type ClientSettings = Pick<CallOptions, "key" | "headers">;

/** Calls `{server}{path}` and parses the JSON response; an empty one becomes `{}`. */
export async function call<T = Body>(server: Server, method: string, path: string, options: CallOptions = {}): Promise<ApiResponse<T>> {
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
  server: Server,
  form: UploadForm,
  options: CallOptions = {},
): Promise<ApiResponse<Body & { readonly data: Upload }>> {
  return await call(server, "POST", "/api/files/upload", { ...options, body: toForm(form) });
}

/** The input of an operation, for helpers whose callers pass loosely typed fields. */
export type InputOf<Name extends OperationName> = RequestInput<Name>;

/**
 * Makes a client typed by the contract, for calls that must succeed, because it rejects with ApiError. `call` sends any request and returns any
 * response.
 */
export function clientOf(server: Server, { key, headers = {} }: ClientSettings = {}): ContractClient {
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
  server: Server,
  { name = "note.txt", type = "text/plain", bytes = "", fields = {} }: UploadForm,
  options?: ClientSettings,
): Promise<Upload> {
  const file = { name, type, bytes: typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes };
  const { data } = await clientOf(server, options).call("uploadFile", { ...fields, file } as InputOf<"uploadFile">);
  return data;
}

/** Calls `GET /api/files/share/{shortId}`; resolves to any response. */
export const askShare = (server: Server, shortId: string): Promise<ApiResponse> => call(server, "GET", `/api/files/share/${shortId}`);

/** Reads a share; rejects when it is unavailable. */
export const getShare = (server: Server, shortId: string): Promise<ResponseOf<"getShare">> =>
  clientOf(server).call("getShare", { shortId });

/** Calls `GET /api/files/download/{fileId}`; resolves to any response. */
export const authorize = (server: Server, fileId: string, options: CallOptions = {}): Promise<ApiResponse> =>
  call(server, "GET", `/api/files/download/${fileId}`, options);

/** Authorizes a download; resolves to the signed URL. */
export async function signedUrl(
  server: Server,
  fileId: string,
  credentials: Omit<InputOf<"authorizeDownload">, "fileId"> = {},
  headers: CallOptions["headers"] = {},
): Promise<string> {
  return (await clientOf(server, { headers }).call("authorizeDownload", { fileId, ...credentials })).url;
}

/** Calls `DELETE /api/files/delete`; resolves to any response. */
export async function askDelete(
  server: Server,
  query: Readonly<Record<string, string | undefined>>,
  options: CallOptions = {},
): Promise<ApiResponse> {
  const given = Object.entries(query).filter((field): field is [string, string] => field[1] !== undefined);
  return await call(server, "DELETE", `/api/files/delete?${new URLSearchParams(given)}`, options);
}

/** Deletes a file; rejects when the server refuses it. */
export async function deleteFile(server: Server, input: InputOf<"deleteFile">, options?: ClientSettings): Promise<void> {
  await clientOf(server, options).call("deleteFile", input);
}

/** Looks up a file by its short code; undefined when the code is unknown. */
export async function findInfo(server: Server, shortId: string) {
  const { result } = await clientOf(server).call("getFileInfo", { file_code: shortId });
  return result[0]?.status === 200 ? result[0] : undefined;
}

/** Lists a page of an account's files. */
export async function listFiles(server: Server, key: string, input: Omit<InputOf<"listFiles">, "runId"> = {}) {
  const response = await clientOf(server, { key }).call("listFiles", input);
  assert.ok("pagination" in response);
  return { ...response.data, pagination: response.pagination };
}
