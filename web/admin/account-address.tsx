/** @jsxImportSource preact */
import type { PageContext } from "../site/page-context.ts";

/** The name of an account in lists. */
export interface AccountView {
  readonly id: string;
  /** The address; null for a deleted account. */
  readonly email: string | null;
  readonly emailVerified: boolean;
}

/** Renders the label of an address that is not verified, so that anybody may have signed up with it. */
export const Unverified = ({ page, account }: { readonly page: PageContext; readonly account: Pick<AccountView, "emailVerified"> }) =>
  account.emailVerified ? null : <span class="admin-label">{page.texts.adminUser.unverified}</span>;
