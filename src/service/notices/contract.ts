import { z } from "zod";
import { defineOperation } from "../../contract/operation.ts";
import { limit, page, pagination } from "../../contract/paging.ts";
import { dateTime, described, flag, text } from "../../contract/scalars.ts";

const ID = "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e";

/** The most files of a notice whose senders are read, and the most names that it lists. */
export const NOTICE_SENDERS = { files: 100, names: 20 } as const;

const notice = z
  .object({
    id: described(z.string(), "The notice's ID, a UUID", ID),
    kind: described(z.enum(["downloaded", "arrived", "expiring"]), "What happened", "downloaded"),
    about: described(z.string(), "The share's short ID, or the ID of the request", "7kXq9Zab"),
    title: described(
      z.string(),
      "Title of the share or request, or name of its only file or folder, or of its first file in natural order",
      "Slides for Monday",
    ),
    others: described(z.int(), "Number of other files of the share, if the title is the name of its first file", 0),
    encrypted: described(
      z.boolean().nullable(),
      "Whether a file of the share is encrypted; null if it has no files now, and for `arrived`",
      false,
    ),
    senders: described(
      z.array(z.string().nullable()),
      `For \`arrived\`: what those who sent the last ${NOTICE_SENDERS.files} of the files call themselves, at most ${NOTICE_SENDERS.names} names, not verified; null without a name. Empty for others`,
      [],
    ),
    path: described(z.string(), "Path of its page", "/d/7kXq9Zab"),
    count: described(z.int(), "How often it happened", 3),
    at: described(dateTime.nullable(), "When it will end, for `expiring`; null for others", "2030-01-31T12:00:00Z"),
    updatedAt: described(dateTime, "When it last happened", "2030-01-30T12:00:00Z"),
    isRead: described(z.boolean(), "Whether it was marked as read", false),
  })
  .meta({ id: "Notice", description: "What happened to a share or a request of the account" });

const settings = {
  downloaded: described(z.boolean(), "Notices of the downloads of all shares; a share's `notify` decides for itself", false),
  arrived: described(z.boolean(), "Notices of files that others send", true),
  expiring: described(z.boolean(), "Notices a day before a share ends; a share's `notify` decides for itself", true),
  byMail: described(z.boolean(), "Also by mail, where the server sends it", true),
};
const noticeSettings = z.object(settings).meta({ id: "NoticeSettings", description: "Which notices the account gets" });
const change = (name: keyof typeof settings, description: string) => described(flag.optional(), description, name !== "downloaded");

/** notices, "The list" and "Kinds". */
export const noticesContract = {
  listNotices: defineOperation({
    summary: "List the account's notices",
    description: "The newest first. They remain for 90 days.",
    tag: "Notices",
    method: "GET",
    path: "/notices",
    access: "full",
    input: () => z.object({ page, limit: limit("Notices on a page, at most 200; default: 50") }),
    envelope: "data",
    output: () =>
      z.object({
        notices: described(z.array(notice), "The notices of this page, the newest first"),
        unread: described(z.int(), "Number of all notices that are not read", 1),
        pagination,
      }),
    errors: {},
  }),
  markNoticesRead: defineOperation({
    summary: "Mark notices as read",
    tag: "Notices",
    method: "POST",
    path: "/notices/read",
    access: "full",
    input: () => z.object({ ids: described(z.array(text(64).min(1)).max(200).nullish(), "Which; default: all", [ID]) }),
    envelope: "data",
    output: () => z.object({ unread: described(z.int(), "Number of notices that are still not read", 0) }),
    errors: {},
  }),
  getNoticeSettings: defineOperation({
    summary: "Get which notices the account gets",
    tag: "Notices",
    method: "GET",
    path: "/notices/settings",
    access: "full",
    input: () => z.object({}),
    envelope: "data",
    output: () => noticeSettings,
    errors: {},
  }),
  updateNoticeSettings: defineOperation({
    summary: "Choose which notices the account gets",
    tag: "Notices",
    method: "PATCH",
    path: "/notices/settings",
    access: "full",
    input: () =>
      z.object({
        downloaded: change("downloaded", "Notices of the downloads of all shares"),
        arrived: change("arrived", "Notices of files that others send"),
        expiring: change("expiring", "Notices a day before a share ends"),
        byMail: change("byMail", "Also by mail"),
      }),
    example: { downloaded: true },
    needsOneOf: ["downloaded", "arrived", "expiring", "byMail"],
    envelope: "data",
    output: () => noticeSettings,
    errors: {},
  }),
} as const;
