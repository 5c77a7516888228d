import { counted } from "../../site/format.ts";

/** Mails. */
export const mail = {
  test: {
    subject: (site: string) => `Test mail from ${site}`,
    text: "Mail works: this test came from your server.",
  },
  invite: {
    subject: (site: string) => `Your invite to ${site}`,
    text: (site: string) => `You are invited to ${site}. Create your account with this link.`,
    link: "Create your account",
    note: (date: string) => `It works once, until ${date}. If you did not expect this mail, ignore it.`,
  },
  verify: {
    subject: (site: string) => `Verify your address for ${site}`,
    text: (site: string) => `Somebody created an account at ${site} with this address. If that was you, verify it.`,
    link: "Verify the address",
    note: (date: string) => `The link works once, until ${date}. If it was not you, ignore this mail.`,
  },
  prove: {
    subject: (site: string) => `Verify your address for ${site}`,
    text: (site: string) => `You asked for a link that verifies the address of your account at ${site}.`,
    link: "Verify the address",
    note: (date: string) => `The link works once, until ${date}. If it was not you, ignore this mail.`,
  },
  reset: {
    subject: (site: string) => `A new password for ${site}`,
    text: (site: string) => `Choose a new password for your account at ${site}.`,
    link: "Choose a new password",
    note: (date: string) => `The link works once, until ${date}. If you did not ask for it, ignore this mail: nothing changes.`,
  },
  email: {
    subject: (site: string) => `Verify your new address for ${site}`,
    text: (site: string) => `Somebody wants to use this address for their account at ${site}. If that was you, verify it.`,
    link: "Verify the address",
    note: (date: string) => `The link works once, until ${date}, in a browser that is signed in. If it was not you, ignore this mail.`,
  },
  addressTaken: {
    subject: (site: string) => `Your address has an account at ${site}`,
    text: (site: string) =>
      `Somebody wants to use this address for another account at ${site}. The address already has an account, so nothing changed.`,
    link: "Sign in",
    note: "If that was you, sign in with this address, or set a new password if you forgot it. If not, ignore this mail.",
  },
  addressChanged: {
    subject: (site: string) => `Your account at ${site} has another address`,
    text: (site: string) => `The address of your account at ${site} was changed. You can no longer sign in with this address.`,
    link: (site: string) => `Go to ${site}`,
    note: (date: string) => `This was on ${date}. If it was not you, tell the administrator of the site immediately.`,
  },
  bought: {
    subject: (site: string) => `What you bought at ${site}`,
    text: (title: string, price: string) => `You bought “${title}” for ${price}. With this link you can download it.`,
    link: "Open what you bought",
    until: (date: string) => `You can download it until ${date}. Anyone with this link can download it, so keep it private.`,
    forever: "Anyone with this link can download it, so keep it private.",
  },
  security: {
    subject: (site: string) => `Your account at ${site} has changed`,
    changes: {
      password: "The password of your account was changed.",
      factorOn: "Signing in to your account now needs a second factor.",
      factorOff: "Signing in to your account no longer needs a second factor.",
      passkeyAdded: "A passkey was added to your account.",
      passkeyRemoved: "A passkey was removed from your account.",
      passkeyCopied: "A passkey of your account was refused, because somebody may use a copy of it. Remove it.",
      provider: "Another way to sign in was added to your account.",
      addressAsked: "Somebody in your account asked to change its address. Nothing changes until the new address is verified.",
      applicationConnected: "An application was connected to your account. It can act for you until you disconnect it.",
      applicationReplayed:
        "An application was disconnected from your account: its access was used twice, so somebody may have a copy of it.",
    },
    link: "Check your account",
    passkeys: (names: string) => `These passkeys still work: ${names}. Remove those that you do not recognize.`,
    providers: (names: string) => `You can still sign in with: ${names}. Disconnect those that you do not recognize.`,
    application: (name: string) => `The application: ${name}. Applications choose their own names.`,
    note: (date: string) => `This was on ${date}. If it was not you, set a new password and sign out other sessions.`,
  },
  share: {
    files: (count: number) => counted(count, "en", "file", "files"),
    titled: (title: string) => `“${title}”`,
    first: (name: string, others: number) => `“${name}” and ${counted(others, "en", "other file", "other files")}`,
    subject: (sender: string, what: string) => `${sender} sent you ${what}`,
    lead: (sender: string, what: string) => `${sender} sent you ${what}.`,
    reminder: {
      subject: (sender: string, what: string) => `Expires soon: ${what} from ${sender}`,
      lead: (sender: string, what: string) => `${sender} sent you ${what}. You have not downloaded it yet.`,
    },
    message: "Message:",
    link: "Open and download",
    until: (date: string) => `You can download until ${date}.`,
    tracked: (sender: string) =>
      `This link is only for you: ${sender} sees when it is opened and downloaded. Your reply goes to this address.`,
    unknown: "If you do not know the sender, do not open the link.",
    block: "Block all mails of this kind",
  },
  notices: {
    titled: (title: string) => `“${title}”`,
    andOthers: (sentence: string, count: number) => `${sentence}, and ${counted(count, "en", "more notice", "more notices")}`,
    text: (site: string) => `This happened to your shares and requests at ${site}:`,
    link: "Show all",
    more: (count: number) => `And ${count} more.`,
    settings: "Choose your notices",
    unsubscribe: "Stop these mails",
  },
};

export type MailTexts = typeof mail;
