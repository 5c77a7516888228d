/** The requests of an upload to the server's API. */
import { parseJson } from "../../../../src/lib/text/parse-json.ts";
import type { OperationAt, OperationName, RequestInput, ResponseOf, RouteOf } from "../../../../src/service/contract.ts";
import { BodyRefused, isProxyRefusal } from "../../../../src/transfer/failures.ts";
import type { PartDigests, PartUrls } from "../../../../src/transfer/send-parts.ts";
import { type ApiInput, type ErrorJson, toApiRequest, toSentence } from "../api.ts";
import { PermanentFailure, toFailure, toProxyFailure } from "./failures.ts";
import { type HttpResponse, sendRequest } from "./transport.ts";

/** The shipment that gets the files, with the right to add to it. */
export interface UploadTarget {
  readonly shortId: string;
  /** The token that adds files; undefined for the owner, whose session adds them. */
  readonly shareToken?: string;
  /** The token of the request, if this is a submission. */
  readonly requestToken?: string;
}

/** Returns the fields with which an upload joins the shipment. `folderId` is the folder of the owner's file; undefined: none. */
export const toTargetFields = (
  { shortId, shareToken, requestToken }: UploadTarget,
  folderId?: string,
): readonly (readonly [name: string, value: string])[] => [
  ["shareShortId", shortId],
  ...(shareToken === undefined ? [] : [["shareToken", shareToken] as const]),
  ...(folderId === undefined ? [] : [["folderId", folderId] as const]),
  ...(requestToken === undefined ? [] : [["requestToken", requestToken] as const]),
];

/** A shipment that was opened, with its secrets. */
export type OpenedShare = ResponseOf<"createShare">["data"];

/** A submission that was opened, with its secrets. */
export type OpenedSubmission = ResponseOf<"openSubmission">["data"];

export type UploadSession = ResponseOf<"initMultipart">["data"];

type AnyEntry = ResponseOf<"uploadBatch">["data"]["files"][number];

/** A file of a batch: stored, or refused with a sentence. */
export type BatchEntry = Partial<Pick<Extract<AnyEntry, { readonly error: string }>, "relativePath" | "error" | "errorCode">>;

/** Opens a shipment. The same `key` opens the same one again. */
export async function openShare(
  settings: RequestInput<"createShare">,
  { key, signal }: { readonly key: string; readonly signal: AbortSignal },
): Promise<OpenedShare> {
  const { data } = await callUploadApi("POST /shares", settings, { key, signal });
  return data;
}

/** Creates the missing folders of paths in a folder of the account; null: at its root. Resolves to the ID of the folder at the end of each path. */
export async function createFolders(
  paths: readonly string[],
  { parentId, signal }: { readonly parentId: string | null; readonly signal: AbortSignal },
): Promise<ReadonlyMap<string, string>> {
  const { data } = await callUploadApi("POST /folders/paths", { paths: [...paths], parentId }, { signal });
  return new Map(data.folders.map(({ path, id }) => [path, id]));
}

/** Opens a submission to a request. `settings` has the token of the request. */
export async function openSubmission(
  settings: RequestInput<"openSubmission">,
  { key, signal }: { readonly key: string; readonly signal: AbortSignal },
): Promise<OpenedSubmission> {
  const { data } = await callUploadApi("POST /requests/submissions", settings, { key, signal });
  return data;
}

/** Lists the paths of the files in a submission. */
export async function listSubmitted(shortId: string, deletionToken: string, signal: AbortSignal): Promise<readonly string[]> {
  const { data } = await callUploadApi("GET /requests/submissions/{shortId}", { shortId, deletionToken }, { signal });
  return data.files.flatMap(({ name, relativePath, uploading }) => (uploading ? [] : (relativePath ?? name)));
}

/** Removes the files of a submission. */
export async function removeSubmission(shortId: string, deletionToken: string, signal: AbortSignal): Promise<void> {
  await callUploadApi("DELETE /requests/submissions/{shortId}", { shortId, deletionToken }, { signal });
}

