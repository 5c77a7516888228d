/** What a mail says. Links are absolute. */
export type Mail =
  /** That mail works, on the administrator's request. */
  | { readonly kind: "test" }
  /** A link with which its reader can create an account. `until`: ISO 8601. */
  | { readonly kind: "invite"; readonly link: string; readonly until: string }
  /** A link that verifies its reader's address. */
  | { readonly kind: "verify"; readonly link: string; readonly until: string }
  /** A link that sets a new password. */
  | { readonly kind: "reset"; readonly link: string; readonly until: string }
  /** How an account signs in has changed. `at`: ISO 8601. */
  | { readonly kind: "security"; readonly change: SecurityChange; readonly at: string; readonly link: string }
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

/** What changed about how an account signs in. */
export type SecurityChange = "password" | "factorOn" | "factorOff" | "passkeyAdded" | "passkeyRemoved" | "provider";

/** Languages are those of the pages; an unknown one is the default. */
export interface AddressedMail {
  readonly to: string;
  readonly language: string | null;
  readonly mail: Mail;
}
