import type { Ctx, TransactionCtx } from "../../context.ts";
import type { TransactionDb } from "../../db/database.ts";
import type { InviteRow } from "../../db/tables/sign-in.ts";
import { AppError, notFound } from "../../errors.ts";
import { newSecret, newUuid } from "../../lib/secrets/ids.ts";
import { hashToken } from "../../lib/secrets/secrets.ts";
import { DAY_MS } from "../../lib/text/duration.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { enqueueMail } from "../../mail/queue.ts";
import { checkEmail } from "../accounts/users.ts";
import { type AuditOrigin, recordAudit, toAccountId } from "../audit-log/record-audit.ts";
import { deleteLinksMadeBy } from "./account-links.ts";

/** Validity of an invite (accounts, "Invites"). */
const INVITE_MS = 7 * DAY_MS;

export interface InviteView {
  readonly id: string;
  readonly role: InviteRow["role"];
  readonly email: string | null;
  /** Whether the invite was mailed to that address. */
  readonly isMailed: boolean;
  readonly createdAt: string;
  readonly expiresAt: string;
}

interface NewInvite {
  readonly id?: string;
  readonly role: InviteRow["role"];
  readonly email?: string | undefined;
  readonly language?: string | null;
}

/** An invite with its link, which is shown only once. */
export type CreatedInvite = InviteView & { readonly url: string };

/**
 * Inserts an invite and enqueues its mail if the server sends mail. The link is shown only once. Throws VALIDATION_FAILED. Call `ctx.wakeJobs`
 * afterwards.
 */
export async function insertInvite(
  ctx: TransactionCtx,
  origin: AuditOrigin,
  { id, role, email, language = null }: NewInvite,
): Promise<CreatedInvite> {
  const nowMs = ctx.now();
  const token = newSecret(ctx.random, "invite_");
  const row: InviteRow = {
    id: id ?? newUuid(ctx.random, nowMs),
    token_hash: hashToken(token),
    role,
    email: email === undefined ? null : checkEmail(email),
    is_mailed: email !== undefined && ctx.config.mail ? 1 : 0,
    created_by: toAccountId(origin) ?? null,
    created_at: nowMs,
    expires_at: nowMs + INVITE_MS,
  };
  const url = `${ctx.urls.siteUrl}/invite/${token}`;
  const invite = toInviteView(row);
  await ctx.db.replaceInto("invites").values(row).execute();
  const details = { role, email: row.email ?? undefined };
  await recordAudit(ctx, origin, { action: "invite.created", subject: row.id, account: null, details });
  if (row.email !== null) await enqueueMail(ctx, { to: row.email, language, mail: { kind: "invite", link: url, until: invite.expiresAt } });
  return { ...invite, url };
}

/** The ID of the only invite that sets up a server. */
const SET_UP = "set-up";

/** Logs a one-time link that creates the first administrator while there is none, and ends an earlier link (accounts, "The first administrator"). */
export async function offerSetUp(ctx: Ctx): Promise<void> {
  if (await hasAdministrator(ctx.db)) return;
  const { url } = await ctx.transaction((ctx) => insertInvite(ctx, "system", { id: SET_UP, role: "admin" }));
  ctx.log.info(`There is no administrator's account yet. Create one at ${url}`);
}

/** Lists the invites that can still be used, oldest first. */
export async function listInvites(ctx: Pick<Ctx, "db" | "now">): Promise<InviteView[]> {
  const rows = await ctx.db.selectFrom("invites").selectAll().where("expires_at", ">", ctx.now()).orderBy("created_at").execute();
  const isSetUp = await hasAdministrator(ctx.db);
  return rows.filter(({ id }) => id !== SET_UP || !isSetUp).map(toInviteView);
}

/** Ends an invite. Throws NOT_FOUND. */
export async function deleteInvite(ctx: TransactionCtx, origin: AuditOrigin, id: string): Promise<{ readonly id: string }> {
  const { numDeletedRows } = await ctx.db.deleteFrom("invites").where("id", "=", id).executeTakeFirst();
  if (numDeletedRows === 0n) throw notFound("invite", "List the invites that can still be used to find its ID.");
  await recordAudit(ctx, origin, { action: "invite.revoked", subject: id, account: null });
  return { id };
}

/** Ends an administrator's invites and password links for others, which would outlive the role. */
export async function endMadeLinks(db: TransactionDb, userId: string): Promise<void> {
  await db.deleteFrom("invites").where("created_by", "=", userId).execute();
  await deleteLinksMadeBy(db, userId);
}

/** Finds an invite that can be used, by the hash of its token. The set-up invite ends with the first administrator. */
export async function findInvite(ctx: Pick<Ctx, "db" | "now">, tokenHash: string): Promise<InviteRow | undefined> {
  const invite = await ctx.db
    .selectFrom("invites")
    .selectAll()
    .where("token_hash", "=", tokenHash)
    .where("expires_at", ">", ctx.now())
    .executeTakeFirst();
  return invite?.id === SET_UP && (await hasAdministrator(ctx.db)) ? undefined : invite;
}

/** Returns whether a usable invite was mailed to this address, so that its holder has proved the address. */
export async function isMailedInvite(ctx: Pick<Ctx, "db" | "now">, tokenHash: string, email: string): Promise<boolean> {
  const invite = await findInvite(ctx, tokenHash);
  return invite?.is_mailed === 1 && invite.email === email;
}

/** Returns whether an invite proves the address of the person who signs up with it (sign in, "Verified and proved"). */
export const provesAddress = ({ id, is_mailed }: Pick<InviteRow, "id" | "is_mailed">): boolean => is_mailed === 1 || id === SET_UP;

const hasAdministrator = async (db: Pick<Ctx, "db">["db"]): Promise<boolean> =>
  (await db.selectFrom("users").select("id").where("role", "=", "admin").limit(1).executeTakeFirst()) !== undefined;

/** Uses up an invite, so that only one of several concurrent callers gets it. Throws FORBIDDEN. */
export async function useInvite(ctx: TransactionCtx, tokenHash: string, email: string): Promise<InviteRow> {
  const invite = await findInvite(ctx, tokenHash);
  if (!invite) throw new AppError("FORBIDDEN", "This invite was used, was revoked or has expired. Ask for a new one.");
  if (invite.email !== null && invite.email !== email)
    throw new AppError("FORBIDDEN", `This invite is for another address. Sign up with the address that it was sent to.`);
  await ctx.db.deleteFrom("invites").where("id", "=", invite.id).execute();
  return invite;
}

/** Deletes expired invites. */
export async function deleteExpiredInvites({ db, now }: Pick<Ctx, "db" | "now">): Promise<void> {
  await db.deleteFrom("invites").where("expires_at", "<=", now()).execute();
}

const toInviteView = ({ id, role, email, is_mailed, created_at, expires_at }: InviteRow): InviteView => ({
  id,
  role,
  email,
  isMailed: is_mailed === 1,
  createdAt: toIso(created_at),
  expiresAt: toIso(expires_at),
});
