import { sqlAddress } from "../../db/account-address.ts";
import type { Db } from "../../db/database.ts";
import { findShareNames, toUntitledName } from "../share-names.ts";
import type { AuditEntryView } from "./contract.ts";
import { type EntryNames, subjectKind } from "./names-contract.ts";

/** Finds the names for a page of entries, with one query for each kind of subject on it. */
export async function nameEntries(db: Db, entries: readonly AuditEntryView[]): Promise<EntryNames> {
  const accountIds = new Set(entries.flatMap(({ actor, account }) => [actor, account].flatMap((named) => named?.id ?? [])));
  const [accounts, ...subjects] = await Promise.all([
    findAccountNames(db, [...accountIds]),
    ...Object.entries(FINDERS).map(async ([kind, find]) => {
      const ids = [...new Set(entries.filter((entry) => subjectKind(entry) === kind).map(({ subjectId }) => subjectId))];
      if (ids.length === 0) return [];
      return (await find(db, ids)).flatMap(({ id, name }) => (name === null ? [] : [[`${kind}:${id}`, name] as const]));
    }),
  ]);
  return { accounts, subjects: new Map(subjects.flat()) };
}

export interface NamedActor {
  readonly id: string;
  readonly name: string;
}

/** The number of the newest entries whose actors can be chosen in the search. */
const RECENT_ENTRIES = 1000;
const MAX_ACTORS = 100;

/** Lists the people whose actions are among the newest entries, by name. */
export async function listRecentActors(db: Db): Promise<NamedActor[]> {
  const recent = db.selectFrom("audit_log").select("actor_id").orderBy("id", "desc").limit(RECENT_ENTRIES).as("recent");
  return await db
    .selectFrom("users")
    .select(["id", "name"])
    .where("id", "in", (query) => query.selectFrom(recent).select("recent.actor_id").where("recent.actor_id", "is not", null))
    .where("deleted_at", "is", null)
    .orderBy("name")
    .limit(MAX_ACTORS)
    .execute();
}

/** Finds the person whom a search names by the ID, the address or the username of the account. */
export async function findActorName(db: Db, named: string): Promise<string | undefined> {
  const text = named.trim().toLowerCase();
  const row = await db
    .selectFrom("users")
    .select("name")
    .where((where) =>
      where.or([where("id", "=", named), where("email", "=", text), where("claimed_email", "=", text), where("username", "=", text)]),
    )
    .executeTakeFirst();
  return row?.name;
}

async function findAccountNames(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("users")
    .select(["id", "name", sqlAddress("users").as("address")])
    .where("id", "in", ids)
    .where("deleted_at", "is", null)
    .execute();
  return new Map(rows.map(({ id, name, address }) => [id, name || address || id]));
}

interface NamedSubject {
  readonly id: string;
  readonly name: string | null;
}

type FindNames = (db: Db, ids: readonly string[]) => Promise<readonly NamedSubject[]>;

/** How the names of a kind are found. Other kinds have their names in the details of the entries, or none. */
const FINDERS: Readonly<Record<string, FindNames>> = {
  account: async (db, ids) => [...(await findAccountNames(db, ids))].map(([id, name]) => ({ id, name })),
  share: async (db, ids) => {
    const rows = await db
      .selectFrom("shares")
      .select(["short_id", "kind", "title", "name"])
      .where("short_id", "in", ids)
      .where("status", "!=", "deleted")
      .execute();
    const unnamed = rows.filter(({ kind, title }) => title === null && kind !== "file").map(({ short_id }) => short_id);
    const names = await findShareNames(db, unnamed);
    return rows.map(({ short_id, kind, title, name }) => {
      const named = names.get(short_id);
      return { id: short_id, name: title ?? (kind === "file" ? name : named ? toUntitledName(named) : short_id) };
    });
  },
  file: async (db, ids) => {
    const rows = await db
      .selectFrom("files")
      .select(["id", "name", "owner_name"])
      .where("id", "in", ids)
      .where("status", "!=", "deleted")
      .execute();
    return rows.map(({ id, name, owner_name }) => ({ id, name: owner_name ?? name }));
  },
  key: async (db, ids) => {
    const rows = await db.selectFrom("api_keys").select(["id", "label", "prefix"]).where("id", "in", ids).execute();
    return rows.map(({ id, label, prefix }) => ({ id, name: label ?? `bc_${prefix}` }));
  },
  invite: (db, ids) => db.selectFrom("invites").select(["id", "email as name"]).where("id", "in", ids).execute(),
  delegation: (db, ids) => db.selectFrom("upload_delegations").select(["id", "name"]).where("id", "in", ids).execute(),
  request: (db, ids) => db.selectFrom("requests").select(["id", "title as name"]).where("id", "in", ids).execute(),
  report: (db, ids) => db.selectFrom("reports").select(["id", "name"]).where("id", "in", ids).execute(),
};
