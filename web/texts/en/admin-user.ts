import { counted } from "../../site/format.ts";

/** The administration of one account. */
export const adminUser = {
  usernameText: "The public name, under which public shares are listed.",
  usernameHint: "3 to 30 of a-z, 0-9, - and _. Empty: none; public shares become unlisted.",
  optionalUsername: "Optional: 3 to 30 of a-z, 0-9, - and _.",
  usernameInvalid: "Use 3 to 30 of a-z, 0-9, - and _.",
  usernameTaken: "Another account has this username.",
  nameInvalid: "Enter a name of at most 100 characters.",
  taken: "This address or username belongs to another account.",
  unverified: "Not verified",
  unverifiedText: "Anybody can sign up with this address: make sure whose account this is.",
  twoStep: "Two-step sign-in",
  on: "On",
  off: "Off",
  resetTwoStep: "Turn two-step sign-in off",
  resetTwoStepText: "Be sure who asks: from then on the password alone signs in.",
  twoStepReset: "Two-step sign-in is off.",
  open: "Delete account…",
  title: "Delete account",
  teaser: "Deletes the account and everything in it. This cannot be undone.",
  instead: "To end access without deleting anything, disable the account.",
  links: (files: number, size: string) => `${counted(files, "en", "file", "files")} (${size}), with all links to them and their previews`,
  noFiles: "all links that it has shared",
  signIn: "its name, address and password; it is signed out everywhere",
  subscription: "its subscription: no more payments are taken, and what is left of its period ends",
  staysText: "Reports of its files, and the audit log. Backups of the server end by its own schedule.",
  address: (email: string) => `Its address: ${email}`,
  label: "Type the account’s email address to confirm",
  confirm: "Delete this account",
  problem: "This is not the account’s email address. Type it as shown above.",
  deleted: "The account is deleted. Its files are removed within minutes.",
};

export type AdminUserTexts = typeof adminUser;
