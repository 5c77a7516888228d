import assert from "node:assert/strict";
import type { Output } from "../../../src/service/contract.ts";
import { type ApiResponse, authorize, call, clientOf, getShare, type InputOf, type Upload } from "./api.ts";

type Server = { readonly url: string };

/** The credentials of a protected share, which the server shows only once. */
export interface Credentials {
  readonly unlockCode: string;
  readonly handoffUrl: string;
  readonly handoffToken: string;
}

export const patchSettings = (server: Server, json: object, key?: string): Promise<ApiResponse> =>
  call(server, "PATCH", "/api/files/share-settings", { json, ...(key !== undefined && { key }) });

/** Changes the settings of a share; rejects when the server refuses it. */
export async function changeSettings(
  server: Server,
  input: InputOf<"updateShareSettings">,
  key: string,
): Promise<Output<"updateShareSettings">> {
  return (await clientOf(server, { key }).call("updateShareSettings", input)).data;
}

/** Makes a share of files; resolves to it, and to the IDs of the files in it. Rejects when the server refuses it. */
export async function shareFiles(server: Server, input: InputOf<"shareFiles">, key: string) {
  const { data } = await clientOf(server, { key }).call("shareFiles", input);
  return { ...data, ids: await idsIn(server, data.shortId) };
}

/** Returns the IDs of the files in an open share. */
export async function idsIn(server: Server, shortId: string): Promise<string[]> {
  const { data } = await getShare(server, shortId);
  return data.files ? data.files.map(({ id }) => id) : [data.id];
}

export const patchLink = (server: Server, json: object): Promise<ApiResponse> =>
  call(server, "PATCH", "/api/files/link-protection", { json });

/** Protects an anonymous upload, or removes its protection; rejects when the server refuses it. */
export async function changeLink(server: Server, input: InputOf<"setLinkProtection">): Promise<Output<"setLinkProtection">> {
  return (await clientOf(server).call("setLinkProtection", input)).data;
}

export const postClaim = (server: Server, json: object, key?: string): Promise<ApiResponse> =>
  call(server, "POST", "/api/files/claim", { json, ...(key !== undefined && { key }) });

/** Claims an anonymous upload; rejects when the server refuses it. */
export async function claim(
  server: Server,
  { id, claimToken = "" }: Pick<Upload, "id" | "claimToken">,
  key: string,
): Promise<Output<"claimFile">> {
  return (await clientOf(server, { key }).call("claimFile", { fileId: id, claimToken })).data;
}

export const postUnlock = (server: Server, json: object, headers?: Record<string, string>): Promise<ApiResponse> =>
  call(server, "POST", "/api/downloads/unlock", { json, ...(headers && { headers }) });

/** Exchanges an unlock code or handoff token for an unlock token; rejects when the server refuses it. */
export async function unlock(
  server: Server,
  input: InputOf<"unlockDownload">,
  headers?: Record<string, string>,
): Promise<Output<"unlockDownload">> {
  return (await clientOf(server, { headers }).call("unlockDownload", input)).data;
}

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

/** Makes a well-formed code other than `code`. `n` selects one of many. */
export function wrongCode(code: string, n = 0): string {
  const letters = "23456789ABCDEFGHJKMNPQRSTWXYZ";
  const other = `${letters[n % letters.length]}${letters[Math.floor(n / letters.length) % letters.length]}2345`;
  return other === code ? "222222" : other;
}
