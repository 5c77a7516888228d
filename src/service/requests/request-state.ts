import type { Ctx } from "../../context.ts";
import { toRecipientFragment } from "../../contract/age-recipient.ts";
import { AppError, notFound } from "../../errors.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import type { RequestView } from "./contract.ts";
import type { FoundRequest } from "./queries.ts";
import { toLinkPart } from "./request-token.ts";

/** Returns the state of a request, which decides whether senders can send files (requests, "States"). */
export function stateOf(ctx: Pick<Ctx, "now">, request: FoundRequest): RequestView["state"] {
  if (request.closed_at !== null) return "closed";
  if (ctx.now() >= request.expires_at) return "expired";
  const isUsedUp = request.received_files >= request.max_files || request.received_bytes >= request.max_bytes;
  return isUsedUp || (request.once === 1 && request.has_sender === 1) ? "usedUp" : "open";
}

/** Returns whether the account that asks exists and is enabled. */
export const hasOwner = (request: FoundRequest): request is FoundRequest & { owner_id: string; owner_name: string } =>
  request.owner_id !== null && request.owner_disabled_at === null;

/** Throws NOT_FOUND without an owner, REQUEST_CLOSED if the request was closed or has expired. */
export function checkOpen(ctx: Pick<Ctx, "now">, request: FoundRequest): void {
  if (!hasOwner(request)) throw linkNotFound();
  if (request.closed_at !== null) throw new AppError("REQUEST_CLOSED", "This request was closed. Ask for another link.");
  if (ctx.now() >= request.expires_at) throw new AppError("REQUEST_CLOSED", "This request has expired. Ask for another link.");
}

/** Returns whether the server refuses all files of a request, because they are encrypted. */
export const isRefused = ({ config }: Pick<Ctx, "config">, { encrypt_to }: FoundRequest): boolean =>
  encrypt_to !== null && !config.acceptsEncrypted;

/** Throws ENCRYPTED_REFUSED if the server refuses all files of a request. */
export function checkEncryption(ctx: Pick<Ctx, "config">, request: FoundRequest): void {
  if (!isRefused(ctx, request)) return;
  throw new AppError("ENCRYPTED_REFUSED", "This server does not accept encrypted files any more. Ask for a link without encryption.");
}

export const linkNotFound = (): AppError => notFound("request", "Ask for a new link.", "or has expired");

/** Returns a request as its owner sees it. */
export function toRequestView(ctx: Pick<Ctx, "now" | "keyring" | "urls">, request: FoundRequest): RequestView {
  return {
    id: request.id,
    requestUrl: toRequestUrl(ctx, request),
    title: request.title,
    message: request.message,
    folderId: request.folder_id,
    maxFiles: request.max_files,
    maxFileBytes: request.max_file_bytes,
    maxBytes: request.max_bytes,
    once: request.once === 1,
    notify: request.notify === null ? null : request.notify === 1,
    encryptTo: request.encrypt_to,
    unlockRequired: request.unlock_hash !== null,
    state: stateOf(ctx, request),
    receivedFiles: request.received_files,
    receivedBytes: request.received_bytes,
    createdAt: toIso(request.created_at),
    expiresAt: toIso(request.expires_at),
    closedAt: toIso(request.closed_at),
  };
}

/** Returns the link for senders. The fragment, which no sender's browser sends, shows whether the server gives them another key. */
function toRequestUrl({ keyring, urls }: Pick<Ctx, "keyring" | "urls">, { token, encrypt_to }: FoundRequest): string {
  const link = `${urls.siteUrl}/r/${toLinkPart(keyring.decrypt(token))}`;
  return encrypt_to === null ? link : `${link}#${toRecipientFragment(encrypt_to)}`;
}
