import type { Ctx, TransactionCtx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import type { McpSessionTable } from "../../db/tables/mcp.ts";
import { AppError } from "../../errors.ts";
import { newSecret, newUuid } from "../../lib/secrets/ids.ts";
import { hashToken } from "../../lib/secrets/secrets.ts";
import { MINUTE_MS } from "../../lib/text/duration.ts";
import { SUBNET48_FACTOR } from "../accounts/actor.ts";
import { addressSubject, subnet48Subject } from "../accounts/rate-limits.ts";

/** Lifetime of a guest's session without a request, and the maximum number of sessions, in total and per address (mcp, "Sessions"). */
export const MCP_SESSIONS = { idleMs: 30 * MINUTE_MS, all: 1000, perAddress: 20 } as const;

/** The session of a guest, which requests to any server instance may name. Callers with a key need none. */
export interface McpSession {
  readonly id: string;
  /** The key that the guest has registered. */
  readonly key: string | undefined;
}

/** Opens a session. Resolves to its token, of which only a hash is stored. Throws RATE_LIMITED or UNAVAILABLE if too many sessions have a key. */
export async function openMcpSession(ctx: Ctx, { address }: { readonly address: string }): Promise<string> {
  const token = newSecret(ctx.random, "");
  const nowMs = ctx.now();
  const subject = addressSubject(ctx.keyring, address);
  const subnet48 = subnet48Subject(ctx.keyring, address) ?? null;
  await ctx.transaction(async (ctx) => {
    await deleteIdleMcpSessions(ctx);
    await makeRoom(ctx, { subject, subnet48 });
    await ctx.db
      .insertInto("mcp_sessions")
      .values({ id: newUuid(ctx.random, nowMs), token_hash: hashToken(token), subject, subnet48, key: null, used_at: nowMs })
      .execute();
  });
  return token;
}

type Origin = Pick<McpSessionTable, "subject" | "subnet48">;

/** Ends old sessions, so that an address, and the server, can have one more: clients that end no session would otherwise lock their address out. */
async function makeRoom({ db }: TransactionCtx, { subject, subnet48 }: Origin): Promise<void> {
  const { perAddress, all } = MCP_SESSIONS;
  const hasRoom =
    (await makeRoomAmong(db, { where: { subject }, limit: perAddress })) &&
    (subnet48 === null || (await makeRoomAmong(db, { where: { subnet48 }, limit: perAddress * SUBNET48_FACTOR })));
  if (!hasRoom)
    throw new AppError(
      "RATE_LIMITED",
      `Your IP address has ${perAddress} MCP sessions with a key. End some with DELETE, or wait: a session ends after 30 minutes without a request.`,
      { retryAfterSeconds: 60 },
    );
  if (!(await makeRoomAmong(db, { where: {}, limit: all })))
    throw new AppError("UNAVAILABLE", "The server has too many MCP sessions. Try again in a few minutes.", { retryAfterSeconds: 300 });
}

/** Ends the least recently used session without a key if there are `limit` sessions. Resolves to false if all have a key. */
async function makeRoomAmong(
  db: Db,
  { where, limit }: { readonly where: { readonly subject?: string; readonly subnet48?: string }; readonly limit: number },
): Promise<boolean> {
  const conditions = Object.entries(where) as ["subject" | "subnet48", string][];
  const among = conditions.reduce((query, [column, value]) => query.where(column, "=", value), db.selectFrom("mcp_sessions"));
  const { count } = await among.select(({ fn }) => fn.countAll<number>().as("count")).executeTakeFirstOrThrow();
  if (count < limit) return true;
  const oldest = await among.select("id").where("key", "is", null).orderBy("used_at").orderBy("id").limit(1).executeTakeFirst();
  if (oldest === undefined) return false;
  await closeMcpSession(db, oldest.id);
  return true;
}

/** Finds the session of a token, and extends it; undefined if it has ended. */
export async function findMcpSession(ctx: Ctx, token: string): Promise<McpSession | undefined> {
  const nowMs = ctx.now();
  const row = await ctx.db.selectFrom("mcp_sessions").selectAll().where("token_hash", "=", hashToken(token)).executeTakeFirst();
  if (!row || row.used_at + MCP_SESSIONS.idleMs <= nowMs) return undefined;
  await recordUse(ctx, row, nowMs);
  return { id: row.id, key: row.key === null ? undefined : ctx.keyring.decrypt(row.key) };
}

/** Records the use at most once a minute, so that most requests write nothing. */
async function recordUse({ db }: Pick<Ctx, "db">, { id, used_at }: Pick<McpSessionTable, "id" | "used_at">, nowMs: number): Promise<void> {
  if (nowMs - used_at < MINUTE_MS) return;
  await db.updateTable("mcp_sessions").set({ used_at: nowMs }).where("id", "=", id).execute();
}

/** Stores the key that a guest has registered, encrypted. Resolves to false if the session has ended or has a key. */
export async function keepMcpKey(ctx: Pick<Ctx, "db" | "keyring">, id: string, key: string): Promise<boolean> {
  const { numUpdatedRows } = await ctx.db
    .updateTable("mcp_sessions")
    .set({ key: ctx.keyring.encrypt(key) })
    .where("id", "=", id)
    .where("key", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Ends a session. */
export async function closeMcpSession(db: Db, id: string): Promise<void> {
  await db.deleteFrom("mcp_sessions").where("id", "=", id).execute();
}

/** Deletes sessions without a request for the idle time. */
export async function deleteIdleMcpSessions({ db, now }: Pick<Ctx, "db" | "now">): Promise<void> {
  await db
    .deleteFrom("mcp_sessions")
    .where("used_at", "<=", now() - MCP_SESSIONS.idleMs)
    .execute();
}
