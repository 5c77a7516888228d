import { counted } from "../../site/format.ts";

/** Notices: what happened to shares and requests, on a page and in mails. */
export const notices = {
  title: "Notices",
  /** `times` is undefined after a single download. */
  downloaded: (times: string | undefined) => (times === undefined ? "Downloaded" : `Downloaded ${times}`),
  once: "time",
  times: "times",
  arrived: (files: string) => `${files} arrived`,
  sent: (sender: string, files: string) => `${sender} sent ${files}`,
  andOthers: (name: string, count: number) => `${name} and ${counted(count, "en", "other", "others")}`,
  andMore: (name: string) => `${name} and others`,
  /** Whole sentences, with the name of the share or request. */
  sentences: {
    sent: (sender: string, files: string, title: string) => `${sender} sent ${files} to ${title}`,
    arrived: (files: string, title: string) => `${files} arrived in ${title}`,
    downloaded: (title: string, times: string | undefined) =>
      times === undefined ? `${title} was downloaded` : `${title} was downloaded ${times}`,
    expiring: (title: string, date: string) => `${title} expires on ${date}`,
  },
  file: "file",
  files: "files",
  expiring: (date: string) => `Expires on ${date}`,
  empty: "No notices yet",
  emptyText: "Downloads, files that arrive and links that expire soon are listed here.",
  markRead: "Mark all as read",
  unread: "New",
  unreadCount: (count: string) => `Notices: ${count} new`,
  choose: "Choose your notices",
  olderPage: "Older",
  newerPage: "Newer",
  settingsText: "For all your shares. Each share can have its own setting.",
  kinds: {
    downloaded: { label: "Downloads", hint: "Somebody downloaded a file that you shared." },
    arrived: { label: "Files that arrive", hint: "Somebody sent you files." },
    expiring: { label: "Links that expire soon", hint: "A day before a link expires." },
  },
  byMail: { label: "Also by mail", hint: (email: string) => `To ${email}, at most one mail an hour.` },
  noMail: "This server sends no mail. Notices are listed on their page.",
  save: "Save",
  saved: "Saved.",
  unsubscribe: "Stop mails with notices?",
  unsubscribeText: "They stay listed on your page.",
  unsubscribeButton: "Unsubscribe",
  unsubscribed: "Unsubscribed",
  unsubscribedText: "We no longer send you mails with notices.",
  invalidLink: "This link is not valid. Change your notices in the settings.",
  toSettings: "Settings of notices",
};

export type NoticesTexts = typeof notices;
