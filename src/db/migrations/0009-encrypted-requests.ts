import type { Migration } from "../migrate.ts";

/**
 * The age public key to which senders encrypt what they send to a request; null if they do not (requests, "Encrypted requests"). The trigger of the
 * first migration forgets it too when the account is deleted.
 */
export const encryptedRequests: Migration = {
  name: "0009-encrypted-requests",
  statements: [
    "ALTER TABLE requests ADD COLUMN encrypt_to TEXT",
    "DROP TRIGGER requests_forget",
    `CREATE TRIGGER requests_forget AFTER UPDATE OF owner_id ON requests WHEN NEW.owner_id IS NULL BEGIN
      UPDATE requests SET token = '', title = '', message = NULL, encrypt_to = NULL WHERE id = NEW.id;
      DELETE FROM request_submissions WHERE request_id = NEW.id;
    END`,
  ],
};
