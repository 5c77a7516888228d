import type { Ctx } from "../../context.ts";
import type { Mail } from "../../contract/mail.ts";
import { readMail } from "../../mail/queue.ts";
import { isMailedLinkOpen } from "../sign-in/mailed-links.ts";
import type { FailedRow } from "./failed-jobs-queries.ts";

/** Failed work, with the content of its mail. */
export interface Failed {
  readonly row: FailedRow;
  /** The mail; undefined for other work, and for a mail whose content cannot be decrypted. */
  readonly mail: Mail | undefined;
  /** Whether the one-time link of the mail can still be used. */
  readonly isLinkOpen: boolean;
}

export async function openFailed(ctx: Pick<Ctx, "db" | "now" | "keyring">, row: FailedRow): Promise<Failed> {
  const mail = row.content === null ? undefined : decrypt(ctx, row.content);
  return { row, mail, isLinkOpen: mail === undefined || (await isMailedLinkOpen(ctx, mail)) };
}

/** Decrypts the content of a mail; undefined if the server's secret has changed. */
function decrypt({ keyring }: Pick<Ctx, "keyring">, content: string): Mail | undefined {
  try {
    return readMail(keyring, content);
  } catch {
    return undefined;
  }
}

const RUNNING = "It runs now. Wait until this attempt has ended.";

/** Returns the reason why failed work cannot be retried; undefined if it can (administration, "Failed jobs"). */
export function whyNotRetried({ config }: Pick<Ctx, "config">, { row, mail, isLinkOpen }: Failed): string | undefined {
  if (row.is_running === 1) return RUNNING;
  if (row.kind !== "mail") return undefined;
  if (!config.mail) return "This server sends no mail. Set FILEHOST_SMTP_URL first.";
  if (!mail) return "The content of this mail was not kept. Drop it.";
  return isLinkOpen ? undefined : "The link in this mail has ended. Drop it; its recipient asks for a new one.";
}

/** Reasons why some kinds of jobs cannot be dropped: other data would wait forever. */
const NEEDED: Readonly<Record<string, string>> = {
  scan: "The file would wait for its scan forever. Take down the file instead.",
  webhook: "The deliveries of the endpoint would wait. Retry it.",
  block: "Files on the blocklist would stay available. Retry it.",
  "awaited-block": "Its file would not be added to the blocklist. Retry it.",
  withdrawal: "Links of the files would stay as they are. Retry it.",
  refund: "The buyer would not get their money back. Retry it.",
  "adjust-subscription": "Stripe would take payments for an account that cannot use them. Retry it.",
  recipients: "The recipients of the share would wait forever. Retry it.",
  "remove-account": "The data of the deleted account would stay. Retry it.",
};

/** Returns the reason why failed work cannot be dropped; undefined if it can (administration, "Failed jobs"). */
export function whyNotDropped({ row }: Pick<Failed, "row">): string | undefined {
  if (row.is_running === 1) return RUNNING;
  return row.source === "job" ? NEEDED[row.kind] : undefined;
}