export async function sendBatch(
  form: FormData,
  { signal, onProgress }: { readonly signal: AbortSignal; onProgress(bytes: number): void },
): Promise<readonly BatchEntry[]> {
  const request = { method: "POST", url: "/api/files/batch", headers: { Accept: "application/json" }, body: form } as const;
  const { data } = readSent<ResponseOf<"uploadBatch">>(await sendRequest({ ...request, signal, onProgress }));
  return data.files;
}

export async function createSession(
  body: RequestInput<"initMultipart">,
  { key, signal }: { readonly key: string; readonly signal: AbortSignal },
): Promise<UploadSession> {
  return (await callUploadApi("POST /files/multipart/init", body, { key, signal })).data;
}

export async function getSession(uploadId: string, signal: AbortSignal): Promise<ResponseOf<"getMultipart">["data"]> {
  return (await callUploadApi("GET /files/multipart/{uploadId}", { uploadId }, { signal })).data;
}

export async function requestPartUrls({ uploadId, key }: UploadSession, partDigests: PartDigests, signal: AbortSignal): Promise<PartUrls> {
  return (await callUploadApi("POST /files/multipart/batch-urls", { uploadId, key, partDigests }, { signal })).urls;
}

export async function completeSession({ uploadId, key }: UploadSession, signal: AbortSignal): Promise<void> {
  await callUploadApi("POST /files/multipart/complete", { uploadId, key }, { signal });
}

export async function abortSession(
  { uploadId, key }: Pick<UploadSession, "uploadId"> & { key?: string },
  signal: AbortSignal,
): Promise<void> {
  await callUploadApi("POST /files/multipart/abort", { uploadId, key }, { signal });
}

interface Asking {
  /** An `Idempotency-Key`. */
  readonly key?: string;
  readonly signal: AbortSignal;
}

/** Calls the operation of a route by the upload's transport, which distinguishes temporary failures. */
async function callUploadApi<Route extends RouteOf<OperationName>>(
  route: Route,
  input: ApiInput<Route>,
  { key, signal }: Asking,
): Promise<ResponseOf<OperationAt<Route>>> {
  const { headers, ...request } = toApiRequest(route, input);
  return read(await sendRequest({ ...request, headers: { ...headers, ...(key && { "Idempotency-Key": key }) }, signal }));
}

/** Reads the JSON of a successful response. Otherwise throws a failure with the text of the error. */
function read<Answer>({ status, text, retryAfter }: HttpResponse): Answer {
  const json = parseJson(text) as ErrorJson | undefined;
  if (status >= 300 && isOwnError(json)) throw toFailure(status, retryAfter, toSentence(json));
  if (status >= 300) throw isProxyRefusal(status) ? toProxyFailure(status, retryAfter) : toFailure(status, retryAfter);
  if (json === undefined) throw toProxyFailure(502, null);
  return json as Answer;
}

/** Reads the response to a request that sent bytes of files, like `read`. Throws `BodyRefused` if a proxy refuses the request. */
export function readSent<Answer>(response: HttpResponse): Answer {
  if (isProxyRefusal(response.status) && !isOwnError(parseJson(response.text) as ErrorJson | undefined))
    throw new BodyRefused(response.status);
  return read<Answer>(response);
}

/** Whether an error comes from filehost, by its envelope. Proxies respond with pages or with other JSON. */
const isOwnError = (json: ErrorJson | undefined): json is ErrorJson => typeof (json?.errorCode ?? json?.error) === "string";

/** Whether the server refuses the request, or requests an unreasonable wait. */
export const isRefused = (error: unknown): error is PermanentFailure => error instanceof PermanentFailure;

/** Whether the server says that an object no longer exists, or can no longer be changed. */
export const isGoneOrClosed = (error: unknown): boolean => isRefused(error) && (error.status === 404 || error.status === 409);
