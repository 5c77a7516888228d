import { contract } from "../../service/contract.ts";
import type { RecipientView } from "../../service/recipients/contract.ts";
import { openShareClient, SHARE_ARGUMENT } from "../client/open-share-client.ts";
import { defineCommand } from "../command.ts";
import { UsageError } from "../failure.ts";
import { CLIENT_OPTIONS } from "../options/client-options.ts";
import { fromContract } from "../options/from-contract.ts";
import { formatTable, formatTime } from "../terminal/text.ts";

const settings = fromContract(contract.sendShare.input.shape, ["message", "language", "remind"]);

export const send = defineCommand({
  details:
    "Sends a share of your account by email, once all its files have passed the malware check. Each recipient gets a private link, so you see who opens it and downloads. Without --to, shows what became of the mails. To upload files: filehost up.",
  args: { ID: SHARE_ARGUMENT },
  options: {
    to: { kind: "text", value: "ADDRESS", many: true, help: "An email address; repeat it for several, at most 20" },
    ...settings.options,
    remove: { kind: "text", value: "ADDRESS", help: "End the private link of this recipient" },
    ...CLIENT_OPTIONS,
  },
  settings: [],
  examples: [
    "filehost send 7kXq9Zab",
    "filehost send 7kXq9Zab --to grace@example.org --message 'The slides for Monday.'",
    "filehost send 7kXq9Zab --to ada@example.org --to grace@example.org --remind",
    "filehost send 7kXq9Zab --remove grace@example.org",
  ],
  async run({ args: { ID }, options, terminal }) {
    const { to, remove } = options;
    const mail = settings.read("send", options);
    if (remove !== undefined && to.length > 0) throw new UsageError("Pass --to or --remove, not both.", "filehost send --help");
    const client = await openShareClient({ command: "send", options, terminal }, [ID]);
    const { findShortId, removeRecipient } = await import("../../client/shares/send-share.ts");
    const shortId = await findShortId(client, ID);
    if (to.length > 0) await client.api.call("sendShare", { shortId, recipients: [...to], ...mail });
    if (remove !== undefined) await removeRecipient(client, shortId, remove);
    const { recipients } = await client.api.call("listRecipients", { shortId });
    const rows = recipients.map((recipient) => [recipient.address, describe(recipient)]);
    return { data: { shortId, recipients }, text: formatTable(["RECIPIENT", "STATE"], rows, "This share was not sent to anybody.") };
  },
});

/** Describes what became of a mail in a few words: `probably opened 2030-01-30 12:00`. */
function describe({ state, failure, failureDetail, openedAt, downloads, downloadedAt, sentAt }: RecipientView): string {
  if (downloads > 0) return `downloaded ${formatTime(downloadedAt)}`;
  if (failure !== null) return `not sent: ${FAILURES[failure]}${failureDetail === null ? "" : ` (${failureDetail})`}`;
  if (state === "waiting") return "waits for the files and their check";
  if (state === "ended") return "link ended: the share has another code";
  if (openedAt !== null) return `probably opened ${formatTime(openedAt)}`;
  return state === "sending" ? "being sent" : `sent ${formatTime(sentAt)}`;
}

const FAILURES: Readonly<Record<NonNullable<RecipientView["failure"]>, string>> = {
  refused: "the mail server refused it",
  unreachable: "it could not be given to a mail server",
  recipient_blocked: "the recipient wants no mails of senders",
  file_blocked: "a file did not pass the malware check",
  encrypted: "a file is encrypted",
  priced: "the share has a price",
  share_ended: "the share has ended",
};
