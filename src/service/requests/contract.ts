import { z } from "zod";
import { ageRecipient } from "../../contract/age-recipient.ts";
import { defineOperation } from "../../contract/operation.ts";
import { limit, listOf, page, pagination } from "../../contract/paging.ts";
import {
  count,
  dateTime,
  dateTimeInput,
  described,
  encrypted,
  fileId,
  flag,
  messageText,
  proofOfWorkFields,
  protectionCredentials,
  scanStatus,
  shortId,
  TOO_MANY_CODES,
  text,
} from "../../contract/scalars.ts";
import { secret } from "../../contract/secret.ts";
import { webUrl } from "../../contract/web-url.ts";
import { fileItem } from "../files/contract.ts";
import { publishFields } from "../shares/contract.ts";

/** Defaults of a request: lifetime, number of files, and part of the owner's storage. */
export const REQUEST_DEFAULTS = { days: 30, files: 100, storageShare: 0.1 } as const;
/** Maximum lifetime and number of files of a request. */
export const REQUEST_LIMITS = { days: 365, files: 10_000 } as const;

const requestId = described(z.string().min(1), "The request's ID", "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e");
const requestToken = described(
  text(200).min(1),
  "The token of the request: the last part of its link, with or without `rq_`",
  "rq_3hT8nQ9kWm2X",
);
const title = text(120)
  .regex(/\S/, "say in 1 to 120 characters what you ask for")
  .meta({ description: "What you ask for, shown to senders, 1 to 120 characters", examples: ["Photos of the party"] });

const settings = {
  message: described(messageText(480).nullish(), "Shown to senders below the title", "The large files, please."),
  folderId: described(
    z.uuid().nullish(),
    "The folder for the files; null: none. Default of a new request: a new folder with the title as its name",
    "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e",
  ),
  maxFiles: described(count.nullish(), `Files that all senders together may send, at most ${REQUEST_LIMITS.files}; default: 100`, 100),
  maxFileBytes: described(count.nullish(), "Largest file, bytes; default: that of your tier", 1_073_741_824),
  maxBytes: described(count.nullish(), "Bytes that all senders together may send; default: 10 % of your storage", 1_073_741_824),
  expiresAt: described(
    dateTimeInput.nullish(),
    "When the link expires, at most 365 days from now; default: in 30 days",
    "2030-01-31T12:00:00Z",
  ),
  once: described(flag.nullish(), "Only one sender: nobody else can send files after the first upload has started", false),
  notify: described(flag.nullish(), "Whether you get notices of its files; null: as your settings say", true),
  protect: described(flag.nullish(), "true: creates an unlock code that senders have to enter; false removes it", false),
};

const KEY_EXAMPLE = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p";
/** The key of a new request, which cannot be changed later. */
const encryptTo = described(
  ageRecipient.nullish(),
  "An age public key, to which senders encrypt files and names; it cannot be changed later",
  KEY_EXAMPLE,
);

const state = z.enum(["open", "usedUp", "expired", "closed"]);

export const request = z
  .object({
    id: requestId,
    requestUrl: described(
      secret(webUrl),
      "The link for senders; with `encryptTo`, the key is in its fragment",
      "https://files.example.org/r/3hT8nQ9kWm2X",
    ),
    title: described(z.string(), "What you ask for", "Photos of the party"),
    message: described(z.string().nullable(), "Shown to senders below the title", "The large files, please."),
    folderId: described(z.string().nullable(), "The folder for the files; null: none"),
    maxFiles: described(z.int(), "Files that all senders together may send", 100),
    maxFileBytes: described(z.int().nullable(), "Largest file, bytes; null: that of your tier"),
    maxBytes: described(z.int(), "Bytes that all senders together may send", 1_073_741_824),
    once: described(z.boolean(), "Whether only one sender may send files", false),
    notify: described(z.boolean().nullable(), "Whether you get notices of its files; null: as your settings say"),
    encryptTo: described(z.string().nullable(), "The age public key to which senders encrypt; null: they do not", KEY_EXAMPLE),
    unlockRequired: described(z.boolean(), "Whether senders have to enter an unlock code", false),
    state: described(state, "Whether senders can send files; usedUp: no file or byte is left, or its one sender has come", "open"),
    receivedFiles: described(z.int(), "Files received and not removed by their sender, with unfinished uploads", 3),
    receivedBytes: described(z.int(), "Bytes of these files", 48_213),
    createdAt: described(dateTime, "When it was created", "2030-01-01T12:00:00Z"),
    expiresAt: described(dateTime, "When the link expires", "2030-01-31T12:00:00Z"),
    closedAt: described(dateTime.nullable(), "When you closed it; null: you did not"),
    unlockCode: protectionCredentials.unlockCode,
  })
  .meta({ id: "Request", description: "A link with which others send files to you" });
export type RequestView = z.infer<typeof request>;

const submission = z.object({
  senderName: described(z.string().nullable(), "What the sender calls themselves; not verified", "Ada"),
  senderNote: described(z.string().nullable(), "The sender's note", "Both versions."),
  createdAt: described(dateTime, "When the sender began", "2030-01-02T12:00:00Z"),
  files: described(z.array(fileItem), "Its files, oldest first"),
});

