import type { TransactionCtx } from "../../context.ts";
import type { TransactionDb } from "../../db/database.ts";
import type { UserRow } from "../../db/tables/accounts.ts";
import { userSubject } from "./actor.ts";
import { checkOtherAdministrator } from "./administrator.ts";
import { updateUserRow } from "./users.ts";

/**
 * Disables an account that is being deleted, deletes its keys and sessions, and frees its username and email address for others. Throws CONFLICT for
 * the last administrator.
 */
export async function closeUser(ctx: TransactionCtx, user: UserRow): Promise<void> {
  if (user.role === "admin") await checkOtherAdministrator(ctx.db, user.id, "Create another administrator first, then delete this one.");
  const nowMs = ctx.now();
  await updateUserRow(ctx, user, {
    name: "",
    email: `deleted-${user.id}`,
    claimed_email: null,
    email_verified: 0,
    email_proved_at: null,
    image: null,
    username: null,
    role: "user",
    disabled_at: nowMs,
    deleted_at: nowMs,
  });
  await deleteKeys(ctx.db, user.id);
  await ctx.db.deleteFrom("sessions").where("user_id", "=", user.id).execute();
}

/** Deletes all keys of an account. */
export async function deleteKeys(db: TransactionDb, userId: string): Promise<void> {
  await db.deleteFrom("api_keys").where("owner_id", "=", userId).execute();
}

/** Deletes the row of a deleted account and all rows that belong to the account. Resolves to false while the account has files or shares. */
export async function deleteClosedUser(db: TransactionDb, userId: string): Promise<boolean> {
  const [file, share] = [
    await db.selectFrom("files").select("id").where("owner_id", "=", userId).limit(1).executeTakeFirst(),
    await db.selectFrom("shares").select("short_id").where("owner_id", "=", userId).limit(1).executeTakeFirst(),
  ];
  if (file || share) return false;
  await db.deleteFrom("quotas").where("owner", "=", userSubject(userId)).execute();
  await db.deleteFrom("users").where("id", "=", userId).where("deleted_at", "is not", null).execute();
  return true;
}
