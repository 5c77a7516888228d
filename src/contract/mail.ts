/** What a mail says. Links are absolute. */
export type Mail =
  /** Says that mail works; an administrator requests it. */
  | { readonly kind: "test" }
  /** A link with which its reader can create an account. `until`: ISO 8601. */
  | { readonly kind: "invite"; readonly link: string; readonly until: string }
  /** A link that verifies its reader's address, or proves it where the account is verified already. */
  | { readonly kind: "verify"; readonly link: string; readonly until: string; readonly isVerified?: boolean }
  /** A link that sets a new password. */
  | { readonly kind: "reset"; readonly link: string; readonly until: string }
  /** A link that makes its reader's address that of an account. */
  | { readonly kind: "email"; readonly link: string; readonly until: string }
  /** Somebody wants to use its reader's address for another account. `link`: to sign in. */
  | { readonly kind: "addressTaken"; readonly link: string }
  /** An account no longer has its reader's address. `at`: ISO 8601. */
  | { readonly kind: "addressChanged"; readonly at: string; readonly link: string }
  /** How an account signs in, or what acts for it, has changed. `at`: ISO 8601. */
  | {
      readonly kind: "security";
      readonly change: SecurityChange;
      readonly at: string;
      readonly link: string;
      /** The names of the passkeys with which the account still signs in; an empty one: it has none. */
      readonly passkeys?: readonly string[];
      /** The names of the providers at which the account still signs in. */
      readonly providers?: readonly string[];
      /** The application that was connected or disconnected. */
      readonly application?: MailedApplication | undefined;
    }
  /** What its reader has bought. `link`: to come back to it. `availableUntil`: ISO 8601; null: without an end. */
  | {
      readonly kind: "bought";
      readonly title: string;
      readonly amountCents: number;
      readonly link: string;
      readonly availableUntil: string | null;
    }
  /** What happened to what an account shares and asks for. `more`: how many notices are not listed. */
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
  readonly url: string;
  readonly count: number;
  /** ISO 8601. */
  readonly at: string | null;
}

export interface MailedApplication {
  /** The name that the application gives itself; empty: it has no name. */
  readonly name: string;
  /** Where the browser went back; null: to a program on a device. */
  readonly host: string | null;
}

/** What changed about how an account signs in, and about what acts for it. */
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

/** Languages are those of the pages; an unknown one is the default. */
export interface AddressedMail {
  readonly to: string;
  readonly language: string | null;
  readonly mail: Mail;
}
