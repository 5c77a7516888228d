import type { TierLimits } from "../../config/tiers.ts";
import type { Ctx, TransactionCtx } from "../../context.ts";
import type { RequestRow } from "../../db/tables/requests.ts";
import { AppError, invalidField } from "../../errors.ts";
import { newUuid } from "../../lib/secrets/ids.ts";
import { DAY_MS } from "../../lib/text/duration.ts";
import { toSingleLine } from "../../lib/text/file-name.ts";
import { formatSize } from "../../lib/text/format-size.ts";
import { requireUser } from "../accounts/actor.ts";
import { resetRate } from "../accounts/rate-limits.ts";
import { type AuditOrigin, recordAudit } from "../audit-log/record-audit.ts";
import type { Input } from "../contract.ts";
import { endFilesOnly, endPrivateShares, REMOVE_NOW } from "../files/end-file.ts";
import { checkFolder, createTitledFolder } from "../files/folders.ts";
import { cancelRemovalWithoutBytes } from "../files/remove-bytes.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { toListPage, toPagination } from "../paging.ts";
import { newProtection } from "../shares/credentials.ts";
import { REQUEST_DEFAULTS, REQUEST_LIMITS, type RequestView } from "./contract.ts";
import { deleteEmptyOf } from "./empty-submissions.ts";
import { countOwnRequests, countRequests, getOwnRequest, listOwnRequests, updateRequestRow } from "./queries.ts";
import { toRequestView } from "./request-state.ts";
import { hashRequestToken, newRequestToken } from "./request-token.ts";

const MAX_REQUESTS = 1_000;

/** `POST /requests`: creates a link with which others send files to the caller (requests, "Requests"). */
export const createRequest: Operation<"createRequest"> = async (ctx, call, input) => {
  const owner = requireUser(call.actor);
  const nowMs = ctx.now();
  const limits = ctx.config.tiers[owner.tier];
  const id = newUuid(ctx.random, nowMs);
  const protection = input.protect ? newProtection(ctx, id) : undefined;
  if (input.encryptTo && !ctx.config.acceptsEncrypted)
    throw new AppError("ENCRYPTED_REFUSED", "This server does not accept encrypted files, because it cannot check them. Omit encryptTo.");
  const row = {
    id,
    owner_id: owner.userId,
    ...newToken(ctx),
    title: toTitle(input.title),
    message: input.message || null,
    folder_id: input.folderId ?? null,
    max_files: REQUEST_DEFAULTS.files,
    max_file_bytes: null,
    max_bytes: Math.floor(limits.storageBytes * REQUEST_DEFAULTS.storageShare),
    once: input.once ? 1 : 0,
    notify: toNotify(input.notify),
    encrypt_to: input.encryptTo ?? null,
    unlock_hash: protection?.columns.unlock_hash ?? null,
    created_at: nowMs,
    expires_at: nowMs + REQUEST_DEFAULTS.days * DAY_MS,
    closed_at: null,
    ...toLimitColumns(input, limits, nowMs),
  };
  return await commitResponse(ctx, call, async (ctx) => {
    if (row.folder_id !== null) await checkFolder(ctx, row.folder_id, owner.userId);
    if ((await countOwnRequests(ctx.db, owner.userId)) >= MAX_REQUESTS)
      throw new AppError("CONFLICT", `The account already has ${MAX_REQUESTS} requests. Delete one that is no longer needed.`);
    const folderId =
      input.folderId === undefined ? await createTitledFolder(ctx, { ownerId: owner.userId, title: row.title }) : row.folder_id;
    await ctx.db
      .insertInto("requests")
      .values({ ...row, folder_id: folderId })
      .execute();
    await recordAudit(ctx, call, { action: "request.created", subject: id, account: owner.userId });
    const view = toRequestView(ctx, await getOwnRequest(ctx.db, { id, ownerId: owner.userId }));
    return { ...view, ...pickCode(protection?.credentials) };
  });
};

