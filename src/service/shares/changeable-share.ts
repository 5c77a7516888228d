import type { RequestContext, TransactionCtx } from "../../context.ts";
import type { FileRow } from "../../db/tables/files.ts";
import { AppError, notFound } from "../../errors.ts";
import { matchesHash } from "../../lib/secrets/secrets.ts";
import type { Actor } from "../accounts/actor.ts";
import type { Input } from "../contract.ts";
import type { PublishRules } from "./publish-settings.ts";
import { type FoundShare, findFileWithShare, findLinkedShare, listShareFiles } from "./queries.ts";
import { isOpenToOwner } from "./share-state.ts";

type Settings = Input<"updateShareSettings">;

interface NamedShare {
  readonly share: FoundShare;
  /** The named file, or all files of the named share. */
  readonly files: readonly FileRow[];
  readonly fileId: string;
}

/** A share whose settings the caller may change. */
export interface ChangeableShare extends NamedShare {
  /** The rules for the change: the tier of the account, or of anonymous uploads. */
  readonly rules: PublishRules;
}

/**
 * Finds the share that a call changes: a share of the key's account or, with a claim token, an unclaimed one (sharing, "Changing a share"). Throws
 * UNAUTHENTICATED without either, NOT_FOUND, and for a claim token WRONG_TOKEN or CONFLICT.
 */
export async function getChangeableShare(
  ctx: TransactionCtx,
  { actor }: Pick<RequestContext, "actor">,
  input: Settings,
): Promise<ChangeableShare> {
  if (input.claimToken) return await getUnclaimedShare(ctx, { actor, input, claimToken: input.claimToken });
  if (actor.kind === "anonymous")
    throw new AppError(
      "UNAUTHENTICATED",
      "Changing a share requires its owner's API key or, until it is claimed, its claimToken. Send one of them.",
    );
  const named = await findNamed(ctx, input);
  if (named?.share.owner_id !== actor.userId) throw notFound("file or share", "List your files to find its ID.", "in your account");
  return { ...named, rules: { actor, limits: ctx.config.tiers[actor.tier], nowMs: ctx.now() } };
}

async function getUnclaimedShare(
  ctx: TransactionCtx,
  { actor, input, claimToken }: { readonly actor: Actor; readonly input: Settings; readonly claimToken: string },
): Promise<ChangeableShare> {
  const named = await findNamed(ctx, input);
  if (!named || named.share.claim_hash === null) throw notFound("anonymous upload or shipment", "Upload it again.", "or has ended");
  if (!matchesHash(claimToken, named.share.claim_hash))
    throw new AppError("WRONG_TOKEN", "The claim token does not belong to this file or shipment. Check the token.");
  if (named.share.owner_id !== null)
    throw new AppError("CONFLICT", "This share belongs to an account. Its owner can change it with an API key.");
  const limits = ctx.config.tiers.anonymous;
  const uploader = { kind: "anonymous", tier: "anonymous", quotaOwner: actor.quotaOwner } as const;
  return { ...named, rules: { actor: uploader, limits, nowMs: ctx.now(), latestMs: named.share.created_at + limits.retentionMs } };
}

/** Finds the open share that the input names. `fileId` may also be a short ID, because responses give a shipment's short ID as its file's ID. */
async function findNamed(ctx: TransactionCtx, { fileId, shortId }: Settings): Promise<NamedShare | undefined> {
  const found = fileId ? await findFileWithShare(ctx.db, fileId) : undefined;
  if (found) {
    const { file, share } = found;
    return file.status === "active" && isOpenToOwner(ctx, share) ? { share, files: [file], fileId: file.id } : undefined;
  }
  const share = await findLinkedShare(ctx.db, fileId || (shortId ?? ""));
  if (!share || !isOpenToOwner(ctx, share)) return undefined;
  const files = (await listShareFiles(ctx.db, share.short_id)).filter((file) => file.status === "active");
  return { share, files, fileId: share.kind === "shipment" ? share.short_id : (files[0]?.id ?? "") };
}
