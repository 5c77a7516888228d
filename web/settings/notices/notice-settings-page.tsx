/** @jsxImportSource preact */
import type { Output } from "../../../src/service/contract.ts";
import type { PageContext } from "../../site/page-context.ts";
import { PageForm } from "../../site/page-form.tsx";
import { Panel } from "../../site/panel.tsx";
import { NOTICE_SETTINGS_PATH } from "../paths.ts";
import { renderSettings } from "../settings-layout.tsx";

type NoticeSettings = Output<"getNoticeSettings">;

const KINDS = ["downloaded", "arrived", "expiring"] as const satisfies readonly (keyof NoticeSettings)[];

export interface NoticeSettingsPageProps {
  readonly settings: NoticeSettings;
  /** The address for mails; undefined if the server sends none. */
  readonly email: string | undefined;
  /** The change by the last form. */
  readonly done?: string | undefined;
}

/** Renders the account's settings of notices, as one form. */
export function renderNoticeSettingsPage(page: PageContext, { settings, email, done }: NoticeSettingsPageProps): string {
  const texts = page.texts.notices;
  return renderSettings(page, {
    section: "notices",
    done,
    children: (
      <Panel title={texts.choose} text={texts.settingsText}>
        <PageForm action={NOTICE_SETTINGS_PATH} submit={texts.save} problem={undefined} savesChanges>
          {KINDS.map((kind) => (
            <Check key={kind} name={kind} isOn={settings[kind]} {...texts.kinds[kind]} />
          ))}
          {email === undefined ? (
            <p class="quiet">{texts.noMail}</p>
          ) : (
            <Check name="byMail" isOn={settings.byMail} label={texts.byMail.label} hint={texts.byMail.hint(email)} />
          )}
        </PageForm>
      </Panel>
    ),
  });
}

interface CheckProps {
  readonly name: string;
  readonly isOn: boolean;
  readonly label: string;
  readonly hint: string;
}

function Check({ name, isOn, label, hint }: CheckProps) {
  return (
    <label class="check">
      <input type="checkbox" name={name} value="true" checked={isOn} />
      {label}
      <span class="quiet">{hint}</span>
    </label>
  );
}
