import { sqlAddress, sqlAddressVerified } from "../../db/account-address.ts";
import type { Db } from "../../db/database.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import type { Input } from "../contract.ts";
import type { AdministratorOperation } from "../operation.ts";
import { clampLimit } from "../paging.ts";
import type { AuditEntryView } from "./contract.ts";

/** `GET /admin/audit-log`: newest first; `nextCursor` is null on the last page. */
export const listAuditLog: AdministratorOperation<"listAuditLog"> = async (ctx, _call, { limit, ...search }) => {
  const pageSize = clampLimit(limit, { defaultLimit: 50, maxLimit: 200 });
  const rows = await findEntries(ctx.db, { ...search, count: pageSize + 1 });
  const page = rows.slice(0, pageSize);
  return { success: true, data: page.map(toEntryView), nextCursor: rows.length > pageSize ? String(page.at(-1)?.id ?? "") : null };
};

type Search = Omit<Input<"listAuditLog">, "limit"> & { readonly count: number };

async function findEntries(db: Db, { since, until, actor, action, subject, cursor, count }: Search) {
  const [actors, keys] = actor === undefined ? [[], []] : await Promise.all([listAccountIds(db, actor), listKeyIds(db, actor)]);
  const accounts = subject === undefined ? [] : await listAccountIds(db, subject);
  return await db
    .selectFrom("audit_log")
    .leftJoin("users as actors", "actors.id", "audit_log.actor_id")
    .leftJoin("users as accounts", "accounts.id", "audit_log.account_id")
    .leftJoin("api_keys", "api_keys.id", "audit_log.key_id")
    .leftJoin("oauth_consents", "oauth_consents.id", "audit_log.consent_id")
    .leftJoin("oauth_clients", "oauth_clients.client_id", "oauth_consents.client_id")
    .selectAll("audit_log")
    .select([
      sqlAddress("actors").as("actor_email"),
      sqlAddressVerified("actors").as("actor_verified"),
      sqlAddress("accounts").as("account_email"),
      sqlAddressVerified("accounts").as("account_verified"),
      "api_keys.prefix as key_prefix",
      "oauth_clients.name as application_name",
    ])
    .$if(since !== undefined, (query) => query.where("audit_log.created_at", ">=", Date.parse(since ?? "")))
    .$if(until !== undefined, (query) => query.where("audit_log.created_at", "<", Date.parse(until ?? "")))
    .$if(cursor !== undefined, (query) => query.where("audit_log.id", "<", Number(cursor)))
    .$if(action?.includes(".") === true, (query) => query.where("action", "=", action ?? ""))
    .$if(action?.includes(".") === false, (query) => query.where("action", ">=", `${action}.`).where("action", "<", `${action}/`))
    .$if(actor === "command_line" || actor === "system", (query) => query.where("origin", "=", actor as "system"))
    .$if(actor !== undefined && actor !== "command_line" && actor !== "system", (query) =>
      query.where((where) =>
        where.or([
          where("actor_id", "in", [actor ?? "", ...actors]),
          where("key_id", "in", [actor ?? "", ...keys]),
          where("consent_id", "=", actor ?? ""),
        ]),
      ),
    )
    .$if(subject !== undefined, (query) =>
      query.where((where) => where.or([where("subject_id", "=", subject ?? ""), where("account_id", "in", [subject ?? "", ...accounts])])),
    )
    .orderBy("audit_log.id", "desc")
    .limit(count)
    .execute();
}

/** Lists the accounts with an email address, verified or not, or with a username. */
async function listAccountIds(db: Db, named: string): Promise<string[]> {
  const text = named.trim().toLowerCase();
  const rows = await db
    .selectFrom("users")
    .select("id")
    .where((where) => where.or([where("email", "=", text), where("claimed_email", "=", text), where("username", "=", text)]))
    .execute();
  return rows.map(({ id }) => id);
}

/** Lists the keys with a prefix, with or without `bc_`. */
async function listKeyIds(db: Db, named: string): Promise<string[]> {
  const rows = await db.selectFrom("api_keys").select("id").where("prefix", "=", named.replace(/^bc_/, "")).execute();
  return rows.map(({ id }) => id);
}

const toEntryView = (row: Awaited<ReturnType<typeof findEntries>>[number]): AuditEntryView => ({
  id: String(row.id),
  at: toIso(row.created_at),
  action: row.action,
  origin: row.consent_id === null ? row.origin : "application",
  actor: row.actor_id === null ? null : { id: row.actor_id, email: row.actor_email, emailVerified: row.actor_verified === 1 },
  keyPrefix: row.key_prefix === null ? null : `bc_${row.key_prefix}`,
  application: row.consent_id === null ? null : { id: row.consent_id, name: row.application_name },
  subjectId: row.subject_id,
  account: row.account_id === null ? null : { id: row.account_id, email: row.account_email, emailVerified: row.account_verified === 1 },
  details: JSON.parse(row.details) as AuditEntryView["details"],
  address: row.address,
});
