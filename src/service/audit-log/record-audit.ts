import type { Ctx, TransactionCtx } from "../../context.ts";
import { insertMany } from "../../db/bulk.ts";
import type { AuditLogRow } from "../../db/tables/audit-log.ts";
import { DAY_MS } from "../../lib/text/duration.ts";
import type { AuditAction } from "./contract.ts";

interface AuditUser {
  readonly kind: "user";
  readonly userId: string;
  readonly keyId: string | null;
  /** The connection of the application that acts for the account. */
  readonly consentId?: string;
}

/** The caller of an operation, as far as the audit log records it. A `RequestContext` and an `AdministratorCall` are one. */
export interface AuditCaller {
  readonly actor: { readonly kind: "anonymous" } | { readonly kind: "machine" } | AuditUser;
  readonly address: string;
}

/** The origin of a change: the caller of an operation, or the server itself. */
export type AuditOrigin = AuditCaller | "system";

export interface AuditEntry {
  readonly action: AuditAction;
  /** The ID of the changed subject. The first word of the action is its kind. */
  readonly subject: string;
  /** The account that the subject belongs to; null for none. */
  readonly account: string | null;
  /** The new values, without secrets. Of texts that people wrote, only names are recorded. Undefined members are omitted. */
  readonly details?: Readonly<Record<string, string | number | boolean | null | undefined>>;
}

/** Records a change in the transaction that makes it (administration, "The audit log"). Does nothing for a caller without an account. */
export const recordAudit = (ctx: Pick<TransactionCtx, "db" | "now" | "config">, origin: AuditOrigin, entry: AuditEntry): Promise<void> =>
  recordAudits(ctx, origin, [entry]);

/** Records any number of changes with one statement. */
export async function recordAudits(
  { db, now, config }: Pick<TransactionCtx, "db" | "now" | "config">,
  origin: AuditOrigin,
  entries: readonly AuditEntry[],
): Promise<void> {
  const who = toColumns(origin);
  if (who === undefined) return;
  const rows = entries.map(({ action, subject, account, details = {} }) => ({
    action,
    ...who,
    subject_id: subject,
    account_id: account,
    details: JSON.stringify(details),
    address: config.auditLog.addressDays > 0 ? who.address : null,
    created_at: now(),
  }));
  await insertMany(db, "audit_log", rows);
}

/** Returns the account of an origin; undefined if it has none. */
export const toAccountId = (origin: AuditOrigin): string | undefined =>
  typeof origin === "object" && origin.actor.kind === "user" ? origin.actor.userId : undefined;

/** Returns the origin for an action before sign-in: the account signs in, signs up or follows a mailed link. */
export const asAccount = (userId: string, { address }: Pick<AuditCaller, "address">): AuditCaller => ({
  actor: { kind: "user", userId, keyId: null },
  address,
});

/** Returns the author of a decision: the ID of an account, or `command_line`, `system` or `anonymous`. */
export const toAuthor = (origin: AuditOrigin): string => toAccountId(origin) ?? toColumns(origin)?.origin ?? "anonymous";

const NOBODY = { actor_id: null, key_id: null, consent_id: null, address: null } as const;

function toColumns(origin: AuditOrigin): Pick<AuditLogRow, "origin" | "actor_id" | "key_id" | "consent_id" | "address"> | undefined {
  if (origin === "system") return { ...NOBODY, origin };
  const { actor, address } = origin;
  if (actor.kind === "anonymous") return undefined;
  if (actor.kind === "machine") return { ...NOBODY, origin: "command_line" };
  const { userId, keyId, consentId = null } = actor;
  return { origin: keyId === null ? "account" : "key", actor_id: userId, key_id: keyId, consent_id: consentId, address };
}

/** Deletes old entries, and the IP addresses in entries that are older than the retention of addresses. */
export async function pruneAuditLog({ db, now, config }: Pick<Ctx, "db" | "now" | "config">): Promise<void> {
  const { days, addressDays } = config.auditLog;
  await db
    .deleteFrom("audit_log")
    .where("created_at", "<", now() - days * DAY_MS)
    .execute();
  await db
    .updateTable("audit_log")
    .set({ address: null })
    .where("address", "is not", null)
    .where("created_at", "<", now() - addressDays * DAY_MS)
    .execute();
}
