/** @jsxImportSource preact */
import type { Output } from "../../../src/service/contract.ts";
import { EmptyState } from "../../site/empty-state.tsx";
import { formatDate } from "../../site/format.ts";
import type { PageContext } from "../../site/page-context.ts";
import { Panel } from "../../site/panel.tsx";
import { renderAdmin } from "../admin-layout.tsx";
import { INVITES_PATH } from "../paths.ts";
import { ShownLink } from "../shown-link.tsx";
import { TitleAction } from "../title-action.tsx";

export type InviteView = Output<"listOpenInvites">[number];

export interface InvitesPageProps {
  readonly invites: readonly InviteView[];
  readonly hasMail: boolean;
  /** The invite that was just created. */
  readonly created?: (InviteView & { readonly url: string }) | undefined;
  readonly done?: string | undefined;
  readonly problem?: string | undefined;
}

/** Renders the unused, valid invites. */
export function renderInvitesPage(page: PageContext, { invites, hasMail, created, done, problem }: InvitesPageProps): string {
  const { admin } = page.texts;
  return renderAdmin(page, {
    section: "invites",
    done,
    problem,
    action: <NewInvite page={page} invites={invites} hasMail={hasMail} />,
    children: (
      <>
        {created === undefined ? null : (
          <ShownLink page={page} label={admin.inviteLink} link={created}>
            {created.isMailed ? <p class="quiet">{admin.mailed(created.email ?? "")}</p> : null}
          </ShownLink>
        )}
        {invites.length === 0 ? (
          <EmptyState title={admin.noInvites} />
        ) : (
          <Panel title={admin.openInvites}>
            <ul class="rows">
              {invites.map((invite) => (
                <li key={invite.id} class="row">
                  <p>
                    {invite.email ?? admin.anyone}
                    {invite.role === "admin" ? <span class="admin-label">{admin.roles.admin}</span> : null}
                    <span class="quiet block">{admin.validUntil(formatDate(Date.parse(invite.expiresAt), page))}</span>
                  </p>
                  <form method="post" action={INVITES_PATH}>
                    <input type="hidden" name="action" value="revoke" />
                    <input type="hidden" name="id" value={invite.id} />
                    <button class="button small danger-text" type="submit" aria-label={`${admin.revoke}: ${invite.email ?? admin.anyone}`}>
                      {admin.revoke}
                    </button>
                  </form>
                </li>
              ))}
            </ul>
          </Panel>
        )}
      </>
    ),
  });
}

function NewInvite({ page, invites, hasMail }: Pick<InvitesPageProps, "invites" | "hasMail"> & { readonly page: PageContext }) {
  const { admin, account } = page.texts;
  return (
    <TitleAction label={admin.newInvite} isOpen={invites.length === 0}>
      <p class="quiet">{hasMail ? admin.newInviteMailed : admin.newInviteText}</p>
      <form class="form" method="post" action={INVITES_PATH} data-once="">
        <input type="hidden" name="action" value="create" />
        <label class="field">
          <span>{account.email}</span>
          <span class="quiet" id="email-hint">
            {admin.inviteEmailHint}
          </span>
          <input
            type="email"
            name="email"
            maxLength={254}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            aria-describedby="email-hint"
          />
        </label>
        <label class="check">
          <input type="checkbox" name="admin" value="true" />
          <span>{admin.inviteAdmin}</span>
        </label>
        <button class="button" type="submit">
          {admin.makeInvite}
        </button>
      </form>
    </TitleAction>
  );
}
