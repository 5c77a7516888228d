import type { Ctx } from "../../context.ts";
import type { ImportJob } from "../../contract/imports.ts";
import type { ImportRow } from "../../db/tables/uploads.ts";
import { DAY_MS } from "../../domain/ttl.ts";

/** How long the secrets of a protected share are told again, as for a completed upload. */
const TELL_SECRETS_MS = DAY_MS;

/** An import as clients see it; one that this process runs, as it is at this moment. */
export function toImportView(ctx: Pick<Ctx, "imports" | "keyring" | "now">, row: ImportRow): ImportJob {
  const live = row.ended_at === null ? ctx.imports.live.find(row.id)?.state() : undefined;
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
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(Math.max(live?.updatedAtMs ?? 0, row.updated_at)).toISOString(),
    ...readCredentials(ctx, row),
  };
}

function toPercent({ status }: ImportRow, bytesDone: number, bytesTotal: number | null): number | null {
  if (status === "completed") return 100;
  if (bytesTotal === null) return null;
  return bytesTotal === 0 ? 0 : Math.floor((100 * bytesDone) / bytesTotal);
}

function readCredentials(ctx: Pick<Ctx, "keyring" | "now">, row: ImportRow): Pick<ImportJob, "unlockCode" | "handoffUrl"> {
  if (row.credentials === null || row.ended_at === null || ctx.now() - row.ended_at > TELL_SECRETS_MS) return {};
  const { unlockCode, handoffUrl } = JSON.parse(ctx.keyring.decrypt(row.credentials)) as Pick<ImportJob, "unlockCode" | "handoffUrl">;
  return { unlockCode, handoffUrl };
}
