import type { TransactionCtx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import { DAY_MS } from "../../lib/text/duration.ts";

/** Retention of applications that no account has ever connected, and of applications that no account connects any more. */
const KEPT_MS = { unused: DAY_MS, formerlyUsed: 7 * DAY_MS } as const;

/** Maximum number of applications that no account has ever connected. */
const MAX_UNUSED_CLIENTS = 10_000;

/** The client of the command line, which is built in. */
const COMMAND_LINE_CLIENT = "filehost-cli";

/** Deletes the oldest applications that no account has ever connected, while there are too many. */
export async function trimUnusedClients(db: TransactionCtx["db"]): Promise<void> {
  const surplus = db
    .selectFrom("oauth_clients")
    .select("id")
    .whereRef("used_at", "=", "created_at")
    .where("client_id", "<>", COMMAND_LINE_CLIENT)
    .orderBy("created_at", "desc")
    .limit(1000)
    .offset(MAX_UNUSED_CLIENTS);
  await db.deleteFrom("oauth_clients").where("id", "in", surplus).execute();
}

/** Deletes applications that nobody uses (oauth, "Registration"). */
export async function deleteUnusedClients(db: Db, nowMs: number): Promise<void> {
  await db
    .deleteFrom("oauth_clients")
    .where("client_id", "<>", COMMAND_LINE_CLIENT)
    .where("used_at", "<=", nowMs - KEPT_MS.unused)
    .where((where) => where.or([where("used_at", "=", where.ref("created_at")), where("used_at", "<=", nowMs - KEPT_MS.formerlyUsed)]))
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom("oauth_consents").select("id").whereRef("oauth_consents.client_id", "=", "oauth_clients.client_id"))),
    )
    .execute();
}
