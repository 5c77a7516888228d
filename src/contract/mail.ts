/** What a mail says. Links are absolute. */
export type Mail =
  /** That mail works, on the administrator's request. */
  | { readonly kind: "test" }
  /** A link with which its reader can create an account. `until`: ISO 8601. */
  | { readonly kind: "invite"; readonly link: string; readonly until: string };

/** Languages are those of the pages; an unknown one is the default. */
export interface AddressedMail {
  readonly to: string;
  readonly language: string | null;
  readonly mail: Mail;
}
