import type { Migration } from "../migrate.ts";

/** The name that a received file was sent with, once its owner has renamed it: what its sender's receipt shows (requests, "The sender's receipt"). */
export const sentNames: Migration = {
  name: "0026-sent-names",
  statements: ["ALTER TABLE files ADD COLUMN sent_name TEXT"],
};