const senderFields = {
  senderName: publishFields.senderName,
  senderNote: publishFields.senderNote,
};
const deletionToken = described(text(200).min(1), "The `deletionToken` of the submission", "del_4tR9wZ");
const NO_REQUEST = "Unknown or not yours";
const NO_LINK = "The link is unknown, or was replaced";
const NO_SUBMISSION = "The submission is unknown, or the token is wrong";

export const requestsContract = {
  createRequest: defineOperation({
    summary: "Ask others for files",
    description: "Everybody with `requestUrl` can send files to your account, without an account, until a limit is reached.",
    tag: "Requests",
    method: "POST",
    path: "/requests",
    access: "files_write",
    input: () => z.object({ title, ...settings, encryptTo }),
    example: { title: "Photos of the party", maxFiles: 100 },
    envelope: "data",
    output: () => request,
    errors: {
      404: "The folder is unknown or not yours",
      409: "The account has too many requests or folders",
      415: "The server does not accept encrypted files",
    },
  }),
  listRequests: defineOperation({
    summary: "List your requests",
    description: "Newest first.",
    tag: "Requests",
    method: "GET",
    path: "/requests",
    access: "files_read",
    input: () =>
      z.object({
        state: described(
          z.enum(["open", "ended"], "give open or ended").optional(),
          "Only those that senders can send files to, or only the others; default: all",
          "open",
        ),
        page,
        limit: limit("Items on a page: 1 to 200; default: 50"),
      }),
    output: () =>
      listOf(request).extend({
        counts: described(
          z.object({
            open: described(z.int(), "Number of open requests", 2),
            ended: described(z.int(), "Number of the others", 1),
          }),
          "The requests of the account",
        ),
        pagination,
      }),
    errors: {},
  }),
  getRequestByToken: defineOperation({
    summary: "See what a request asks for",
    description: "What the page of the link shows: who asks, for what, and what is left.",
    tag: "Requests",
    method: "GET",
    path: "/requests/by-token",
    access: "public",
    input: () =>
      z.object({
        requestToken,
        unlockToken: described(
          text(200).optional(),
          "Of a request with an unlock code: the token from POST /requests/unlock",
          "ul_mrxkz2g0.7bN2vQ",
        ),
      }),
    envelope: "data",
    output: () =>
      z.object({
        from: described(
          z.string().nullable(),
          "The name of the account that asks; until the code is entered, null if the account does not show it or the request is not open",
          "Grace",
        ),
        title: described(z.string().nullable(), "What it asks for; null until the code is entered", "Photos of the party"),
        message: described(z.string().nullable(), "Its message; null if none, or until the code is entered", "The large files, please."),
        state: described(
          z.enum([...state.options, "full"]),
          "Whether files can be sent; full: the storage of the account that asks is full",
          "open",
        ),
        encryptTo: described(
          z.string().nullable(),
          "The age public key to which files must be encrypted; null: they are sent as they are",
          KEY_EXAMPLE,
        ),
        unlockRequired: described(z.boolean(), "Whether a submission requires an unlock code", false),
        once: described(z.boolean(), "Whether only one sender may send files", false),
        leftFiles: described(z.int(), "Files that the request still accepts", 97),
        leftBytes: described(z.int(), "Bytes that the request still accepts", 1_073_693_611),
        maxFileBytes: described(z.int(), "Largest file that the request accepts, bytes", 1_073_693_611),
        expiresAt: described(dateTime, "When the link expires", "2030-01-31T12:00:00Z"),
      }),
    errors: { 404: NO_LINK },
  }),
  unlockRequest: defineOperation({
    summary: "Exchange the unlock code of a request for a token",
    description: "Codes are limited as those of shares: see POST /downloads/unlock.",
    tag: "Requests",
    method: "POST",
    path: "/requests/unlock",
    access: "public",
    repeatable: true,
    input: () =>
      z.object({
        requestToken,
        unlockCode: described(text(64).min(1), "The unlock code of the request", "K7MP3X"),
        ...proofOfWorkFields,
      }),
    envelope: "data",
    output: () =>
      z.object({
        unlockToken: described(secret(z.string()), "Shows the request and opens submissions", "ul_mrxkz2g0.7bN2vQ"),
        expiresAt: described(dateTime, "When the token expires", "2030-01-02T12:00:00Z"),
      }),
    errors: { 403: "Wrong code", 404: NO_LINK, 409: "The request has expired or was closed", 429: TOO_MANY_CODES },
  }),
  openSubmission: defineOperation({
    summary: "Begin to send files to a request",
    description:
      "Send files with `requestToken`, `shareShortId` and `shareToken` in any upload. Their sender sees and removes them with the `deletionToken`.",
    tag: "Requests",
    method: "POST",
    path: "/requests/submissions",
    access: "public",
    input: () =>
      z.object({
        requestToken,
        ...senderFields,
        unlockCode: described(text(64).nullish(), "The unlock code of the request", "K7MP3X"),
        unlockToken: described(text(200).nullish(), "In place of the code: the token from POST /requests/unlock", "ul_mrxkz2g0.7bN2vQ"),
        ...proofOfWorkFields,
      }),
    example: { requestToken: "rq_3hT8nQ9kWm2X", senderName: "Ada" },
    envelope: "data",
    output: () =>
      z.object({
        shortId: described(z.string(), "Names the submission, as shareShortId of its uploads", "7kXq9Zab"),
        shareUrl: described(
          webUrl,
          "URL of the received files; only the account that asks can open it",
          "https://files.example.org/d/7kXq9Zab",
        ),
        sharePath: described(z.string(), "Its path", "/d/7kXq9Zab"),
        shareToken: described(secret(z.string()), "Adds files to the submission; shown once", "share_9wK4pT"),
        deletionToken: described(secret(z.string()), "Shows and removes its files; shown once", "del_4tR9wZ"),
        expiresAt: described(dateTime, "When the link expires", "2030-01-31T12:00:00Z"),
      }),
    errors: {
      403: "The unlock code is missing or wrong",
      404: NO_LINK,
      409: "The request has expired or was closed",
      413: "The request accepts no more files",
      429: TOO_MANY_CODES,
    },
  }),
  getSubmission: defineOperation({
    summary: "See what was sent",
    tag: "Requests",
    method: "GET",
    path: "/requests/submissions/{shortId}",
    access: "public",
    input: () => z.object({ shortId, deletionToken }),
    envelope: "data",
    output: () =>
      z.object({
        from: described(z.string(), "The name of the account that asks", "Grace"),
        senderName: described(z.string().nullable(), "The sender's name", "Ada"),
        senderNote: described(z.string().nullable(), "The sender's note", "Both versions."),
        createdAt: described(dateTime, "When the sender began", "2030-01-02T12:00:00Z"),
        isOpen: described(z.boolean(), "Whether its files can be removed: the request is not closed and has not expired", true),
        files: described(
          z.array(
            z.object({
              id: fileId,
              name: described(z.string(), "Name of the file", "report.pdf"),
              relativePath: described(z.string().nullable(), "Path of the file, if one was sent", "docs/report.pdf"),
              size: described(z.int(), "Bytes", 48_213),
              encrypted,
              uploading: described(z.boolean(), "Whether it is still being uploaded", false),
              scanStatus,
              removable: described(z.boolean(), "Whether it can be removed: the account that asked has not shared it", true),
            }),
          ),
          "The files that it has, oldest first",
        ),
      }),
    errors: { 404: NO_SUBMISSION },
  }),
  removeSubmitted: defineOperation({
    summary: "Remove files that were sent",
    description: "One file, or all that the account that asked has not shared.",
    tag: "Requests",
    method: "DELETE",
    path: "/requests/submissions/{shortId}",
    access: "public",
    input: () =>
      z.object({
        shortId,
        deletionToken,
        fileId: described(text(64).min(1).optional(), "One file; default: all", "5hQ2vR8kLm3xTz0B"),
      }),
    envelope: "data",
    output: () => z.object({ removed: described(z.int(), "Number of removed files", 1) }),
    errors: { 404: NO_SUBMISSION, 409: "The request is closed, or the file was shared" },
  }),
  getRequest: defineOperation({
    summary: "Get a request and what it received",
    description: "At most the newest 1,000 files.",
    tag: "Requests",
    method: "GET",
    path: "/requests/{id}",
    access: "files_read",
    input: () => z.object({ id: requestId }),
    envelope: "data",
    output: () =>
      request.extend({
        submissions: described(z.array(submission), "What was received, by sender, newest first; without empty ones"),
      }),
    errors: { 404: NO_REQUEST },
  }),
  updateRequest: defineOperation({
    summary: "Change, close or reopen a request",
    tag: "Requests",
    method: "PATCH",
    path: "/requests/{id}",
    access: "files_write",
    needsOneOf: [
      "title",
      "message",
      "folderId",
      "maxFiles",
      "maxFileBytes",
      "maxBytes",
      "expiresAt",
      "once",
      "notify",
      "protect",
      "closed",
    ],
    input: () =>
      z.object({
        id: requestId,
        title: title.optional(),
        ...settings,
        closed: described(flag.nullish(), "true: closes the request; false opens it again", true),
      }),
    example: { id: "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e", closed: true },
    envelope: "data",
    output: () => request,
    errors: { 404: `${NO_REQUEST}, or the folder is` },
  }),
  deleteRequest: defineOperation({
    summary: "Delete a request",
    description: "Its link ends, and unfinished uploads with it. Received files stay in your account.",
    tag: "Requests",
    method: "DELETE",
    path: "/requests/{id}",
    access: "files_write",
    input: () => z.object({ id: requestId }),
    envelope: "data",
    output: () => z.object({ id: requestId }),
    errors: { 404: NO_REQUEST },
  }),
  rotateRequest: defineOperation({
    summary: "Replace the link of a request",
    description: "The old link stops working with the next request.",
    tag: "Requests",
    method: "POST",
    path: "/requests/{id}/rotate",
    access: "files_write",
    input: () => z.object({ id: requestId }),
    envelope: "data",
    output: () => request,
    errors: { 404: NO_REQUEST },
  }),
} as const;