/** `GET /requests`. */
export const listRequests: Operation<"listRequests"> = async (ctx, { actor }, input) => {
  const ownerId = requireUser(actor).userId;
  const page = toListPage(input);
  const filter = { ownerId, state: input.state, nowMs: ctx.now() };
  const requests = await listOwnRequests(ctx.db, filter, page);
  const counts = await countRequests(ctx.db, filter);
  return {
    success: true,
    data: requests.map((request) => toRequestView(ctx, request)),
    counts,
    pagination: toPagination(page, input.state === undefined ? counts.open + counts.ended : counts[input.state]),
  };
};

/** `PATCH /requests/{id}`: changes settings, closes or reopens a request. Limits below the received files only refuse further files. */
export const updateRequest: Operation<"updateRequest"> = async (ctx, call, input) => {
  const owner = requireUser(call.actor);
  const nowMs = ctx.now();
  const { id, ...changes } = input;
  const { title, message, folderId, once, notify, protect, closed } = changes;
  return await commitResponse(ctx, call, async (ctx) => {
    const before = await getOwnRequest(ctx.db, { id, ownerId: owner.userId });
    if (folderId) await checkFolder(ctx, folderId, owner.userId);
    const protection = protect ? newProtection(ctx, id) : undefined;
    if (protect != null) await resetRate(ctx.db, { name: "unlockPerShare", subject: id });
    await updateRequestRow(ctx, id, {
      ...(title !== undefined && { title: toTitle(title) }),
      ...(message !== undefined && { message: message || null }),
      ...(folderId !== undefined && { folder_id: folderId }),
      ...(once != null && { once: once ? 1 : 0 }),
      ...(notify !== undefined && { notify: toNotify(notify) }),
      ...(protect != null && { unlock_hash: protection?.columns.unlock_hash ?? null }),
      ...(closed != null && { closed_at: closed ? (before.closed_at ?? nowMs) : null }),
      ...toLimitColumns(input, ctx.config.tiers[owner.tier], nowMs),
    });
    const details = {
      changed: Object.keys(changes)
        .filter((name) => changes[name as keyof typeof changes] !== undefined)
        .join(", "),
      ...(closed != null && { closed }),
    };
    await recordAudit(ctx, call, { action: "request.changed", subject: id, account: owner.userId, details });
    const view = toRequestView(ctx, await getOwnRequest(ctx.db, { id, ownerId: owner.userId }));
    return { ...view, ...pickCode(protection?.credentials) };
  });
};

/** `POST /requests/{id}/rotate`: replaces the link. */
export const rotateRequest: Operation<"rotateRequest"> = async (ctx, call, { id }) => {
  const ownerId = requireUser(call.actor).userId;
  return await commitResponse(ctx, call, async (ctx) => {
    await getOwnRequest(ctx.db, { id, ownerId });
    await updateRequestRow(ctx, id, newToken(ctx));
    await deleteEmptyOf(ctx, id);
    await recordAudit(ctx, call, { action: "request.rotated", subject: id, account: ownerId });
    return toRequestView(ctx, await getOwnRequest(ctx.db, { id, ownerId }));
  });
};

/** `DELETE /requests/{id}`: ends the link and the unfinished uploads, whose reservations the next cleanup releases. */
export const deleteRequest: Operation<"deleteRequest"> = async (ctx, call, { id }) => {
  const ownerId = requireUser(call.actor).userId;
  return await commitResponse(ctx, call, async (ctx) => {
    await getOwnRequest(ctx.db, { id, ownerId });
    await endRequest(ctx, call, { id, ownerId });
    return { id };
  });
};

/** Ends all requests of an account, as `deleteRequest` does. */
export async function deleteRequests(ctx: TransactionCtx, origin: AuditOrigin, ownerId: string): Promise<void> {
  const requests = await ctx.db.selectFrom("requests").select("id").where("owner_id", "=", ownerId).execute();
  for (const { id } of requests) await endRequest(ctx, origin, { id, ownerId });
}

