import type { Ctx, RequestContext, TransactionCtx } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { archiveSegment } from "../../lib/formats/archive-names.ts";
import { newUuid } from "../../lib/secrets/ids.ts";
import { signToken, verifyToken } from "../../lib/secrets/signed-token.ts";
import { requireUser } from "../accounts/actor.ts";
import { type FileChoice, listChosenFiles } from "../files/chosen-files.ts";
import { listFilesOfRequest } from "../files/listing-queries.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { REQUEST_LIMITS } from "../requests/contract.ts";
import { getOwnRequest } from "../requests/queries.ts";
import { DOWNLOAD_URL_MS, scanPending } from "./download-rules.ts";
import { type DownloadableFile, listOwnReady } from "./queries.ts";

/** Number of an archive's files that count as one request in the general rate limit. */
const FILES_PER_REQUEST = 100;

/** `POST /files/archive`: returns the signed URL of one ZIP of the account's files (downloads, "Archives of an account"). */
export const archiveFiles: Operation<"archiveFiles"> = async (ctx, call, choice) => {
  const { userId } = requireUser(call.actor);
  return await commitResponse(ctx, call, async (ctx) => {
    const { files: chosen } = await listChosenFiles(ctx, userId, choice);
    const ready = await listOwnReady(ctx.db, userId, [...chosen.keys()]);
    if (ready.length === 0) throw nothingReady();
    call.countRequests?.(Math.ceil(ready.length / FILES_PER_REQUEST));
    const files = ready.map(({ chosenId }) => [chosenId, chosen.get(chosenId) ?? null] as const);
    return { success: true as const, url: await insertArchive(ctx, { ownerId: userId, name: await nameOf(ctx, choice), files }) };
  });
};

/**
 * Returns the signed URL of one ZIP of the files that a request of the account received, or of some of them, named by its title (requests, "The pages
 * of the account that asks"). Throws NOT_FOUND for another account's request, SCAN_PENDING if no file can be downloaded.
 */
export async function archiveReceived(
  ctx: Ctx,
  call: RequestContext,
  { requestId, fileIds }: { readonly requestId: string; readonly fileIds?: readonly string[] | undefined },
): Promise<string> {
  const { userId } = requireUser(call.actor);
  return await ctx.transaction(async (ctx) => {
    const request = await getOwnRequest(ctx.db, { id: requestId, ownerId: userId });
    const chosen = fileIds && new Set(fileIds);
    const received = await listFilesOfRequest(ctx.db, { ownerId: userId, requestId }, REQUEST_LIMITS.files);
    const pathOf = new Map(
      received.flatMap(({ file }) => ((chosen?.has(file.id) ?? true) ? [[file.id, file.relative_path] as const] : [])),
    );
    const ready = await listOwnReady(ctx.db, userId, [...pathOf.keys()]);
    if (ready.length === 0) throw nothingReady();
    call.countRequests?.(Math.ceil(ready.length / FILES_PER_REQUEST));
    const files = ready.map(({ chosenId }) => [chosenId, pathOf.get(chosenId) ?? null] as const);
    return await insertArchive(ctx, { ownerId: userId, name: request.title, files });
  });
}

const nothingReady = (): AppError => scanPending("None of these files can be downloaded: they are still being scanned, or are blocked.");

interface NewArchive {
  readonly ownerId: string;
  readonly name: string;
  readonly files: readonly (readonly [id: string, path: string | null])[];
}

/** Inserts an archive, and returns its signed URL. */
async function insertArchive(ctx: TransactionCtx, { ownerId, name, files }: NewArchive): Promise<string> {
  const id = newUuid(ctx.random, ctx.now());
  const expiresAtMs = ctx.now() + DOWNLOAD_URL_MS;
  const row = { id, owner_id: ownerId, name, files: JSON.stringify(files), expires_at: expiresAtMs };
  await ctx.db.insertInto("owner_archives").values(row).execute();
  const { expiry, signature } = signToken(ctx.keyring, "own-archive", [id], expiresAtMs);
  return `${ctx.urls.contentUrl}/ar/own/${id}.zip?${new URLSearchParams({ e: expiry, s: signature })}`;
}

/** Returns the name of the only chosen folder, otherwise the date. */
async function nameOf({ db, now }: TransactionCtx, { fileIds = [], folderIds = [] }: FileChoice): Promise<string> {
  const [only] = fileIds.length === 0 && folderIds.length === 1 ? folderIds : [];
  const folder = only && (await db.selectFrom("folders").select("name").where("id", "=", only).executeTakeFirst());
  return folder ? folder.name : `files-${new Date(now()).toISOString().slice(0, 10)}`;
}

export interface OwnArchive {
  /** Name of the ZIP. */
  readonly name: string;
  readonly files: readonly (DownloadableFile & { readonly relative_path: string | null })[];
}

/**
 * Opens the signed URL of an account's archive, with the chosen files that can be downloaded now. Throws SIGNATURE_INVALID, or NOT_FOUND if no file
 * is left.
 */
export async function openOwnArchive(
  ctx: Pick<Ctx, "db" | "keyring" | "now">,
  { id, query }: { readonly id: string; readonly query: URLSearchParams },
): Promise<OwnArchive> {
  const token = { expiry: query.get("e") ?? "", signature: query.get("s") ?? "" };
  const expiresAtMs = verifyToken(ctx.keyring, "own-archive", [id], token);
  if (expiresAtMs === undefined || ctx.now() >= expiresAtMs)
    throw new AppError("SIGNATURE_INVALID", "This download URL is not valid or has expired. Download the files from your account again.");
  const archive = await ctx.db
    .selectFrom("owner_archives")
    .innerJoin("users", "users.id", "owner_archives.owner_id")
    .select(["owner_archives.owner_id", "owner_archives.name", "owner_archives.files"])
    .where("owner_archives.id", "=", id)
    .where("users.disabled_at", "is", null)
    .executeTakeFirst();
  const paths = new Map(archive ? (JSON.parse(archive.files) as NewArchive["files"]) : []);
  const ready = archive ? await listOwnReady(ctx.db, archive.owner_id, [...paths.keys()]) : [];
  if (!archive || ready.length === 0)
    throw new AppError("NOT_FOUND", "None of these files is left. Download the files from your account again.");
  const fileOf = new Map(ready.map(({ chosenId, file }) => [chosenId, file]));
  const files = [...paths].flatMap(([fileId, relative_path]) => {
    const file = fileOf.get(fileId);
    return file ? [{ ...file, relative_path }] : [];
  });
  return { name: archiveSegment(archive.name, ".zip"), files };
}

/** Deletes the archives whose URLs have expired. */
export async function deleteExpiredArchives({ db, now }: Pick<Ctx, "db" | "now">): Promise<void> {
  await db.deleteFrom("owner_archives").where("expires_at", "<=", now()).execute();
}
