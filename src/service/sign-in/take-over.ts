import type { Ctx } from "../../context.ts";
import type { UserRow } from "../../db/tables/accounts.ts";
import type { AccountLinkTable } from "../../db/tables/sign-in.ts";
import { findUser, isAddressVerified } from "../accounts/users.ts";
import { findAccountLink } from "./account-links.ts";

/**
 * Returns whether setting the password by a link ends everything that acts for the account, because a stranger may have set it up (accounts, "A
 * forgotten password").
 */
export const isTakeOver = (
  { mailed_to }: Pick<AccountLinkTable, "mailed_to">,
  user: Pick<UserRow, "email_verified" | "role" | "email_proved_at">,
): boolean => (mailed_to === null ? !isAddressVerified(user) : user.email_proved_at === null);

/** Finds a usable link that sets a password, with the data of its page. */
export async function findResetLink(ctx: Pick<Ctx, "db" | "now">, token: string): Promise<{ readonly isTakeOver: boolean } | undefined> {
  const link = await findAccountLink(ctx, token, "reset");
  const user = link && (await findUser(ctx.db, link.user_id));
  return link && user && { isTakeOver: isTakeOver(link, user) };
}
