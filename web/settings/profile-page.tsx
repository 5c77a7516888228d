/** @jsxImportSource preact */
import { SIGN_OUT_PATH } from "../account/paths.ts";
import type { PageContext } from "../page-context.ts";
import { renderSettings } from "./settings-layout.tsx";

export interface ProfilePageProps {
  readonly name: string;
  readonly email: string;
}

/** Renders who the account is. */
export function renderProfilePage(page: PageContext, { name, email }: ProfilePageProps): string {
  const { account } = page.texts;
  return renderSettings(page, {
    section: "profile",
    children: (
      <section class="card">
        <p class="quiet">{account.signedInAs(`${name} (${email})`)}</p>
        <form method="post" action={SIGN_OUT_PATH}>
          <button class="button small" type="submit">
            {account.signOut}
          </button>
        </form>
      </section>
    ),
  });
}
