import { AppError, ERRORS, type ErrorCode } from "../../errors.ts";
import { toSingleLine } from "../../lib/text/file-name.ts";
import type { Output, RequestInput } from "../../service/contract.ts";
import { newRandomId } from "../../transfer/retry.ts";
import type { ImportRecords, RememberedImport } from "../records/import-records.ts";
import type { SharingCaller } from "../shares/named-share.ts";
import { shareLinkOf } from "../shares/subject.ts";
import { followImport, type ImportStatus } from "./follow-import.ts";

/** An import that has begun: its job, and its source URL if this device knows it. */
export interface BegunImport {
  readonly jobId: string;
  readonly secret: string | undefined;
  readonly source: string;
  readonly remembered: RememberedImport | undefined;
}

export interface FinishedImport {
  readonly jobId: string;
  readonly source: string;
  readonly shortId: string;
  readonly fileId: string | null;
  readonly name: string | null;
  /** The link of the share; for a file that was sent to a request, of the sender's receipt. */
  readonly url: string;
  /** The code of a protected share. */
  readonly unlockCode?: string | undefined;
  readonly handoffUrl?: string | undefined;
}

/**
 * Begins an import, and remembers its secrets before they are needed. `receiptUrl` is the sender's receipt of a file for a request. Rejects with the
 * server's error.
 */
export async function beginImport(
  caller: SharingCaller,
  records: ImportRecords,
  input: RequestInput<"initImport">,
  receiptUrl?: string,
): Promise<BegunImport> {
  const created: Output<"initImport"> = await caller.api.call("initImport", input, { idempotencyKey: newRandomId() });
  const { jobId, jobSecret: secret, claimToken, deletionToken } = created;
  const remembered = {
    server: caller.url,
    jobId,
    secret,
    source: input.url as string,
    createdAt: new Date().toISOString(),
    claimToken,
    deletionToken,
    receiptUrl,
  };
  await records.save(remembered);
  return { jobId, secret, source: remembered.source, remembered };
}

/** Finds an import that was begun before, on this device or with this key. */
export async function recallImport(records: ImportRecords, jobId: string): Promise<BegunImport> {
  const remembered = await records.find(jobId);
  return { jobId, secret: remembered?.secret, source: remembered?.source ?? jobId, remembered };
}

export interface Following {
  readonly signal: AbortSignal;
  onJob(job: ImportStatus): void;
  onWait(reason: string): void;
}

/** Waits for the end of an import. Throws its error if it failed or was cancelled. Remembers the share of an anonymous import. */
export async function finishImport(
  caller: SharingCaller,
  records: ImportRecords,
  { jobId, secret, source, remembered }: BegunImport,
  following: Following,
): Promise<FinishedImport> {
  const job = await followImport({ api: caller.api, ...following }, { jobId, secret });
  const { shortId, fileId, name, unlockCode, handoffUrl } = job;
  if (job.status !== "completed" || shortId === null) {
    await records.forget(jobId);
    if (job.status === "cancelled") throw new AppError("CONFLICT", "The import was cancelled.");
    throw new AppError(toCode(job.errorCode), toSingleLine(job.error ?? "The import failed. Try again."));
  }
  // Only the account that asks can open the link of a file for a request.
  const url = remembered?.receiptUrl ?? (await shareLinkOf(caller.api, shortId));
  if (remembered?.claimToken !== undefined) {
    const share = await caller.api.call("getShare", { shortId });
    await caller.shares.add({
      ...{ server: remembered.server, shortId, url, name: share.name, sizeBytes: share.size_bytes },
      ...{ createdAt: job.createdAt, expiresAt: share.expires_at, fileIds: fileId === null ? [] : [fileId] },
      ...{ claimToken: remembered.claimToken, deletionToken: remembered.deletionToken },
    });
  }
  await records.forget(jobId);
  return { jobId, source, shortId, fileId, name, url, unlockCode, handoffUrl };
}

/** Returns the error code, or INTERNAL for a code of another version. */
const toCode = (code: string | null): ErrorCode => (code !== null && Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : "INTERNAL");

/** Cancels an import, and forgets it. Rejects with the server's error. */
export async function cancelImport({ api }: SharingCaller, records: ImportRecords, { jobId, secret }: BegunImport): Promise<ImportStatus> {
  const job = await api.call("cancelImport", { jobId, secret });
  await records.forget(jobId);
  return job;
}
