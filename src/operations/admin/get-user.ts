import type { Db } from "../../db/database.ts";
import type { UserRow } from "../../db/tables/accounts.ts";
import { AppError } from "../../errors.ts";

/** The account that an id, an e-mail address or a username names. Throws NOT_FOUND. */
export async function getUser(db: Db, named: string): Promise<UserRow> {
  const text = named.trim().toLowerCase();
  const user = await db
    .selectFrom("users")
    .selectAll()
    .where((where) => where.or([where("id", "=", text), where("email", "=", text), where("username", "=", text)]))
    .executeTakeFirst();
  if (user) return user;
  throw new AppError("NOT_FOUND", `There is no user ${named}. Name one by id, e-mail address or username.`);
}
