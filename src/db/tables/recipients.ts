import type { Generated, Selectable } from "kysely";

/** A person to whom a share is mailed. */
export interface ShareRecipientTable {
  id: string;
  short_id: string;
  /** The address in lower case. */
  address: string;
  /** The language of the mail for a recipient without an account. */
  language: string;
  /** The sender's message, encrypted; null once the mail is enqueued, and without a message. */
  message: string | null;
  /** The state of the last mail to the recipient. */
  status: "waiting" | "sending" | "sent" | "failed";
  failure: "refused" | "unreachable" | "recipient_blocked" | "file_blocked" | "encrypted" | "priced" | "share_ended" | null;
  /** The response of the SMTP server. */
  failure_detail: string | null;
  /** Whether the sender chose a reminder; `ended`: it was enqueued, or will not be. */
  reminder: "chosen" | "ended" | null;
  created_at: number;
  /** The time at which the SMTP server accepted the last mail that was no reminder. */
  sent_at: number | null;
  /** The time at which cleanup decides on the reminder; null if there is nothing to decide. */
  remind_at: number | null;
  /** The time at which the SMTP server accepted the reminder. */
  reminded_at: number | null;
  opened_at: number | null;
  downloads: Generated<number>;
  downloaded_at: number | null;
}

export type ShareRecipientRow = Selectable<ShareRecipientTable>;

/** A private link of one recipient. Each mail has its own, because only the hashes of tokens are stored. */
export interface RecipientLinkTable {
  token_hash: string;
  recipient_id: string;
  /** The message of its mail, encrypted; null without one. */
  message: string | null;
}

/** An address that accepts no mail of senders, as a keyed hash. */
export interface BlockedAddressTable {
  address_hash: string;
  created_at: number;
}
