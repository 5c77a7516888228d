import type { Ctx, TransactionCtx } from "../../context.ts";
import { inJson } from "../../db/bulk.ts";
import type { ShareAliasTable, ShareRow } from "../../db/tables/shares.ts";
import { AppError, invalidField } from "../../errors.ts";
import { type Actor, ownerId, requireUser, unverified, userSubject } from "../accounts/actor.ts";
import { consume, rateLimited } from "../accounts/rate-limits.ts";
import { findShareOrShipment } from "./queries.ts";
import { isReservedAlias } from "./reserved-aliases.ts";
import { isActive } from "./share-state.ts";

/** Maximum number of aliases that lead to one share, with the earlier ones. */
const MAX_PER_SHARE = 5;
/** Maximum number of aliases of an account that lead to shares. */
const MAX_PER_ACCOUNT = 1_000;

/** Returns the part of a link that names a share: its alias, or its short ID without one. */
const linkName = ({ alias, short_id }: Pick<ShareRow, "alias" | "short_id">): string => alias ?? short_id;

/** Returns the path of a share's link, and the link. */
export function toLinks({ urls }: Pick<Ctx, "urls">, share: Pick<ShareRow, "alias" | "short_id">): { shareUrl: string; sharePath: string } {
  const sharePath = `/d/${linkName(share)}`;
  return { shareUrl: urls.siteUrl + sharePath, sharePath };
}

/**
 * Counts the request for an alias, also if it will be refused: a refusal reveals that the alias is taken. Runs before the transaction of the request,
 * which a refusal rolls back. Throws RATE_LIMITED; UNAUTHENTICATED without an account, and FORBIDDEN while its address is not verified.
 */
export async function countAliasRequest(ctx: Ctx, actor: Actor): Promise<void> {
  const { userId, isUnverified } = requireUser(actor);
  // As for a public share, the contract does not declare it, because a call without an alias does not need it.
  if (isUnverified) throw unverified();
  const rate = ctx.config.rates.aliases;
  const nowMs = ctx.now();
  const { allowed, resetsAtMs } = await consume(ctx.db, { name: "aliases", subject: userSubject(userId), rate, nowMs });
  if (allowed) return;
  throw rateLimited({
    nowMs,
    resetsAtMs,
    message: ({ resetAt }) => `The account has asked for ${rate.limit} aliases in 24 hours. Choose one again after ${resetAt}.`,
    fields: (wait) => ({ ...wait }),
  });
}

type AliasedShare = Pick<ShareRow, "short_id" | "alias">;

/**
 * Gives a share of the caller's account an alias. Its earlier aliases still lead to it. Throws VALIDATION_FAILED for a reserved alias, ALIAS_TAKEN,
 * and TOO_MANY_ALIASES above the limits. The caller has called `countAliasRequest`.
 */
export async function setAlias(ctx: TransactionCtx, actor: Actor, share: AliasedShare, alias: string): Promise<void> {
  if (alias === share.alias) return;
  if (isReservedAlias(alias)) throw invalidField("alias", `The alias ${alias} is reserved, because it could mislead. Choose another.`);
  const owner_id = ownerId(actor);
  const digest = toDigest(ctx, alias);
  // Both columns are read, because the digest of a present alias differs if the server's secret was replaced.
  const known = await ctx.db
    .selectFrom("share_aliases")
    .selectAll()
    .where((where) => where.or([where("digest", "=", digest), where("alias", "=", alias)]))
    .executeTakeFirst();
  if (known && (owner_id === null || known.owner_id !== owner_id)) throw taken(alias);
  if (known?.short_id !== share.short_id)
    await checkLimits(ctx, { ownerId: owner_id ?? "", shortId: share.short_id, isCounted: known !== undefined && known.alias !== null });
  if (known) await takeOver(ctx, known, share.short_id);
  const row = { digest, alias, short_id: share.short_id, owner_id };
  if (known) await ctx.db.updateTable("share_aliases").set(row).where("digest", "=", known.digest).execute();
  else
    await ctx.db
      .insertInto("share_aliases")
      .values({ ...row, created_at: ctx.now() })
      .execute();
  await ctx.db.updateTable("shares").set({ alias }).where("short_id", "=", share.short_id).execute();
}

/**
 * Removes the aliases of shares, and of the shares whose files have joined them. The earlier ones end too, so that nobody can guess a link to the
 * shares.
 */
export async function removeAliases(ctx: TransactionCtx, shortIds: readonly string[]): Promise<void> {
  const ids = inJson(shortIds);
  await ctx.db
    .updateTable("share_aliases")
    .set({ alias: null, short_id: null })
    .where((where) =>
      where.or([
        where("short_id", "in", ids),
        where("short_id", "in", where.selectFrom("shares").select("shares.short_id").where("redirect_to", "in", ids)),
      ]),
    )
    .execute();
  await ctx.db
    .updateTable("shares")
    .set({ alias: null })
    .where((where) => where.or([where("short_id", "in", ids), where("redirect_to", "in", ids)]))
    .where("alias", "is not", null)
    .execute();
}

/**
 * Removes an alias of the same account from a share that has ended, or from one whose file has joined the share that gets the alias. Throws
 * ALIAS_TAKEN while that share is open, and after a takedown: the link that was reported must not show other files.
 */
async function takeOver(ctx: TransactionCtx, { alias, short_id }: ShareAliasTable, shortId: string): Promise<void> {
  if (short_id === null || short_id === shortId) return;
  const former = await findShareOrShipment(ctx.db, short_id);
  if (former && former.short_id !== shortId) {
    if (isActive(ctx, former))
      throw new AppError(
        "ALIAS_TAKEN",
        `Your share ${former.short_id} has this alias, now or earlier. Remove its alias first, or choose another.`,
      );
    if (former.status === "dmca_removed") throw taken(alias ?? "");
  }
  await ctx.db.updateTable("shares").set({ alias: null }).where("short_id", "=", short_id).where("alias", "=", alias).execute();
}

interface NewAlias {
  readonly ownerId: string;
  readonly shortId: string;
  /** Whether the account's aliases include it already, because it moves from another share. */
  readonly isCounted: boolean;
}

async function checkLimits(ctx: TransactionCtx, { ownerId, shortId, isCounted }: NewAlias): Promise<void> {
  const count = (column: "short_id" | "owner_id", value: string) =>
    ctx.db
      .selectFrom("share_aliases")
      .select((select) => select.fn.countAll<number>().as("count"))
      .where(column, "=", value)
      .where("alias", "is not", null)
      .executeTakeFirstOrThrow();
  if ((await count("short_id", shortId)).count >= MAX_PER_SHARE)
    throw new AppError(
      "TOO_MANY_ALIASES",
      `This share already has ${MAX_PER_SHARE} aliases. Remove its alias, which ends all of them, then choose one.`,
    );
  if (!isCounted && (await count("owner_id", ownerId)).count >= MAX_PER_ACCOUNT)
    throw new AppError("TOO_MANY_ALIASES", `The account already has ${MAX_PER_ACCOUNT} aliases. Remove one that is no longer needed.`);
}

/** Returns the keyed hash of an alias, from which it cannot be computed without the server's secret. */
const toDigest = ({ keyring }: Pick<Ctx, "keyring">, alias: string): string => keyring.sign(`alias ${alias}`);

const taken = (alias: string): AppError =>
  new AppError("ALIAS_TAKEN", `The alias ${alias} is taken, now or by an earlier share. Choose another.`);
