/** The languages of mails, which are those of the pages; the first is the default. */
export const MAIL_LANGUAGES = ["en", "de", "fr"] as const;
export type MailLanguage = (typeof MAIL_LANGUAGES)[number];

/** Limits of mails with a share: recipients of a call and of a share, and characters of the message (recipients, "Sending"). */
export const SHARE_MAIL = { maxRecipients: 20, maxShareRecipients: 100, maxMessage: 480 } as const;

/** The contents of a mail. Links are absolute. */
export type Mail =
  /** A test that mail works, requested by an administrator. */
  | { readonly kind: "test" }
  /** A link with which its reader can create an account. `until`: ISO 8601. */
  | { readonly kind: "invite"; readonly link: string; readonly until: string }
  /** A link that verifies its reader's address, or proves it where the account is verified already. */
  | { readonly kind: "verify"; readonly link: string; readonly until: string; readonly isVerified?: boolean }
  /** A link that sets a new password. */
  | { readonly kind: "reset"; readonly link: string; readonly until: string }
  /** A link that confirms the reader's address as the new address of an account. */
  | { readonly kind: "email"; readonly link: string; readonly until: string }
  /** A notice that somebody wants to use the reader's address for another account. `link`: to sign in. */
  | { readonly kind: "addressTaken"; readonly link: string }
  /** A notice that an account no longer has the reader's address. `at`: ISO 8601. */
  | { readonly kind: "addressChanged"; readonly at: string; readonly link: string }
  /** A notice that the ways to sign in to an account, or the applications that act for it, have changed. `at`: ISO 8601. */
  | {
      readonly kind: "security";
      readonly change: SecurityChange;
      readonly at: string;
      readonly link: string;
      /** The names of the passkeys with which the account still signs in; a passkey without a name is empty. */
      readonly passkeys?: readonly string[];
      /** The names of the providers at which the account still signs in. */
      readonly providers?: readonly string[];
      /** The application that was connected or disconnected. */
      readonly application?: MailedApplication | undefined;
    }
  /** The receipt of a purchase. `link`: to return to it. `availableUntil`: ISO 8601; null if it does not expire. */
  | {
      readonly kind: "bought";
      readonly title: string;
      readonly amountCents: number;
      readonly link: string;
      readonly availableUntil: string | null;
    }
  /** A share that a person sends to the reader, or the reminder that it expires. `expiresAt`: ISO 8601; null if it does not expire. */
  | {
      readonly kind: "share";
      /** The recipient for whom the outcome of the mail is recorded. */
      readonly recipientId: string;
      /** The verified address of the sender. */
      readonly sender: string;
      /** The name that the share's page shows as the sender's; null if it shows none. Absent in mails of earlier versions. */
      readonly senderName?: string | null;
      /** The title of the share, or the name of its only file; null for several files without a title. */
      readonly title: string | null;
      /** The name of the first file. Absent in mails of earlier versions. */
      readonly firstName?: string | null;
      readonly files: number;
      readonly sizeBytes: number;
      readonly message: string | null;
      readonly link: string;
      readonly expiresAt: string | null;
      /** The link that blocks all mails of senders. */
      readonly block: string;
      readonly isReminder: boolean;
    }
  /** Notices about the shares and requests of an account. `more`: the number of notices that are not listed. */
  | {
      readonly kind: "notices";
      readonly notices: readonly MailedNotice[];
      readonly more: number;
      readonly link: string;
      readonly settings: string;
      readonly unsubscribe: string;
    };

export interface MailedNotice {
  readonly kind: "downloaded" | "arrived" | "expiring";
  readonly title: string;
  /** The number of other files of the share, if the title is the name of its first file. Mails that an earlier version has enqueued lack it. */
  readonly others?: number;
  /** The names of those who sent the files; null for a sender without a name. Mails that an earlier version has enqueued lack it. */
  readonly senders?: readonly (string | null)[];
  readonly url: string;
  readonly count: number;
  /** ISO 8601; null if there is no time. */
  readonly at: string | null;
}

export interface MailedApplication {
  /** The name that the application chose; empty if it has none. */
  readonly name: string;
  /** The host to which the browser returned; null for a program on a device. */
  readonly host: string | null;
}

/** A change of the ways to sign in to an account, or of the applications that act for it. */
export type SecurityChange =
  | "password"
  | "factorOn"
  | "factorOff"
  | "passkeyAdded"
  | "passkeyRemoved"
  | "passkeyCopied"
  | "provider"
  | "addressAsked"
  | "applicationConnected"
  | "applicationReplayed";

/** A mail with its address and language. Unknown languages become the default. */
export interface AddressedMail {
  readonly to: string;
  readonly language: string | null;
  readonly mail: Mail;
}
