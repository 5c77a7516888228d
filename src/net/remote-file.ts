import { setTimeout as pause } from "node:timers/promises";
import { AppError } from "../errors.ts";
import { isAttachment, remoteName } from "./remote-name.ts";
import { checkRemoteUrl } from "./remote-url.ts";
import type { SafeFetch, SafeResponse } from "./safe-fetch.ts";
import { toDownloadAddress } from "./share-links.ts";
import { refusePage } from "./web-page.ts";

/** Where an earlier transfer of the same file ended. */
export interface ResumePoint {
  readonly offset: number;
  readonly sizeBytes: number;
  readonly validator: string;
}

export interface RemoteFileRequest {
  /** A share link of a known service is rewritten to its download. */
  readonly url: string;
  /** Ends everything with its reason. */
  readonly signal: AbortSignal;
  readonly resume?: ResumePoint;
}

export interface RemoteFile {
  /** Not cleaned; may be empty. */
  readonly name: string;
  readonly type: string | undefined;
  /** Undefined where the server does not say. */
  readonly sizeBytes: number | undefined;
  /** What tells whether the file is still the same (`If-Range`); undefined where the server cannot go on in the middle. */
  readonly validator: string | undefined;
  /** Where in the file `body` begins: `resume.offset`, or 0 where the file has changed or the server starts again. */
  readonly offset: number;
  /**
   * The rest of the file. A connection that breaks is made again where the server can go on in the middle. Throws what `SafeFetch` does,
   * and REMOTE_NOT_A_FILE.
   */
  readonly body: AsyncIterable<Uint8Array>;
  cancel(): void;
}

/** How often a transfer goes on after a break before it counts as failed; each so many bytes forgive one. */
const MAX_BREAKS = 5;
const FORGIVING_BYTES = 8 * 1024 ** 2;

/**
 * Opens a file on another server. Throws what `SafeFetch` does, REMOTE_REFUSED with `remoteStatus` where it answers anything but the file,
 * REMOTE_ENCODED where it sends the file compressed although it was asked not to.
 */
export async function openRemoteFile(fetch: SafeFetch, { url: asked, signal, resume }: RemoteFileRequest): Promise<RemoteFile> {
  const { url, rewritten } = toDownloadAddress(checkRemoteUrl(asked));
  const ask = (point?: ResumePoint): Promise<SafeResponse> => fetch({ url: url.href, headers: rangeHeaders(point), signal });
  let response = await ask(resume);
  if (resume && response.status !== 200 && !continues(response, resume)) {
    response.cancel();
    response = await ask();
  }
  const offset = resume && continues(response, resume) ? resume.offset : 0;
  try {
    checkAnswer(response, offset);
  } catch (error) {
    response.cancel();
    throw error;
  }
  const { headers } = response;
  const sizeBytes = offset > 0 ? resume?.sizeBytes : readLength(headers["content-length"]);
  const validator = offset > 0 ? resume?.validator : readValidator(headers, sizeBytes);
  const point = sizeBytes === undefined || validator === undefined ? undefined : { sizeBytes, validator };
  const rest = readOn(response, { offset, signal, reopen: point && ((at) => ask({ ...point, offset: at })) });
  const disposition = headers["content-disposition"];
  const hints = { url: new URL(asked), rewritten, type: headers["content-type"], isAttachment: isAttachment(disposition) };
  return {
    name: remoteName(disposition, [response.url, new URL(asked)]),
    type: headers["content-type"],
    sizeBytes,
    validator,
    offset,
    body: offset > 0 ? rest : refusePage(rest, hints),
    cancel: response.cancel,
  };
}

interface Reading {
  readonly offset: number;
  readonly signal: AbortSignal;
  /** Undefined where the server cannot go on in the middle. */
  readonly reopen: ((offset: number) => Promise<SafeResponse>) | undefined;
}

async function* readOn(first: SafeResponse, { offset, signal, reopen }: Reading): AsyncGenerator<Uint8Array> {
  let response: SafeResponse | undefined = first;
  let at = offset;
  let breaks = 0;
  let forgiveAt = offset + FORGIVING_BYTES;
  for (;;) {
    try {
      response ??= await goOn(reopen, at);
      for await (const chunk of response.body) {
        at += chunk.length;
        if (at >= forgiveAt) {
          breaks = 0;
          forgiveAt = at + FORGIVING_BYTES;
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

async function goOn(reopen: Reading["reopen"], at: number): Promise<SafeResponse> {
  const response = await reopen?.(at);
  if (response?.status === 206 && readRangeStart(response) === at) return response;
  response?.cancel();
  throw new AppError("REMOTE_REFUSED", "The connection to the remote server broke, and it does not send the rest. Try again.", {
    fields: { remoteStatus: response?.status ?? 0 },
  });
}

function rangeHeaders(point: ResumePoint | undefined): Record<string, string> {
  return point ? { range: `bytes=${point.offset}-`, "if-range": point.validator } : {};
}

/** Whether an answer has the bytes of the same file from the point on. */
function continues(response: SafeResponse, { offset, sizeBytes }: ResumePoint): boolean {
  const total = /\/(\d+)\s*$/.exec(response.headers["content-range"] ?? "")?.[1];
  return response.status === 206 && readRangeStart(response) === offset && Number(total) === sizeBytes;
}

function readRangeStart({ headers }: SafeResponse): number | undefined {
  const start = /^\s*bytes\s+(\d+)-/i.exec(headers["content-range"] ?? "")?.[1];
  return start === undefined ? undefined : Number(start);
}

function checkAnswer({ status, headers }: SafeResponse, offset: number): void {
  const isFile = status === 200 || status === 203 || (status === 206 && offset > 0);
  if (!isFile) {
    throw new AppError("REMOTE_REFUSED", `The remote server answered ${status} instead of the file. ${adviceFor(status)}`, {
      fields: { remoteStatus: status },
    });
  }
  const encoding = (headers["content-encoding"] ?? "").trim().toLowerCase();
  if (encoding === "" || encoding === "identity") return;
  throw new AppError(
    "REMOTE_ENCODED",
    "The remote server sends this file compressed only, although it was asked not to. Upload it yourself.",
    {
      fields: { remoteStatus: status },
    },
  );
}

function adviceFor(status: number): string {
  if (status === 401 || status === 403) return "It may need a login, or the link may have expired: send one that anybody could open.";
  if (status === 404 || status === 410) return "Check the URL: there is nothing there, or not any more.";
  return "Try again later, or another URL.";
}

function readLength(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** A strong ETag, else the time of the last change, where the size is known and ranges are not ruled out. */
function readValidator(headers: SafeResponse["headers"], sizeBytes: number | undefined): string | undefined {
  if (sizeBytes === undefined || headers["accept-ranges"]?.trim().toLowerCase() === "none") return undefined;
  const { etag, "last-modified": lastModified } = headers;
  return etag?.startsWith('"') ? etag : lastModified;
}
