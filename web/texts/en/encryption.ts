/** What the script says of files that their senders encrypted. */
export const encryption = {
  key: "Passphrase or key",
  keyHint: "You get it from the sender. It stays on this device.",
  keyMissing: "Enter the passphrase or the key first.",
  decrypt: "Decrypt and download",
  downloadEncrypted: "Download encrypted",
  copy: "Copy",
  cancel: "Cancel",
  cancelled: "Cancelled. Nothing was saved.",
  loading: "Loading…",
  tryingKey: "Trying the key…",
  decrypting: "Decrypting…",
  saved: "Decrypted. Your browser saves the file.",
  savedNamed: (name: string) => `Decrypted and saved. The sender calls the file “${name}”.`,
  wrongKey: "The passphrase or key does not fit this file. Nothing was saved.",
  wrongLinkKey: "The key in the link does not fit this file. Open the whole link from the sender again.",
  damaged: "The file is damaged or incomplete. Nothing was saved. Try again, or ask the sender.",
  unsupported: "The file asks for more work or memory than filehost spends on a key. Try the program age.",
  notStored: "The browser could not store the file. Free some space, and try again.",
  broken: "The connection was lost. Nothing was saved. Try again.",
  tooLarge: "This browser cannot decrypt a file of this size. Use the program filehost:",
  all: "To decrypt all files, use the program filehost:",
};

export type EncryptionTexts = typeof encryption;
