/** @jsxImportSource preact */
import { formatSize } from "../../../src/lib/text/format-size.ts";
import type { PageContext } from "../../site/page-context.ts";
import { PageForm, TextField } from "../../site/page-form.tsx";
import { Panel } from "../../site/panel.tsx";
import { renderAdmin } from "../admin-layout.tsx";
import { deleteUserPath, userPath } from "../paths.ts";
import type { UserView } from "./user-changes.tsx";

export interface DeleteUserPageProps {
  readonly user: UserView;
  /** Whether the account has a subscription that takes payments. */
  readonly hasSubscription: boolean;
  /** The reason why the deletion was refused. */
  readonly problem?: string | undefined;
}

/** Renders the data that the deletion of an account deletes, and asks for confirmation. */
export function renderDeleteUserPage(page: PageContext, { user, hasSubscription, problem }: DeleteUserPageProps): string {
  const { removal, adminUser } = page.texts;
  const { files, usedBytes } = user.storage;
  return renderAdmin(page, {
    section: "users",
    title: adminUser.title,
    back: { path: userPath(user.id), text: user.name },
    children: (
      <>
        <p>
          {adminUser.teaser} {user.disabledAt === null ? <a href={userPath(user.id)}>{adminUser.instead}</a> : null}
        </p>
        <Panel title={removal.heading}>
          <div>
            <p>{removal.now}</p>
            <ul class="bullets">
              <li>{files === 0 ? adminUser.noFiles : adminUser.links(files, formatSize(usedBytes, page.language))}</li>
              <li>{removal.programs(user.keys.length, user.webhooks)}</li>
              <li>{adminUser.signIn}</li>
              {hasSubscription ? <li>{adminUser.subscription}</li> : null}
            </ul>
          </div>
          <p class="quiet">
            {removal.later} {removal.uploads}
          </p>
        </Panel>
        <Panel title={removal.stays} text={adminUser.staysText} />
        <Panel title={adminUser.title} text={adminUser.address(user.email)} tone="danger">
          <PageForm action={deleteUserPath(user.id)} submit={adminUser.confirm} problem={problem} tone="danger">
            <TextField
              name="confirm"
              label={adminUser.label}
              type="text"
              autocomplete="off"
              maxLength={254}
              isWrong={problem !== undefined}
            />
          </PageForm>
        </Panel>
      </>
    ),
  });
}
