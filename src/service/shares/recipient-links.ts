import { sql } from "kysely";
import type { Ctx, TransactionCtx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import { preparedQuery } from "../../db/prepared-query.ts";
import { isStorageFull } from "../../errors.ts";
import { newSecret } from "../../lib/secrets/ids.ts";
import { hashToken } from "../../lib/secrets/secrets.ts";

/** The prefix of the tokens in recipients' private links, which distinguishes them from the handoff token of a share. */
const PREFIX = "hr_";

/** A recipient's private link that is valid. */
export interface RecipientLink {
  readonly recipientId: string;
  readonly shortId: string;
  readonly openedAt: number | null;
}

/** Returns whether a token has the form of a recipient's link. */
export const isRecipientToken = (token: string): boolean => token.startsWith(PREFIX);

const linkQuery = preparedQuery((db, { hash }: { hash: string }) =>
  db
    .selectFrom("recipient_links")
    .innerJoin("share_recipients", "share_recipients.id", "recipient_links.recipient_id")
    .select(["share_recipients.id as recipientId", "share_recipients.short_id as shortId", "share_recipients.opened_at as openedAt"])
    .where("recipient_links.token_hash", "=", hash),
);

/** Finds the recipient of a private link; undefined for every other token, without a query if its form differs. */
export async function findRecipientLink(db: Db, token: string): Promise<RecipientLink | undefined> {
  return isRecipientToken(token) ? await linkQuery.first(db, { hash: hashToken(token) }) : undefined;
}

/** Creates a private link of a recipient, of which only the hash is stored, with the message of its mail. Resolves to its token. */
export async function createRecipientLink(
  { db, random, keyring }: TransactionCtx,
  { recipientId, message }: { readonly recipientId: string; readonly message: string | null },
): Promise<string> {
  const token = newSecret(random, PREFIX);
  await db
    .insertInto("recipient_links")
    .values({ token_hash: hashToken(token), recipient_id: recipientId, message: message === null ? null : keyring.encrypt(message) })
    .execute();
  return token;
}

/**
 * Finds the message of the mail with a private link or, for a mail without one, of the recipient's last mail with one. Null without any, for every
 * other token, and once the server's secret has changed.
 */
export async function findMailMessage({ db, keyring }: Pick<Ctx, "db" | "keyring">, token: string): Promise<string | null> {
  if (!isRecipientToken(token)) return null;
  const hash = hashToken(token);
  const link = await db
    .selectFrom("recipient_links")
    .select("message")
    .where("recipient_id", "=", (query) => query.selectFrom("recipient_links").select("recipient_id").where("token_hash", "=", hash))
    .where("message", "is not", null)
    .orderBy(sql`token_hash = ${hash}`, "desc")
    .orderBy(sql`rowid`, "desc")
    .limit(1)
    .executeTakeFirst();
  try {
    return link?.message ? keyring.decrypt(link.message) : null;
  } catch {
    return null;
  }
}

/** Records that a recipient probably opened the link. Only the first time is kept. On a full disk, nothing is recorded. */
export async function recordOpened(
  { db, now }: Pick<TransactionCtx, "now"> & { readonly db: Db },
  { recipientId, openedAt }: RecipientLink,
): Promise<void> {
  if (openedAt !== null) return;
  try {
    await db
      .updateTable("share_recipients")
      .set({ opened_at: now() })
      .where("id", "=", recipientId)
      .where("opened_at", "is", null)
      .execute();
  } catch (error) {
    if (!isStorageFull(error)) throw error;
  }
}

/** Records a download by a recipient, in the transaction that counts it. An archive is one download. */
export async function recordRecipientDownload(
  { db, now }: TransactionCtx,
  { recipientId, shortId }: Omit<RecipientLink, "openedAt">,
): Promise<void> {
  const nowMs = now();
  await db
    .updateTable("share_recipients")
    .set({ downloads: sql`downloads + 1`, downloaded_at: nowMs, opened_at: sql`coalesce(opened_at, ${nowMs})` })
    .where("id", "=", recipientId)
    .where("short_id", "=", shortId)
    .execute();
}
