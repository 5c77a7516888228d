import { setTimeout as pause } from "node:timers/promises";
import { AppError } from "../errors.ts";
import type { SafeFetch, SafeResponse } from "./safe-fetch.ts";
import { toDownloadUrl } from "./share-link-rewrites.ts";
import { isAttachment, readSourceName } from "./source-name.ts";
import { checkSourceUrl } from "./source-url.ts";
import { rejectWebPage } from "./web-page.ts";

/** The state of an earlier transfer of the same file. */
export interface ResumePoint {
  readonly offset: number;
  readonly sizeBytes: number;
  readonly validator: string;
}

export interface SourceFileRequest {
  /** Share links of known services are rewritten to download URLs. */
  readonly url: string;
  /** Aborts everything with its reason. */
  readonly signal: AbortSignal;
  readonly resume?: ResumePoint;
}

export interface SourceFile {
  /** The name, which is not sanitized and may be empty. */
  readonly name: string;
  readonly type: string | undefined;
  /** The size in bytes; undefined if unknown. */
  readonly sizeBytes: number | undefined;
  /** The `If-Range` validator; undefined if the server cannot resume. */
  readonly validator: string | undefined;
  /** The offset of `body` in the file: `resume.offset`, or 0 if the file has changed or the server starts over. */
  readonly offset: number;
  /** The rest of the file. Reconnects after a broken connection if the server can resume. Throws as `SafeFetch` does, and REMOTE_NOT_A_FILE. */
  readonly body: AsyncIterable<Uint8Array>;
  cancel(): void;
}

/** Maximum number of breaks in a transfer. The count restarts after each `RESET_BYTES`. */
const MAX_BREAKS = 5;
const RESET_BYTES = 8 * 1024 ** 2;

/**
 * Opens a file on another server. Throws as `SafeFetch` does; REMOTE_REFUSED with `remoteStatus` for a response without the file; REMOTE_ENCODED if
 * the file is sent compressed despite the request.
 */
export async function openSourceFile(fetch: SafeFetch, { url: requestedUrl, signal, resume }: SourceFileRequest): Promise<SourceFile> {
  const { url, isRewritten } = toDownloadUrl(checkSourceUrl(requestedUrl));
  const request = (point?: ResumePoint): Promise<SafeResponse> => fetch({ url: url.href, headers: rangeHeaders(point), signal });
  let response = await request(resume);
  if (resume && response.status !== 200 && !continues(response, resume)) {
    response.cancel();
    response = await request();
  }
  const offset = resume && continues(response, resume) ? resume.offset : 0;
  try {
    checkResponse(response, offset);
  } catch (error) {
    response.cancel();
    throw error;
  }
  const { headers } = response;
  const sizeBytes = offset > 0 ? resume?.sizeBytes : readLength(headers["content-length"]);
  const validator = offset > 0 ? resume?.validator : readValidator(headers, sizeBytes);
  const point = sizeBytes === undefined || validator === undefined ? undefined : { sizeBytes, validator };
  const rest = readResumable(response, { offset, signal, reopen: point && ((position) => request({ ...point, offset: position })) });
  const disposition = headers["content-disposition"];
  const hints = { url: new URL(requestedUrl), isRewritten, type: headers["content-type"], isAttachment: isAttachment(disposition) };
  return {
    name: readSourceName(disposition, [response.url, new URL(requestedUrl)]),
    type: headers["content-type"],
    sizeBytes,
    validator,
    offset,
    body: offset > 0 ? rest : rejectWebPage(rest, hints),
    cancel: response.cancel,
  };
}

interface ResumableOptions {
  readonly offset: number;
  readonly signal: AbortSignal;
  /** Reopens the file at an offset; undefined if the server cannot resume. */
  readonly reopen: ((offset: number) => Promise<SafeResponse>) | undefined;
}

async function* readResumable(first: SafeResponse, { offset, signal, reopen }: ResumableOptions): AsyncGenerator<Uint8Array> {
  let response: SafeResponse | undefined = first;
  let position = offset;
  let breaks = 0;
  let resetAt = offset + RESET_BYTES;
  for (;;) {
    try {
      response ??= await resumeAt(reopen, position);
      for await (const chunk of response.body) {
        position += chunk.length;
        if (position >= resetAt) {
          breaks = 0;
          resetAt = position + RESET_BYTES;
        }
        yield chunk;
      }
      return;
    } catch (error) {
      breaks += 1;
      const isBreak = error instanceof AppError && error.code === "REMOTE_UNREACHABLE";
      if (!isBreak || !reopen || breaks > MAX_BREAKS) throw error;
    }
    response = undefined;
    await pause(50 * 2 ** breaks, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

async function resumeAt(reopen: ResumableOptions["reopen"], position: number): Promise<SafeResponse> {
  const response = await reopen?.(position);
  if (response?.status === 206 && readRangeStart(response) === position) return response;
  response?.cancel();
  throw new AppError("REMOTE_REFUSED", "The connection to the remote server broke and cannot be resumed. Try again.", {
    fields: { remoteStatus: response?.status ?? 0 },
  });
}

function rangeHeaders(point: ResumePoint | undefined): Record<string, string> {
  return point ? { range: `bytes=${point.offset}-`, "if-range": point.validator } : {};
}

/** Returns whether a response continues the same file at the resume point. */
function continues(response: SafeResponse, { offset, sizeBytes }: ResumePoint): boolean {
  const total = /\/(\d+)\s*$/.exec(response.headers["content-range"] ?? "")?.[1];
  return response.status === 206 && readRangeStart(response) === offset && Number(total) === sizeBytes;
}

function readRangeStart({ headers }: SafeResponse): number | undefined {
  const start = /^\s*bytes\s+(\d+)-/i.exec(headers["content-range"] ?? "")?.[1];
  return start === undefined ? undefined : Number(start);
}

function checkResponse({ status, headers }: SafeResponse, offset: number): void {
  const isFile = status === 200 || status === 203 || (status === 206 && offset > 0);
  if (!isFile) {
    throw new AppError("REMOTE_REFUSED", `The remote server responded with ${status} instead of the file. ${adviceFor(status)}`, {
      fields: { remoteStatus: status },
    });
  }
  const encoding = (headers["content-encoding"] ?? "").trim().toLowerCase();
  if (encoding === "" || encoding === "identity") return;
  throw new AppError("REMOTE_ENCODED", "The remote server only sends this file compressed. Download it yourself, then upload it.", {
    fields: { remoteStatus: status },
  });
}

function adviceFor(status: number): string {
  if (status === 401 || status === 403) return "The URL may require a login or have expired: send one that anyone can open.";
  if (status === 404 || status === 410) return "The file does not exist: check the URL.";
  return "Try again later, or another URL.";
}

function readLength(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** Returns a strong ETag or the last modification time, if the size is known and ranges are supported. */
function readValidator(headers: SafeResponse["headers"], sizeBytes: number | undefined): string | undefined {
  if (sizeBytes === undefined || headers["accept-ranges"]?.trim().toLowerCase() === "none") return undefined;
  const { etag, "last-modified": lastModified } = headers;
  return etag?.startsWith('"') ? etag : lastModified;
}