async function endRequest(
  ctx: TransactionCtx,
  origin: AuditOrigin,
  { id, ownerId }: { readonly id: string; readonly ownerId: string },
): Promise<void> {
  const uploading = await ctx.db
    .selectFrom("files")
    .selectAll()
    .where("submission_id", "in", (query) => query.selectFrom("request_submissions").select("id").where("request_id", "=", id))
    .where("blob_state", "=", "uploading")
    .where("status", "=", "active")
    .execute();
  await endFilesOnly(ctx, uploading, { status: "deleted", removeAtMs: REMOVE_NOW });
  for (const shortId of new Set(uploading.map(({ short_id }) => short_id))) await cancelRemovalWithoutBytes(ctx.db, shortId);
  const submissions = await ctx.db.selectFrom("request_submissions").select("short_id").where("request_id", "=", id).execute();
  await ctx.db.deleteFrom("requests").where("id", "=", id).execute();
  await endPrivateShares(
    ctx,
    submissions.map(({ short_id }) => short_id),
  );
  await recordAudit(ctx, origin, { action: "request.deleted", subject: id, account: ownerId });
}

function newToken(ctx: Pick<Ctx, "random" | "keyring">): Pick<RequestRow, "token_hash" | "token"> {
  const token = newRequestToken(ctx.random);
  return { token_hash: hashRequestToken(token), token: ctx.keyring.encrypt(token) };
}

const pickCode = (credentials: { readonly unlockCode?: string } | undefined): Pick<RequestView, "unlockCode"> =>
  credentials?.unlockCode ? { unlockCode: credentials.unlockCode } : {};

const toTitle = (title: string): string => {
  const line = toSingleLine(title);
  if (line === "") throw invalidField("title", "Say in 1 to 120 characters what you ask for.");
  return line;
};

const toNotify = (notify: boolean | null | undefined): 0 | 1 | null => (notify == null ? null : notify ? 1 : 0);

type LimitColumns = Partial<Pick<RequestRow, "max_files" | "max_file_bytes" | "max_bytes" | "expires_at">>;

/** Returns the columns of the limits in the input. Throws VALIDATION_FAILED for a limit that is too large. */
function toLimitColumns(input: Partial<Input<"createRequest">>, limits: TierLimits, nowMs: number): LimitColumns {
  const { maxFiles, maxFileBytes, maxBytes, expiresAt } = input;
  if (maxFiles != null && maxFiles > REQUEST_LIMITS.files)
    throw invalidField("maxFiles", `A request accepts at most ${REQUEST_LIMITS.files.toLocaleString("en-US")} files. Choose fewer.`);
  if (maxFileBytes != null && maxFileBytes > limits.fileBytes)
    throw invalidField("maxFileBytes", `Your files may have at most ${formatSize(limits.fileBytes)}. Choose less, or omit maxFileBytes.`);
  if (maxBytes != null && maxBytes > limits.storageMaxBytes)
    throw invalidField("maxBytes", `Your storage has ${formatSize(limits.storageMaxBytes)}. Choose less.`);
  return {
    ...(maxFiles != null && { max_files: maxFiles }),
    ...(maxFileBytes !== undefined && { max_file_bytes: maxFileBytes }),
    ...(maxBytes != null && { max_bytes: maxBytes }),
    ...(expiresAt != null && { expires_at: toExpiry(expiresAt, nowMs) }),
  };
}

function toExpiry(expiresAt: string, nowMs: number): number {
  const atMs = Date.parse(expiresAt);
  if (atMs <= nowMs) throw invalidField("expiresAt", "The expiry is in the past. Send a time in the future.");
  if (atMs > nowMs + REQUEST_LIMITS.days * DAY_MS)
    throw invalidField("expiresAt", `A request can be open for at most ${REQUEST_LIMITS.days} days. Choose an earlier time.`);
  return atMs;
}
