import { type RawBuilder, sql } from "kysely";

/** In SQL, the address of an account in the table or alias `users`, which it may only claim to have (sign in, "Addresses that have an account"). */
export const sqlAddress = (users: string): RawBuilder<string | null> =>
  sql`coalesce(${sql.ref(`${users}.claimed_email`)}, ${sql.ref(`${users}.email`)})`;

/** Whether that address is known to be the account's owner's: 1 or 0. The address of an agent is the server's own. */
export const sqlAddressVerified = (users: string): RawBuilder<number | null> =>
  sql`(${sql.ref(`${users}.email_verified`)} = 1 OR ${sql.ref(`${users}.role`)} = 'agent')`;
