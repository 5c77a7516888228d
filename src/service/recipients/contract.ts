import { z } from "zod";
import { MAIL_LANGUAGES, SHARE_MAIL } from "../../contract/mail.ts";
import { defineOperation } from "../../contract/operation.ts";
import { dateTime, described, flag, messageText, shortId, text } from "../../contract/scalars.ts";

const ID = "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e";

const recipient = z
  .object({
    id: described(z.string(), "The recipient's ID, a UUID", ID),
    address: described(z.string(), "The email address, in lower case", "grace@example.org"),
    state: described(
      z.enum(["waiting", "sending", "sent", "failed", "ended"]),
      "waiting: for the files to arrive and pass their check; sending: to the mail server; sent: accepted by it; failed: not sent; ended: " +
        "the private link no longer works, because the share has a new code",
      "sent",
    ),
    failure: described(
      z.enum(["refused", "unreachable", "recipient_blocked", "file_blocked", "encrypted", "priced", "share_ended"]).nullable(),
      "Why it was not sent. refused: by the mail server; unreachable: it could not be given to a mail server; recipient_blocked: the recipient " +
        "wants no mails of senders; file_blocked: a file did not pass its check; encrypted, priced, share_ended: the share has become so",
      "refused",
    ),
    failureDetail: described(z.string().nullable(), "The response of the mail server that refused it", "550 No such user"),
    createdAt: described(dateTime, "When it was requested first", "2030-01-30T12:00:00Z"),
    sentAt: described(dateTime.nullable(), "When the last mail was sent, without the reminder", "2030-01-30T12:00:05Z"),
    openedAt: described(dateTime.nullable(), "When the private link was probably opened first", "2030-01-30T13:00:00Z"),
    downloads: described(z.int(), "Number of downloads with the private link; a ZIP counts as one", 1),
    downloadedAt: described(dateTime.nullable(), "When the last of these downloads was", "2030-01-30T13:01:00Z"),
    remind: described(z.boolean(), "Whether the recipient is reminded once before the share expires", true),
    remindedAt: described(dateTime.nullable(), "When the reminder was sent", "2030-02-01T12:00:00Z"),
  })
  .meta({ id: "Recipient", description: "A person to whom a share is sent by mail" });

export type RecipientView = z.infer<typeof recipient>;

/** The reasons why a share cannot be sent. */
const obstacle = described(
  z.enum(["no_mail", "unverified", "agent", "encrypted", "priced", "ended", "empty"]).nullable(),
  "Why the share cannot be sent by mail; null: it can. no_mail: this server sends none; unverified: verify the account's address first; " +
    "agent: agents cannot; encrypted, priced, ended, empty: the share is so",
  "encrypted",
);
export type SendObstacle = z.infer<typeof obstacle>;

/** recipients, "Sending" and "What the sender sees". */
export const recipientsContract = {
  sendShare: defineOperation({
    summary: "Send a share by email",
    description:
      "Each recipient gets a mail with a private link of their own, once all files have passed the malware check. Addresses that already are " +
      "recipients of the share get another mail.",
    tag: "Shares",
    method: "POST",
    path: "/shares/{shortId}/recipients",
    access: "files_write",
    requires: ["verified"],
    input: () =>
      z.object({
        shortId,
        recipients: described(
          z
            .array(z.email("give email addresses, such as grace@example.org").max(254))
            .min(1)
            .max(SHARE_MAIL.maxRecipients, `give at most ${SHARE_MAIL.maxRecipients} addresses`),
          "The email addresses, at most 20",
          ["grace@example.org"],
        ),
        message: described(
          messageText(SHARE_MAIL.maxMessage).nullish(),
          "A message to the recipients, in the mail",
          "The slides for Monday.",
        ),
        language: described(
          z.enum(MAIL_LANGUAGES).nullish(),
          "Language of the mail to recipients without an account; default: the caller's language",
          "en",
        ),
        remind: described(flag.nullish(), "Whether recipients who have not downloaded are reminded once before the share expires", true),
      }),
    envelope: "data",
    output: () => z.object({ recipients: described(z.array(recipient), "The recipients of this call") }),
    errors: {
      403: "The account's address is not verified, or it is an agent",
      404: "Unknown or not yours",
      409: "This server sends no mail, or the share is encrypted, priced, ended or empty, or has 100 recipients",
      429: "Too many mails in an hour, in a day, or to this recipient",
    },
  }),
  listRecipients: defineOperation({
    summary: "List the recipients of a share",
    description: "The people to whom the share was sent by mail, newest first: what became of each mail, and who downloaded.",
    tag: "Shares",
    method: "GET",
    path: "/shares/{shortId}/recipients",
    access: "files_read",
    input: () => z.object({ shortId }),
    envelope: "data",
    output: () => z.object({ obstacle, recipients: described(z.array(recipient), "The recipients, at most 100") }),
    errors: { 404: "Unknown or not yours" },
  }),
  removeRecipient: defineOperation({
    summary: "Remove a recipient of a share",
    description: "Ends the recipient's private link. A mail that is not sent yet is not sent.",
    tag: "Shares",
    method: "DELETE",
    path: "/shares/{shortId}/recipients/{recipientId}",
    access: "files_write",
    input: () => z.object({ shortId, recipientId: described(text(64).min(1), "The recipient's ID", ID) }),
    envelope: "data",
    output: () => z.object({ id: described(z.string(), "The recipient's ID", ID) }),
    errors: { 404: "Unknown or not yours" },
  }),
} as const;
