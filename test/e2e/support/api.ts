import assert from "node:assert/strict";

/** What an upload answers, as far as tests look into it. */
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

/** Members that answers of the API may have. */
export interface Body {
  readonly [name: string]: unknown;
  readonly success?: boolean;
  readonly error?: string;
  readonly errorCode?: string;
  readonly issues?: readonly { readonly path: string; readonly message: string }[];
  readonly url?: string;
  readonly urls?: Readonly<Record<string, string>>;
}

export interface Answer<T = Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

export interface CallOptions {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is. */
  readonly body?: RequestInit["body"];
  /** Sent as JSON, with its content type. */
  readonly json?: unknown;
}

/** Calls `{server}{path}` and reads the JSON that it answers. */
export async function call<T = Body>(
  server: { readonly url: string },
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Answer<T>> {
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

/** Asserts the documented shape of a refusal: status, code, and a sentence that a person can act on. */
export function assertRefused({ status, headers, body }: Answer, expected: { readonly status: number; readonly code: string }): void {
  assert.deepEqual({ status, errorCode: body.errorCode }, { status: expected.status, errorCode: expected.code }, JSON.stringify(body));
  assert.match(headers.get("content-type") ?? "", /^application\/json/);
  assert.equal(body.success, false);
  assert.match(body.error ?? "", /^[A-Z0-9].{15,}[.!]$/s);
}

export interface SentForm {
  readonly name?: string;
  readonly type?: string;
  readonly bytes?: string | Uint8Array<ArrayBuffer>;
  readonly fields?: Readonly<Record<string, string>>;
}

/** A form with publish fields and, unless `bytes` is missing, a file. */
export function toForm({ name = "note.txt", type = "text/plain", bytes, fields = {} }: SentForm): FormData {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  if (bytes !== undefined) form.append("file", new File([bytes], name, { type }));
  return form;
}

/** Uploads through `POST /api/files/upload`, whatever it answers. */
export async function postUpload(
  server: { readonly url: string },
  form: SentForm,
  options: CallOptions = {},
): Promise<Answer<Body & { readonly data: Upload }>> {
  return await call(server, "POST", "/api/files/upload", { ...options, body: toForm(form) });
}

/** Uploads a file that is taken. */
export async function upload(server: { readonly url: string }, form: SentForm, options: CallOptions = {}): Promise<Upload> {
  const { status, body } = await postUpload(server, form, options);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

/** `GET /api/files/share/{shortId}`. */
export const getShare = (server: { readonly url: string }, shortId: string): Promise<Answer> =>
  call(server, "GET", `/api/files/share/${shortId}`);

/** `GET /api/files/download/{fileId}`. */
export const authorize = (server: { readonly url: string }, fileId: string, options: CallOptions = {}): Promise<Answer> =>
  call(server, "GET", `/api/files/download/${fileId}`, options);

/** A signed address for a file that can be had. */
export async function signedUrl(server: { readonly url: string }, fileId: string): Promise<string> {
  const { status, body } = await authorize(server, fileId);
  assert.equal(status, 200, JSON.stringify(body));
  assert.ok(body.url);
  return body.url;
}
