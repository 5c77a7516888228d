/** The permanent and temporary failures of requests. */
import { upload as texts } from "#texts/site";
import { BodyRefused, isTemporary, retryAfterMs, TemporaryFailure } from "../../../../src/transfer/failures.ts";

/** A permanent failure. Its message is a sentence for people. */
export class PermanentFailure extends Error {
  /** The status of the response; undefined if there was none. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

/** The error for a store of parts that this browser cannot reach. */
export class Unreachable extends PermanentFailure {}

export const lostConnection = (): TemporaryFailure => new TemporaryFailure(texts.interrupted, waitMessage(408), { isOwn: false });

/** Converts an unsuccessful response to a `PermanentFailure` or a `TemporaryFailure`. `reason` is the server's message. */
export function toFailure(status: number, retryAfter: string | null, reason?: string): PermanentFailure | TemporaryFailure {
  const waitMs = retryAfterMs(retryAfter);
  const message = reason || finalMessage(status);
  return isTemporary(status, waitMs)
    ? new TemporaryFailure(message, waitMessage(status), { waitMs })
    : new PermanentFailure(message, status);
}

/** Returns the failure for a response that comes from a proxy instead of filehost. */
export function toProxyFailure(status: number, retryAfter: string | null): PermanentFailure | TemporaryFailure {
  const waitMs = retryAfterMs(retryAfter);
  const message = texts.proxy(status);
  if (!isTemporary(status, waitMs)) return new PermanentFailure(message, status);
  return new TemporaryFailure(message, waitMessage(status), { waitMs, isOwn: false, status });
}

/** Returns the sentence of an error. */
export function toSentenceOf(error: unknown): string {
  if (error instanceof BodyRefused) return texts.proxy(error.status);
  return error instanceof Error ? error.message : String(error);
}

/** Rejects if a file, or a part of one, has changed since it was chosen, or cannot be read. A browser refuses to read a changed file. */
export async function checkReadable(...blobs: readonly Blob[]): Promise<void> {
  if ((await findUnreadable(blobs)).size > 0) throw new PermanentFailure(texts.changed);
}

export async function findUnreadable<File extends Blob>(blobs: readonly File[]): Promise<ReadonlySet<File>> {
  const checked = await Promise.all(
    blobs.map(async (blob) => {
      const ends = blob.size === 0 ? [] : [blob.slice(0, 1), blob.slice(blob.size - 1)];
      const isReadable = await Promise.all(ends.map((end) => end.arrayBuffer())).then(
        () => true,
        () => false,
      );
      return isReadable ? [] : [blob];
    }),
  );
  return new Set(checked.flat());
}

function waitMessage(status: number): string {
  const { waits, continues } = texts;
  const reasons: Readonly<Record<number, string>> = { 408: waits.lost, 409: waits.busy, 429: waits.many, 503: waits.busy, 507: waits.full };
  return `${reasons[status] ?? waits.broken} ${continues}`;
}

function finalMessage(status: number): string {
  const { finals } = texts;
  const messages: Readonly<Record<number, string>> = { 429: finals.many, 503: finals.busy, 507: finals.full };
  return messages[status] ?? texts.refused;
}
