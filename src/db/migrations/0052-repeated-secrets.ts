import type { Migration } from "../migrate.ts";

/** The credential that made a stored response, which alone gets its secrets again (idempotency, "Secrets of a repeated response"). */
export const repeatedSecrets: Migration = {
  name: "0052-repeated-secrets",
  statements: ["ALTER TABLE idempotent_requests ADD COLUMN credential TEXT"],
};
