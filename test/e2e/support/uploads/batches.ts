import { type ApiResponse, type Body, type CallOptions, call, type Upload } from "../api/api.ts";

export interface SentFile {
  /** The field `relativePath`; if it is missing, only the file's name is sent. */
  readonly relativePath?: string;
  readonly name?: string;
  readonly sha256?: string;
  readonly modifiedAt?: string;
  readonly executable?: string;
  /** The folder of this file and of those after it. */
  readonly folderId?: string;
  readonly bytes?: string | Uint8Array<ArrayBuffer>;
}

/** An entry of the response: a result or an error. */
export interface Entry extends Omit<Upload, "url"> {
  readonly url: string | null;
  readonly relativePath: string;
  readonly error?: string;
  readonly errorCode?: string;
}

type BatchResponse = ApiResponse<Body & { readonly data: { readonly files: readonly Entry[] } }>;

export function toBatchForm(fields: Readonly<Record<string, string>>, files: readonly SentFile[]): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const { relativePath, name = relativePath ?? "", bytes = "", ...own } of files) {
    if (relativePath !== undefined) form.append("relativePath", relativePath);
    for (const [name, value] of Object.entries(own)) form.append(name, value);
    form.append("file", new File([bytes], name));
  }
  return form;
}

/** Calls `POST /api/files/batch`; resolves to any response. */
export const postBatch = (
  server: { readonly url: string },
  fields: Readonly<Record<string, string>>,
  files: readonly SentFile[],
  options: CallOptions = {},
): Promise<BatchResponse> => call(server, "POST", "/api/files/batch", { ...options, body: toBatchForm(fields, files) });

/** Makes small files with different paths and bytes. */
export const manyFiles = (count: number, from = 0): readonly SentFile[] =>
  Array.from({ length: count }, (_, n) => ({ relativePath: `folder/${from + n}.txt`, bytes: `bytes of ${from + n}` }));
