/** The requests of an upload to the server's API. */
import type { OperationName, RequestInput, ResponseOf } from "../../../../src/service/contract.ts";
import { BodyRefused, isProxyRefusal } from "../../../../src/transfer/failures.ts";
import type { PartDigests, PartUrls } from "../../../../src/transfer/send-parts.ts";
import { type ErrorJson, toSentence } from "../api.ts";
import { PermanentFailure, toFailure, toProxyFailure } from "./failures.ts";
import { type HttpRequest, type HttpResponse, sendRequest } from "./transport.ts";

/** Where files are added: a shipment, and the right to add to it. */
export interface UploadTarget {
  readonly shortId: string;
  /** Undefined: the right of who is signed in, and owns the shipment. */
  readonly shareToken?: string;
  /** The folder of the owner's files. */
  readonly folderId?: string;
  /** Set if it is a submission to a request. */
  readonly requestToken?: string;
}

/** The fields by which an upload joins the shipment. */
export const toTargetFields = ({
  shortId,
  shareToken,
  folderId,
  requestToken,
}: UploadTarget): readonly (readonly [name: string, value: string])[] => [
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

const API = "/api";
const MULTIPART = `${API}/files/multipart`;

/** Opens a shipment; `key` makes repeating it safe. */
export async function openShare(
  settings: RequestInput<"createShare">,
  { key, signal }: { readonly key: string; readonly signal: AbortSignal },
): Promise<OpenedShare> {
  const { data } = await ask<"createShare">({ path: `${API}/shares`, json: settings, key, signal });
  return data;
}

/** Opens a submission to a request; `settings` has its token. */
export async function openSubmission(
  settings: RequestInput<"openSubmission">,
  { key, signal }: { readonly key: string; readonly signal: AbortSignal },
): Promise<OpenedSubmission> {
  const { data } = await ask<"openSubmission">({ path: `${API}/requests/submissions`, json: settings, key, signal });
  return data;
}

/** The paths of the files that a submission has. */
export async function listSubmitted(shortId: string, deletionToken: string, signal: AbortSignal): Promise<readonly string[]> {
  const path = submissionPath(shortId, deletionToken);
  const { data } = await ask<"getSubmission">({ path, method: "GET", signal });
  return data.files.flatMap(({ name, relativePath, uploading }) => (uploading ? [] : (relativePath ?? name)));
}

/** Removes the files of a submission. */
export async function removeSubmission(shortId: string, deletionToken: string, signal: AbortSignal): Promise<void> {
  await ask<"removeSubmitted">({ path: submissionPath(shortId, deletionToken), method: "DELETE", signal });
}

const submissionPath = (shortId: string, deletionToken: string): string =>
  `${API}/requests/submissions/${encodeURIComponent(shortId)}?${new URLSearchParams({ deletionToken })}`;

export async function sendBatch(
  form: FormData,
  { signal, onProgress }: { readonly signal: AbortSignal; onProgress(bytes: number): void },
): Promise<readonly BatchEntry[]> {
  const request = { method: "POST", url: `${API}/files/batch`, headers: { Accept: "application/json" }, body: form } as const;
  const { data } = readSent<ResponseOf<"uploadBatch">>(await sendRequest({ ...request, signal, onProgress }));
  return data.files;
}

export async function createSession(
  body: RequestInput<"initMultipart">,
  { key, signal }: { readonly key: string; readonly signal: AbortSignal },
): Promise<UploadSession> {
  return (await ask<"initMultipart">({ path: `${MULTIPART}/init`, json: body, key, signal })).data;
}

export async function findSession(uploadId: string, signal: AbortSignal): Promise<ResponseOf<"getMultipart">["data"]> {
  const path = `${MULTIPART}/${encodeURIComponent(uploadId)}`;
  return (await ask<"getMultipart">({ path, method: "GET", signal })).data;
}

export async function requestPartUrls({ uploadId, key }: UploadSession, partDigests: PartDigests, signal: AbortSignal): Promise<PartUrls> {
  const json = { uploadId, key, partDigests };
  return (await ask<"batchPartUrls">({ path: `${MULTIPART}/batch-urls`, json, signal })).urls;
}

export async function completeSession({ uploadId, key }: UploadSession, signal: AbortSignal): Promise<void> {
  await ask<"completeMultipart">({ path: `${MULTIPART}/complete`, json: { uploadId, key }, signal });
}

export async function abortSession(
  { uploadId, key }: Pick<UploadSession, "uploadId"> & { key?: string },
  signal: AbortSignal,
): Promise<void> {
  await ask<"abortMultipart">({ path: `${MULTIPART}/abort`, json: { uploadId, key }, signal });
}

/** A request of an operation. */
interface Ask<Name extends OperationName> {
  readonly path: string;
  readonly method?: HttpRequest["method"];
  readonly json?: RequestInput<Name>;
  /** An `Idempotency-Key`. */
  readonly key?: string;
  readonly signal: AbortSignal;
}

async function ask<Name extends OperationName>({ path, method = "POST", json, key, signal }: Ask<Name>): Promise<ResponseOf<Name>> {
  const headers = {
    Accept: "application/json",
    ...(json && { "Content-Type": "application/json" }),
    ...(key && { "Idempotency-Key": key }),
  };
  return read(await sendRequest({ method, url: path, headers, ...(json && { body: JSON.stringify(json) }), signal }));
}

/** The JSON of a successful response. Otherwise throws a failure with the text of the error. */
function read<Answer>({ status, text, retryAfter }: HttpResponse): Answer {
  const json = parse(text);
  if (status >= 300 && isOwnError(json)) throw toFailure(status, retryAfter, toSentence(json));
  if (status >= 300) throw isProxyRefusal(status) ? toProxyFailure(status, retryAfter) : toFailure(status, retryAfter);
  if (json === undefined) throw toProxyFailure(502, null);
  return json as Answer;
}

/** Reads the response to a request that sent bytes of files, like `read`. Throws `BodyRefused` if a proxy refuses the request. */
export function readSent<Answer>(response: HttpResponse): Answer {
  if (isProxyRefusal(response.status) && !isOwnError(parse(response.text))) throw new BodyRefused(response.status);
  return read<Answer>(response);
}

/** Whether an error is one of filehost, by its envelope: proxies respond with pages or with other JSON. */
const isOwnError = (json: ErrorJson | undefined): json is ErrorJson => typeof (json?.errorCode ?? json?.error) === "string";

function parse(text: string): ErrorJson | undefined {
  try {
    return JSON.parse(text) as { readonly error?: unknown };
  } catch {
    return undefined;
  }
}

/** Whether the server refuses it, or asks to wait longer than anybody would. */
export const isRefused = (error: unknown): error is PermanentFailure => error instanceof PermanentFailure;

/** Whether the server says that something does not exist any more, or can never be changed again. */
export const isOver = (error: unknown): boolean => isRefused(error) && (error.status === 404 || error.status === 409);
