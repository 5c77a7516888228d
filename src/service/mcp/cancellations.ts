import type { Ctx, RequestContext } from "../../context.ts";
import { newSecret } from "../../lib/secrets/ids.ts";
import { hashToken } from "../../lib/secrets/secrets.ts";
import { MINUTE_MS } from "../../lib/text/duration.ts";
import type { McpSession } from "./sessions.ts";

/** Longer than any call waits (mcp, "Waiting"). */
const KEPT_MS = 15 * MINUTE_MS;

/** A call of a client. Its requests may reach any server. */
export interface McpCall {
  readonly client: string;
  /** In JSON: a number and a text are different IDs. */
  readonly requestId: string;
}

interface McpClient {
  readonly call: Pick<RequestContext, "actor">;
  readonly session: McpSession | undefined;
  /** What the client sends as the ID of its session; of one with a key it is not stored. */
  readonly token: string | undefined;
}

/** An ID for a client with a key, which is not stored: it tells its calls from those of other clients of the account. */
export const newMcpClientId = ({ random }: Pick<Ctx, "random">): string => newSecret(random, "");

/** Identifies a client among those of its account or address; undefined for one without an ID. */
export function identifyMcpClient({ call: { actor }, session, token }: McpClient): string | undefined {
  if (session) return hashToken(`session ${session.id}`);
  return actor.kind === "user" && token !== undefined ? hashToken(`account ${actor.userId} ${token}`) : undefined;
}

/** Cancels a call, which ends within a second or two wherever it runs. */
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

/** Whether a call has been cancelled. */
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
