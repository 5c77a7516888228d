import type { Ctx, RequestContext } from "../../context.ts";
import { newSecret } from "../../lib/secrets/ids.ts";
import { hashToken } from "../../lib/secrets/secrets.ts";
import { MINUTE_MS } from "../../lib/text/duration.ts";
import type { McpSession } from "./sessions.ts";

/** Retention of a cancellation, which is longer than any call waits (mcp, "Waiting"). */
const KEPT_MS = 15 * MINUTE_MS;

/** A call of a client, whose requests may reach any server instance. */
export interface McpCall {
  readonly client: string;
  /** The request ID in JSON, in which a number and a text differ. */
  readonly requestId: string;
}

interface McpClient {
  readonly call: Pick<RequestContext, "actor">;
  readonly session: McpSession | undefined;
  /** The session ID that the client sends. For a client with a key it is not stored. */
  readonly token: string | undefined;
}

/** Creates an ID for a client with a key. It is not stored, and distinguishes the client's calls from the calls of the account's other clients. */
export const newMcpClientId = ({ random }: Pick<Ctx, "random">): string => newSecret(random, "");

/** Identifies a client within its account or address; undefined for a client without an ID. */
export function identifyMcpClient({ call: { actor }, session, token }: McpClient): string | undefined {
  if (session) return hashToken(`session ${session.id}`);
  return actor.kind === "user" && token !== undefined ? hashToken(`account ${actor.userId} ${token}`) : undefined;
}

/** Cancels a call, which ends within two seconds in any server instance. */
export async function cancelMcpCall(ctx: Ctx, { client, requestId }: McpCall): Promise<void> {
  await ctx.transaction(async (ctx) => {
    await deleteOldMcpCancellations(ctx);
    await ctx.db
      .insertInto("mcp_cancellations")
      .values({ client_hash: client, request_id: requestId, cancelled_at: ctx.now() })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  });
}

/** Returns whether a call has been cancelled. */
export async function isMcpCallCancelled({ db }: Pick<Ctx, "db">, { client, requestId }: McpCall): Promise<boolean> {
  const row = await db
    .selectFrom("mcp_cancellations")
    .select("cancelled_at")
    .where("client_hash", "=", client)
    .where("request_id", "=", requestId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Deletes cancellations of calls that have ended. */
export async function deleteOldMcpCancellations({ db, now }: Pick<Ctx, "db" | "now">): Promise<void> {
  await db
    .deleteFrom("mcp_cancellations")
    .where("cancelled_at", "<=", now() - KEPT_MS)
    .execute();
}
