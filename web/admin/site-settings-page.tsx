/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { Panel } from "../settings/panel.tsx";
import type { PageContext } from "../site/page-context.ts";
import { AccentPreview } from "./accent-preview.tsx";
import { renderAdmin } from "./admin-layout.tsx";
import { FixedSettings } from "./fixed-settings.tsx";
import { LogoPanel } from "./logo-panel.tsx";
import { SITE_SETTINGS_PATH } from "./paths.ts";
import { LimitField, SettingField } from "./setting-field.tsx";
import { type FixedSettingView, RESET_FORM, type SettingProblem, type SiteSettingView, textKeyOf } from "./site-setting.ts";

export interface SiteSettingsPageProps {
  readonly revision: number;
  readonly settings: readonly SiteSettingView[];
  /** What cannot be changed while the server runs. */
  readonly fixed: readonly FixedSettingView[];
  /** What was entered and is not saved, by the names of the settings. */
  readonly entered?: ReadonlyMap<string, string> | undefined;
  readonly problems?: ReadonlyMap<string, SettingProblem> | undefined;
  readonly done?: string | undefined;
  readonly problem?: string | undefined;
}

/** The settings of each form. */
const SITE_SETTING_GROUPS = {
  access: ["signup", "anonymous", "encrypted"],
  branding: ["name", "accent", "terms_url", "privacy_url", "imprint_url", "abuse_contact"],
  protection: ["rates.signUps", "rates.registrations", "rates.reports", "bootstrapPoolBytes"],
} as const;

const TIERS = ["anonymous", "free", "pro"] as const;

/** Each limit of the tiers that have it, a row each. */
const LIMITS: readonly (readonly string[])[] = [
  ...["fileBytes", "storageBytes"].map((limit) => TIERS.map((tier) => `tiers.${tier}.${limit}`)),
  ["tiers.pro.storageMaxBytes"],
  ...["files", "retention"].map((limit) => TIERS.map((tier) => `tiers.${tier}.${limit}`)),
  TIERS.map((tier) => `rates.${tier}`),
];

/** Renders the settings that change while the server runs, in a form for each subject. */
export function renderSiteSettingsPage(page: PageContext, props: SiteSettingsPageProps): string {
  const { siteSettings: texts } = page.texts;
  const { done, problem, revision } = props;
  return renderAdmin(page, {
    section: "siteSettings",
    done,
    problem,
    children: (
      <>
        <p class="quiet">{texts.intro}</p>
        <form id={RESET_FORM} method="post" action={SITE_SETTINGS_PATH}>
          <input type="hidden" name="revision" value={revision} />
        </form>
        <Group page={page} title={texts.access} group="access" {...props} />
        <Group page={page} title={texts.branding} text={texts.brandingText} group="branding" {...props}>
          <button class="button small" type="submit" name="action" value="preview">
            {texts.preview}
          </button>
        </Group>
        <LogoPanel page={page} {...props} />
        <Limits page={page} {...props} />
        <Group page={page} title={texts.protection} group="protection" {...props} />
        <FixedSettings page={page} fixed={props.fixed} />
      </>
    ),
  });
}

interface PartProps extends SiteSettingsPageProps {
  readonly page: PageContext;
}

interface GroupProps extends PartProps {
  readonly title: string;
  readonly text?: string;
  readonly group: keyof typeof SITE_SETTING_GROUPS;
  /** Further buttons. */
  readonly children?: ComponentChildren;
}

function Group({ title, text, group, children, ...props }: GroupProps) {
  const { page, settings, entered } = props;
  const names: readonly string[] = SITE_SETTING_GROUPS[group];
  const accent = entered?.get("accent") ?? findValue(settings, "accent");
  return (
    <Panel id={group} title={title} {...(text !== undefined && { text })}>
      <SettingsForm {...props} buttons={children}>
        {names.map((name) => (
          <>
            <Field key={name} {...props} name={name} />
            {name === "accent" && accent !== undefined && /^#[0-9a-f]{6}$/i.test(accent) ? (
              <AccentPreview page={page} accent={accent} name={entered?.get("name") ?? page.site.name} />
            ) : null}
          </>
        ))}
      </SettingsForm>
    </Panel>
  );
}

function Limits(props: PartProps) {
  const { page, settings, fixed, entered, problems } = props;
  const { siteSettings: texts, admin } = page.texts;
  const isUnlimited = fixed.some(({ name, value }) => name === "rate_limits" && value === "off");
  return (
    <Panel id="limits" title={texts.limits} text={texts.limitsText}>
      <SettingsForm {...props}>
        {LIMITS.map((names) => {
          const key = textKeyOf(names[0] ?? "");
          return (
            <div key={key} class="limit-row">
              <p class="limit-what">
                <strong>{texts.names[key]}</strong>
                <span class="quiet block" id={`about-${key}`}>
                  {key === "requests" && isUnlimited ? texts.fixed.requestsOff : texts.effects[key]}
                </span>
              </p>
              {TIERS.map((tier) => {
                const setting = settings.find(({ name }) => names.includes(name) && name.split(".").includes(tier));
                return setting === undefined ? (
                  <div key={tier} class="limit-none" />
                ) : (
                  <LimitField
                    key={tier}
                    page={page}
                    setting={setting}
                    tier={admin.tiers[tier]}
                    entered={entered?.get(setting.name)}
                    problem={problems?.get(setting.name)}
                  />
                );
              })}
            </div>
          );
        })}
      </SettingsForm>
    </Panel>
  );
}

function Field({ page, settings, entered, problems, name }: PartProps & { readonly name: string }) {
  const setting = settings.find((setting) => setting.name === name);
  if (setting === undefined) return null;
  return <SettingField page={page} setting={setting} entered={entered?.get(name)} problem={problems?.get(name)} />;
}

interface SettingsFormProps extends PartProps {
  readonly buttons?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The revision tells what the reader has seen: what changed after it is not overwritten. */
const SettingsForm = ({ page, revision, buttons, children }: SettingsFormProps) => (
  <form class="form" method="post" action={SITE_SETTINGS_PATH}>
    <input type="hidden" name="revision" value={revision} />
    {children}
    <div class="setting-buttons">
      <button class="button small primary" type="submit">
        {page.texts.siteSettings.save}
      </button>
      {buttons}
    </div>
  </form>
);

/** What a setting of pages has; undefined: none. */
const findValue = (settings: readonly SiteSettingView[], wanted: string): string | undefined =>
  settings.find(({ name }) => name === wanted)?.value ?? undefined;
