/** Sending a share by mail, and blocking such mails. */
export const blocking = {
  title: "Stop these mails?",
  text: (address: string, site: string) => `Nobody can send links to ${address} through ${site} any more. You can allow it again.`,
  button: "Stop these mails",
  blocked: "Mails stopped",
  blockedText: (address: string, site: string) => `Nobody can send links to ${address} through ${site} any more.`,
  allow: "Allow these mails again",
  allowed: "Mails allowed",
  allowedText: (address: string, site: string) => `People who use ${site} can send links to ${address} again.`,
  invalid: "Link not found",
  invalidText: "Use the whole link from the mail.",
  home: "Go to the front page",
};

export type BlockingTexts = typeof blocking;

/** The panel of the sender's bar that sends a share by mail. */
export const sendByMail = {
  title: "Send by email",
  lead: "Each recipient gets a private link. You see who opens it and downloads.",
  addresses: "Email addresses",
  addressesHint: "Up to 20, separated by commas, spaces or lines.",
  message: "Message",
  language: "Language",
  remind: "Remind those who have not downloaded, before it expires",
  send: "Send",
  sending: "Sending…",
  accepted: (count: number) => (count === 1 ? "1 mail is on the way." : `${count} mails are on the way.`),
  noAddress: "Enter at least one email address.",
  wrongAddress: (address: string) => `“${address}” is not an email address.`,
  tooMany: "Enter at most 20 addresses at a time.",
  recipients: "Recipients",
  again: "Send again",
  remove: "Remove",
  removed: "Removed. The private link no longer works.",
  removeLabel: (address: string) => `Remove ${address}`,
  againLabel: (address: string) => `Send again to ${address}`,
  obstacles: {
    unverified: "Verify your email address to send by email.",
    agent: "Agents cannot send by email.",
    encrypted: "This server cannot send encrypted files by email, because it must not learn the key.",
    priced: "A share with a price cannot be sent by email.",
    ended: "This share has ended.",
    empty: "Add files first.",
  },
  states: {
    waiting: "Waits for the malware check",
    sending: "Being sent",
    sent: "Sent, not opened yet",
    opened: "Probably opened, not downloaded",
    downloaded: (count: number) => (count === 1 ? "Downloaded" : `Downloaded ${count} times`),
    reminded: "reminded",
    ended: "Link ended: the code was changed",
  },
  failures: {
    refused: "The mail server refused it",
    unreachable: "Could not be delivered",
    recipient_blocked: "Wants no mails from senders",
    file_blocked: "Not sent: a file did not pass the malware check",
    encrypted: "Not sent: a file is encrypted",
    priced: "Not sent: the share has a price",
    share_ended: "Not sent: the share has ended",
  },
};

export type SendByMailTexts = typeof sendByMail;
