/** @jsxImportSource preact */
import type { Output } from "../../../src/service/contract.ts";
import { formatDate } from "../../site/format.ts";
import type { PageContext } from "../../site/page-context.ts";
import { PageForm, TextField } from "../../site/page-form.tsx";
import { Ask, Panel } from "../../site/panel.tsx";
import { deleteUserPath, userPath } from "../paths.ts";
import { TierFields } from "./tier-fields.tsx";

export type UserView = Output<"getUserDetails">;

/** The reason why the entered values of a form are refused. */
export interface UserProblem {
  readonly field: "username" | "until";
  readonly text: string;
  readonly entered: string;
}

interface PartProps {
  readonly page: PageContext;
  readonly user: UserView;
  readonly problem?: UserProblem | undefined;
}

export function UsernameChange({ page: { texts }, user, problem }: PartProps) {
  const { admin, adminUser, profile } = texts;
  const isWrong = problem?.field === "username";
  return (
    <Panel title={profile.username} text={adminUser.usernameText}>
      <PageForm action={userPath(user.id)} submit={admin.save} problem={isWrong ? problem.text : undefined} savesChanges={!isWrong}>
        <input type="hidden" name="action" value="username" />
        <input type="hidden" name="version" value={user.version} />
        <TextField
          name="username"
          label={admin.username}
          type="text"
          autocomplete="off"
          hint={adminUser.usernameHint}
          maxLength={30}
          value={isWrong ? problem.entered : (user.username ?? "")}
          isOptional
          isWrong={isWrong}
        />
      </PageForm>
    </Panel>
  );
}

export function TierChange({ page, user, problem }: PartProps) {
  const { admin } = page.texts;
  const until = user.tier === "pro" ? user.proUntil : null;
  const current = until === null ? admin.currentTier(admin.tiers[user.tier]) : admin.proUntil(formatDate(Date.parse(until), page));
  const isWrong = problem?.field === "until";
  return (
    <Panel title={admin.tier} text={current}>
      <PageForm action={userPath(user.id)} submit={admin.save} problem={isWrong ? problem.text : undefined} savesChanges={!isWrong}>
        <input type="hidden" name="action" value="tier" />
        <input type="hidden" name="version" value={user.version} />
        <TierFields
          texts={page.texts}
          tier={isWrong ? "pro" : user.tier}
          until={isWrong ? problem.entered : (until ?? "")}
          isWrong={isWrong}
        />
      </PageForm>
    </Panel>
  );
}

export function AccessChange({ page: { texts }, user }: PartProps) {
  const { admin, adminUser } = texts;
  const version = String(user.version);
  const path = userPath(user.id);
  return (
    <Panel title={admin.access} tone="danger">
      <div class="choices">
        {user.role === "agent" ? null : user.role === "admin" ? (
          <Ask
            label={admin.demote}
            path={path}
            fields={{ action: "demote", version }}
            text={admin.demoteText}
            confirm={admin.demote}
            tone="danger"
          />
        ) : (
          <Ask label={admin.promote} path={path} fields={{ action: "promote", version }} text={admin.promoteText} confirm={admin.promote} />
        )}
        {user.disabledAt === null ? (
          <Ask
            label={admin.disable}
            path={path}
            fields={{ action: "disable", version }}
            text={admin.disableText}
            confirm={admin.disable}
            tone="danger"
          />
        ) : (
          <Ask label={admin.enable} path={path} fields={{ action: "enable", version }} text={admin.enableText} confirm={admin.enable} />
        )}
        <a class="button small danger-text" href={deleteUserPath(user.id)}>
          {adminUser.open}
        </a>
      </div>
    </Panel>
  );
}
