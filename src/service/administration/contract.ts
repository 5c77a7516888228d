import { z } from "zod";
import { defineOperation } from "../../contract/operation.ts";
import { dateTime, described, fileId, flag, reportReason, shortId, storedText, text } from "../../contract/scalars.ts";
import { accountOwner } from "../accounts/contract.ts";

/** accounts, "Profile". */
export const accountContract = {
  updateMe: defineOperation({
    summary: "Change the account's name or username, or who sees the name",
    description: "Without a username, `username: null`, public shares become unlisted.",
    tag: "Accounts",
    method: "PATCH",
    path: "/me",
    access: "full",
    input: () =>
      z.object({
        name: described(text(100).optional(), "The account's name", "Ada"),
        showName: described(z.boolean().optional(), "Whether recipients of the account's shares see its name", true),
        username: described(
          text(30).nullable().optional(),
          "The public name: 3 to 30 of a-z, 0-9, - and _; null removes it. Upper case is accepted and stored as lower case",
          "ada",
        ),
      }),
    example: { name: "Ada" },
    needsOneOf: ["name", "showName", "username"],
    envelope: "data",
    output: () => accountOwner.meta({ id: "Owner", description: "An account as its owner sees it" }),
    errors: {
      400: "The name or the username is not valid",
      409: "The username is taken or reserved",
      429: "Too many changes; see Retry-After",
    },
  }),
  deleteMe: defineOperation({
    summary: "Delete the account with its files",
    description:
      "Links, keys, sessions and webhooks of the account stop working immediately; its files are then removed. This cannot be undone. " +
      "Send the token of a session that proved its password within 15 minutes (`POST /auth/prove`), and the account's email address.",
    tag: "Accounts",
    method: "DELETE",
    path: "/me",
    access: "full",
    needsPerson: true,
    body: "json",
    input: () =>
      z.object({
        confirm: described(text(254), "The account's email address", "ada@example.org"),
        force: flag.optional().meta({ description: "Delete it even if buyers have not downloaded what they paid for" }),
      }),
    envelope: "data",
    output: () => z.object({ id: described(z.string(), "The account's ID, a UUID", "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e") }),
    errors: {
      400: "`confirm` is not the account's address",
      403: "The request needs a session with a recent proof",
      409: "The account is the only administrator's, or it has buyers (`HAS_BUYERS`)",
    },
  }),
} as const;

const namedFiles = (description: string) =>
  described(z.array(z.object({ id: fileId, name: described(z.string(), "Its name", "report.pdf") })), description);

/** Places of taken down files in other shares (model, "Places"). */
export const otherPlaces = (description: string) =>
  described(z.array(z.object({ id: fileId, shortId, name: described(z.string(), "The name there", "report.pdf") })), description);

/** The first places in other shares, and the number of all. */
export const listedPlaces = (description: string) => ({
  otherPlaces: otherPlaces(`${description}, at most 20`),
  otherPlaceCount: described(z.int(), "Number of these places", 0),
});

/** The places in other shares that come back when a takedown is undone. */
export const restoredPlaces = {
  ...listedPlaces("Their places in other shares that are back too"),
  reopenedShares: described(z.array(shortId), "Other shares that are open again, at most 20", ["8sKq2Lm4"]),
};

/** The reason that a takedown gives to recipients. */
export const publicReason = described(reportReason.nullish(), "The reason that the pages of its links give; default: none", "copyright");

/** The digests that a takedown with `block` added to the blocklist. */
export const blockFields = {
  blocked: described(z.array(z.string()), "The digests that were added to the blocklist"),
  blockedLater: namedFiles("With block: files whose digest is not known yet. The server computes it, and then adds it"),
  notBlocked: namedFiles("With block: files whose digest cannot be known: their upload had not ended, or their bytes are removed"),
};

/** expiry, "Takedown". */
export const takedownContract = {
  takeDownShare: defineOperation({
    summary: "Take a share down",
    description: "Blocks it everywhere. The bytes are kept in quarantine for some days; until then it can be restored.",
    tag: "Administration",
    method: "POST",
    path: "/admin/shares/{shortId}/takedown",
    access: "admin",
    repeatable: true,
    input: () =>
      z.object({
        shortId,
        block: described(flag.optional(), "Whether to add the digests of its files to the blocklist", false),
        reason: described(storedText(1000).nullish(), "With block: a note for the administrators", "Court order 12/26"),
        publicReason,
      }),
    envelope: "data",
    output: () =>
      z.object({
        shortId,
        status: described(
          z.enum(["dmca_removed", "deleted"]),
          "The state of the share; deleted: its owner had deleted it, so only the places of its files in other shares are taken down",
          "dmca_removed",
        ),
        files: namedFiles("The files of the share that are taken down"),
        ...listedPlaces("Their places in other shares, which are taken down with them"),
        bytesUntil: described(dateTime, "When the bytes are removed", "2030-02-06T12:00:00Z"),
        ...blockFields,
      }),
    errors: { 404: "Unknown, or deleted and its files are in no other share" },
  }),
  restoreTakenDown: defineOperation({
    summary: "Bring a share back that was taken down",
    tag: "Administration",
    method: "POST",
    path: "/admin/shares/{shortId}/restore",
    access: "admin",
    input: () => z.object({ shortId }),
    envelope: "data",
    output: () =>
      z.object({
        shortId,
        files: namedFiles("The files that are back"),
        lost: described(z.int(), "Files that are not, because their bytes are removed", 0),
        stillBlocked: described(z.int(), "Files that are not, because another takedown blocks them, or they had expired before", 0),
        ...restoredPlaces,
      }),
    errors: { 404: "Unknown", 409: "It was not taken down, the takedown of another share closed it, or nothing of it can be brought back" },
  }),
} as const;
