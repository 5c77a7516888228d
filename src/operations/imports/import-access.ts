import { matchesHash } from "../../auth/secrets.ts";
import type { Ctx } from "../../context.ts";
import { findImport } from "../../db/imports.ts";
import type { ImportRow } from "../../db/tables/uploads.ts";
import { type Actor, ownerId } from "../../domain/actor.ts";
import { AppError } from "../../errors.ts";

export interface NamedImport {
  readonly jobId: string;
  readonly secret?: string;
  readonly jobSecret?: string;
}

/** The import that the owner's key or the job's secret opens. Throws NOT_FOUND otherwise, whatever the reason. */
export async function getImportRow(ctx: Ctx, actor: Actor, { jobId, secret, jobSecret }: NamedImport): Promise<ImportRow> {
  const row = await findImport(ctx.db, jobId);
  const isOwner = row !== undefined && row.owner_id !== null && row.owner_id === ownerId(actor);
  const hasSecret = [secret, jobSecret].some((sent) => sent !== undefined && row !== undefined && matchesHash(sent, row.secret_hash));
  if (row && (isOwner || hasSecret)) return row;
  throw new AppError("NOT_FOUND", "There is no such import, or it needs the owner's key, or its secret as `secret`.");
}
