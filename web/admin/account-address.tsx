/** @jsxImportSource preact */
import type { PageContext } from "../site/page-context.ts";

/** An account as lists name it. */
export interface AccountView {
  readonly id: string;
  /** Null: it was deleted. */
  readonly email: string | null;
  readonly emailVerified: boolean;
}

/** The label of an address with which anybody may have signed up. */
export const Unverified = ({ page, account }: { readonly page: PageContext; readonly account: Pick<AccountView, "emailVerified"> }) =>
  account.emailVerified ? null : <span class="admin-label">{page.texts.adminUser.unverified}</span>;
