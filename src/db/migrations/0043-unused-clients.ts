import type { Migration } from "../migrate.ts";

/** Applications that no account has allowed anything, which are few at any time (oauth, "Registration"). */
export const unusedClients: Migration = {
  name: "0043-unused-clients",
  statements: ["CREATE INDEX oauth_clients_unused ON oauth_clients (created_at) WHERE used_at = created_at"],
};
