import type { Migration } from "../migrate.ts";

/** The session that sets an authenticator app up: no other one is given its secret (accounts, "Two-step sign-in"). */
export const factorSessions: Migration = {
  name: "0033-factor-sessions",
  statements: ["ALTER TABLE authenticators ADD COLUMN session_id TEXT"],
};
