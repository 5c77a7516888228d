import type { Migration } from "../migrate.ts";

/** Accounts that were signed up for with an address that has one already (sign in, "Addresses that have an account"). */
export const claimedAddresses: Migration = {
  name: "0032-claimed-addresses",
  statements: ["ALTER TABLE users ADD COLUMN claimed_email TEXT"],
};
