import assert from "node:assert/strict";
import { type ApiResponse, authorize, type Body, call, type Upload } from "./api.ts";

type Server = { readonly url: string };

/** The credentials of a protected share, which the server shows once. */
export interface Credentials {
  readonly unlockCode: string;
  readonly handoffUrl: string;
  readonly handoffToken: string;
}

/** The response to a change of share settings. */
export interface Settings {
  readonly fileId: string;
  readonly shortId: string;
  readonly visibility: string;
  readonly unlockRequired: boolean;
  readonly unlockCode?: string;
  readonly handoffUrl?: string;
}

/** An upload's response with the members that some uploads have. */
export type ProtectedUpload = Upload & { readonly unlockCode?: string; readonly handoffUrl?: string; readonly idempotent?: boolean };

export const patchSettings = (server: Server, json: object, key?: string): Promise<ApiResponse<Body & { readonly data: Settings }>> =>
  call(server, "PATCH", "/api/files/share-settings", { json, ...(key !== undefined && { key }) });

export const patchLink = (server: Server, json: object): Promise<ApiResponse<Body & { readonly data: Settings }>> =>
  call(server, "PATCH", "/api/files/link-protection", { json });

export const postClaim = (
  server: Server,
  json: object,
  key?: string,
): Promise<ApiResponse<Body & { readonly data: { id: string; shortCode: string } }>> =>
  call(server, "POST", "/api/files/claim", { json, ...(key !== undefined && { key }) });

export const claim = (server: Server, file: Upload, key: string) =>
  postClaim(server, { fileId: file.id, claimToken: file.claimToken }, key);

export const postUnlock = (server: Server, json: object, headers?: Record<string, string>): Promise<ApiResponse> =>
  call(server, "POST", "/api/downloads/unlock", { json, ...(headers && { headers }) });

/** Reads the credentials from a response, and asserts their documented form. */
export function credentialsIn({ unlockCode, handoffUrl }: { unlockCode?: string; handoffUrl?: string }): Credentials {
  assert.ok(unlockCode !== undefined && handoffUrl !== undefined);
  assert.match(unlockCode, /^[0-9A-Z]{6}$/);
  const [, handoffToken] = /^http:\/\/localhost:\d+\/h\/([\w-]{40,})$/.exec(handoffUrl) ?? [];
  assert.ok(handoffToken, handoffUrl);
  return { unlockCode, handoffUrl, handoffToken };
}

/** Calls `GET /files/download/{fileId}` with credentials in the query. */
export function authorizeWith(
  server: Server,
  fileId: string,
  credentials: Readonly<Record<string, string | undefined>> = {},
  headers: Record<string, string> = {},
): Promise<ApiResponse> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(credentials)) if (value !== undefined) query.set(name, value);
  return authorize(server, `${fileId}?${query}`, { headers });
}

/** Makes a well-formed code other than `code`; `n` selects one of many. */
export function wrongCode(code: string, n = 0): string {
  const letters = "23456789ABCDEFGHJKMNPQRSTWXYZ";
  const other = `${letters[n % letters.length]}${letters[Math.floor(n / letters.length) % letters.length]}2345`;
  return other === code ? "222222" : other;
}
