import { setTimeout as pause } from "node:timers/promises";
import type { Ctx } from "../../context.ts";
import type { ImportRow } from "../../db/tables/imports.ts";
import { AppError, notFound } from "../../errors.ts";
import { matchesHash } from "../../lib/secrets/secrets.ts";
import { DAY_MS } from "../../lib/text/duration.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { type Actor, ownerId, toCredentialColumns } from "../accounts/actor.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import type { ImportJob } from "./contract.ts";
import { abortCancelled, endImport } from "./end-import.ts";
import { findImport } from "./queries.ts";

/** `GET /files/remote-multipart/{jobId}`: returns the import's state. */
export const getImport: Operation<"getImport"> = async (ctx, { actor }, input) => toImportView(ctx, await getImportRow(ctx, actor, input));

/** `DELETE /files/remote-multipart/{jobId}`: cancels the import in any server instance, and deletes the received bytes. */
export const cancelImport: Operation<"cancelImport"> = async (ctx, call, input) => {
  const { id, isForCredential } = await getImportRow(ctx, call.actor, input);
  let isStopped = false;
  const response = await commitResponse(ctx, call, async (ctx) => {
    isStopped = await endImport(ctx, id, { status: "cancelled" });
    const row = await findImport(ctx.db, id);
    if (row?.status !== "cancelled")
      throw new AppError("CONFLICT", "This import has already ended. Delete its file instead, if it has one.");
    return toImportView(ctx, { ...row, isForCredential });
  });
  if (isStopped) await abortCancelled(ctx, id);
  return response;
};

/** The interval of polls, which limits events to four per second. */
const POLL_MS = 250;

/** `GET /files/remote-multipart/{jobId}/events`: streams changes until the import ends. Returns undefined if the client has the last event. */
export const watchImport: Operation<"watchImport"> = async (ctx, { actor }, input) => {
  const row = await getImportRow(ctx, actor, input);
  const seenMs = Number(input.lastEventId) || 0;
  return row.ended_at !== null && row.updated_at <= seenMs ? undefined : streamChanges(ctx, row, seenMs);
};

async function* streamChanges(ctx: Ctx, first: CallersImport, seenMs: number): AsyncGenerator<ImportJob> {
  let lastMs = seenMs;
  for (let row: ImportRow | undefined = first; row; row = await findImport(ctx.db, first.id)) {
    const view = toImportView(ctx, { ...row, isForCredential: first.isForCredential });
    const updatedAtMs = Date.parse(view.updatedAt);
    if (updatedAtMs > lastMs || row.ended_at !== null) yield view;
    if (row.ended_at !== null) return;
    lastMs = Math.max(lastMs, updatedAtMs);
    await pause(POLL_MS);
  }
}

interface ImportReference {
  readonly jobId: string;
  readonly secret?: string;
  readonly jobSecret?: string;
}

/** An import with the rights of its caller. */
interface CallersImport extends ImportRow {
  /** Whether the call may see the share's secrets: it has the credential that began the import, or the job's secret. */
  readonly isForCredential: boolean;
}

/** Gets an import for its owner's key or its job secret. Throws NOT_FOUND in all other cases. */
async function getImportRow(ctx: Ctx, actor: Actor, { jobId, secret, jobSecret }: ImportReference): Promise<CallersImport> {
  const row = await findImport(ctx.db, jobId);
  const isOwner = row !== undefined && row.owner_id !== null && row.owner_id === ownerId(actor);
  const hasSecret = [secret, jobSecret].some((sent) => sent !== undefined && row !== undefined && matchesHash(sent, row.secret_hash));
  if (row && (isOwner || hasSecret)) return { ...row, isForCredential: hasSecret || isBegunWith(row, actor) };
  throw notFound("import", "Send the owner's key, or the job's secret as `jobSecret`.");
}

/** Returns whether an import was begun with the key or application of a call. Any session of the account may see an import that a session began. */
function isBegunWith(row: ImportRow, actor: Actor): boolean {
  const { key_id, consent_id } = toCredentialColumns(actor);
  return row.key_id === key_id && row.consent_id === consent_id;
}

/** Time for which responses repeat the secrets of a protected share, as for a completed upload. */
const SECRETS_RETENTION_MS = DAY_MS;

/** Returns an import as in the contract, with its current progress if this server instance runs it. */
function toImportView(ctx: Pick<Ctx, "imports" | "keyring" | "now">, row: CallersImport): ImportJob {
  const live = row.ended_at === null ? ctx.imports.running.find(row.id)?.state() : undefined;
  const bytesDone = live?.bytesDone ?? row.bytes_done;
  const bytesTotal = live?.bytesTotal ?? row.bytes_total;
  return {
    jobId: row.id,
    status: row.status,
    phase: live?.phase ?? row.phase,
    bytesDone,
    bytesTotal,
    percent: toPercent(row, bytesDone, bytesTotal),
    sharePath: row.short_id === null ? null : `/d/${row.short_id}`,
    fileId: row.file_id,
    shortId: row.short_id,
    name: live?.name ?? row.name,
    error: row.error,
    errorCode: row.error_code,
    createdAt: toIso(row.created_at),
    updatedAt: toIso(Math.max(live?.updatedAtMs ?? 0, row.updated_at)),
    ...(row.isForCredential && readCredentials(ctx, row)),
  };
}

function toPercent({ status }: ImportRow, bytesDone: number, bytesTotal: number | null): number | null {
  if (status === "completed") return 100;
  if (bytesTotal === null) return null;
  return bytesTotal === 0 ? 0 : Math.floor((100 * bytesDone) / bytesTotal);
}

function readCredentials(ctx: Pick<Ctx, "keyring" | "now">, row: ImportRow): Pick<ImportJob, "unlockCode" | "handoffUrl"> {
  if (row.credentials === null || row.ended_at === null || ctx.now() - row.ended_at > SECRETS_RETENTION_MS) return {};
  const { unlockCode, handoffUrl } = JSON.parse(ctx.keyring.decrypt(row.credentials)) as Pick<ImportJob, "unlockCode" | "handoffUrl">;
  return { unlockCode, handoffUrl };
}
