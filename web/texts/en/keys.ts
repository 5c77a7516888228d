import { counted } from "../../format.ts";

/** The settings' page of API keys. */
export const keys = {
  keys: "API keys",
  intro: "Keys let programs use your account. Give each program its own.",
  none: "No keys yet",
  noneText: "Create one to upload with curl, scripts or other programs.",
  count: (count: number) => counted(count, "en", "key", "keys"),
  unnamed: "Key without a label",
  created: "created",
  lastUsed: "last used",
  never: "never",
  scopes: {
    files_read: "Read files",
    files_write: "Read and write files",
    full: "Full access",
  },
  scopeTexts: {
    files_read: "Lists and downloads your files. Changes nothing.",
    files_write: "Also uploads, shares and deletes your files.",
    full: "Also manages keys, webhooks and your profile.",
  },
  scope: "What the key may do",
  newKey: "New key",
  label: "Label",
  labelHint: "The program or machine that uses it.",
  assistants: "Assistants sign in and need no key.",
  create: "Create key",
  proveText: "Creating a key needs your password again.",
  prove: "Confirm your password",
  madeTitle: (label: string) => `Your new key: ${label}`,
  madeText: "Copy it now. It is shown only once.",
  key: "key",
  tryIt: "Try it in a terminal",
  command: "command",
  rotate: "Replace",
  rotateText: "You get a new key with the same rights. Programs with the old one stop working immediately.",
  rotateConfirm: "Replace now",
  revoke: "Revoke",
  revokeText: "Programs with this key stop working immediately. Its running imports and upload delegations end.",
  revokeConfirm: "Revoke key",
  revoked: (label: string) => `Revoked: ${label}.`,
  gone: "This key no longer exists.",
  problems: {
    label: "Use at most 120 characters.",
    tooMany: "You have the largest number of keys. Revoke one first.",
  },
};

export type KeysTexts = typeof keys;
