import type { Ctx, TransactionCtx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import type { McpSessionTable } from "../../db/tables/mcp.ts";
import { AppError } from "../../errors.ts";
import { MINUTE_MS } from "../../lib/duration.ts";
import { newSecret, newUuid } from "../../lib/ids.ts";
import { hashToken } from "../../lib/secrets.ts";
import { SUBNET48_FACTOR } from "../accounts/actor.ts";
import { addressSubject, subnet48Subject } from "../accounts/rate-limits.ts";

/** How long a guest's session lasts without a request, and how many there may be: in all, and of one address (mcp, "Sessions"). */
export const MCP_SESSIONS = { idleMs: 30 * MINUTE_MS, all: 1000, perAddress: 20 } as const;

/** The session of a guest, which the requests to any server may name. Callers with a key need none. */
export interface McpSession {
  readonly id: string;
  /** The key that the guest has registered. */
  readonly key: string | undefined;
}

/** Opens a session. Resolves to its token, which is only stored as a hash. Throws RATE_LIMITED or UNAVAILABLE if there are too many. */
export async function openMcpSession(ctx: Ctx, { address }: { readonly address: string }): Promise<string> {
  const token = newSecret(ctx.random, "");
  const nowMs = ctx.now();
  const subject = addressSubject(ctx.keyring, address);
  const subnet48 = subnet48Subject(ctx.keyring, address) ?? null;
  await ctx.transaction(async (ctx) => {
    await deleteIdleMcpSessions(ctx);
    await checkRoom(ctx, { subject, subnet48 });
    await ctx.db
      .insertInto("mcp_sessions")
      .values({ id: newUuid(ctx.random, nowMs), token_hash: hashToken(token), subject, subnet48, key: null, used_at: nowMs })
      .execute();
  });
  return token;
}

async function checkRoom({ db }: TransactionCtx, { subject, subnet48 }: Pick<McpSessionTable, "subject" | "subnet48">): Promise<void> {
  const count = async (column?: "subject" | "subnet48", value?: string): Promise<number> => {
    const all = db.selectFrom("mcp_sessions").select(({ fn }) => fn.countAll<number>().as("count"));
    const { count } = await (column && value ? all.where(column, "=", value) : all).executeTakeFirstOrThrow();
    return count;
  };
  const { perAddress, all } = MCP_SESSIONS;
  const isCrowded = (await count("subject", subject)) >= perAddress;
  if (isCrowded || (subnet48 !== null && (await count("subnet48", subnet48)) >= perAddress * SUBNET48_FACTOR))
    throw new AppError(
      "RATE_LIMITED",
      `Your IP address has ${perAddress} MCP sessions. End some with DELETE, or wait: a session ends after 30 minutes without a request.`,
      { retryAfterSeconds: 60 },
    );
  if ((await count()) >= all)
    throw new AppError("UNAVAILABLE", "The server has too many MCP sessions. Try again in a few minutes.", { retryAfterSeconds: 300 });
}

/** Finds the session of a token, and prolongs it; undefined if it has ended. */
export async function findMcpSession(ctx: Ctx, token: string): Promise<McpSession | undefined> {
  const nowMs = ctx.now();
  const row = await ctx.db.selectFrom("mcp_sessions").selectAll().where("token_hash", "=", hashToken(token)).executeTakeFirst();
  if (!row || row.used_at + MCP_SESSIONS.idleMs <= nowMs) return undefined;
  await recordUse(ctx, row, nowMs);
  return { id: row.id, key: row.key === null ? undefined : ctx.keyring.decrypt(row.key) };
}

/** Once a minute, so that most requests write nothing. */
async function recordUse({ db }: Pick<Ctx, "db">, { id, used_at }: Pick<McpSessionTable, "id" | "used_at">, nowMs: number): Promise<void> {
  if (nowMs - used_at < MINUTE_MS) return;
  await db.updateTable("mcp_sessions").set({ used_at: nowMs }).where("id", "=", id).execute();
}

/** Keeps the key that a guest has registered, encrypted; false if the session has ended or has a key. */
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
