import { counted } from "../../site/format.ts";

/** The settings' page on which an account is deleted. */
export const removal = {
  title: "Delete account",
  teaser: "Deletes your account and everything in it. This cannot be undone.",
  open: "Delete account…",
  heading: "What is deleted",
  now: "Immediately, for everybody:",
  links: (files: number, size: string) => `${counted(files, "en", "file", "files")} (${size}), with all links to them and their previews`,
  noFiles: "all links that you have shared",
  programs: (keys: number, webhooks: number) =>
    `${counted(keys, "en", "API key", "API keys")} and ${counted(webhooks, "en", "webhook", "webhooks")}`,
  signIn: "your name, address and password; you are signed out everywhere",
  subscription: "your subscription: no more payments are taken, and what is left of its period ends",
  buyers: (buyers: number) => `what ${counted(buyers, "en", "buyer", "buyers")} paid for and can still download: pay them back first`,
  soldMeanwhile: "Somebody has just bought from you. Read above what they lose, and confirm again.",
  later: "The files’ bytes are removed within minutes.",
  stays: "What stays",
  staysText: "Reports that others made of your files, and the administrator’s log. Backups of the server end by its own schedule.",
  uploads: "Uploads in progress are cancelled.",
  label: "Type your email address to confirm",
  confirm: "Delete my account",
  problem: "This is not your email address. Type it as shown above.",
  lastAdministrator: "You are the only administrator. Create another one first.",
  yours: (email: string) => `Your address: ${email}`,
  done: "Your account is deleted",
  doneText: "Your links no longer work. Thank you for having been here.",
};

export type RemovalTexts = typeof removal;
