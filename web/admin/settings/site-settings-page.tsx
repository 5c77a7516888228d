/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import type { PageContext } from "../../site/page-context.ts";
import { Panel } from "../../site/panel.tsx";
import { renderAdmin } from "../admin-layout.tsx";
import { SITE_SETTINGS_PATH } from "../paths.ts";
import { AccentPreview } from "./accent-preview.tsx";
import { FixedSettings } from "./fixed-settings.tsx";
import { LogoPanel } from "./logo-panel.tsx";
import { LimitField, SettingField } from "./setting-field.tsx";
import { type FixedSettingView, RESET_FORM, type SettingPanelView, type SettingProblem, type SiteSettingView } from "./site-setting.ts";

export interface SiteSettingsPageProps {
  readonly revision: number;
  readonly panels: readonly SettingPanelView[];
  /** The settings that cannot be changed while the server runs. */
  readonly fixed: readonly FixedSettingView[];
  /** The entered values that are not saved, by the names of the settings. */
  readonly entered?: ReadonlyMap<string, string> | undefined;
  readonly problems?: ReadonlyMap<string, SettingProblem> | undefined;
  readonly done?: string | undefined;
  readonly problem?: string | undefined;
}

const TIERS = ["anonymous", "free", "pro"] as const;

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
        {props.panels.map((panel) => (
          <SettingPanel key={panel.group} page={page} {...props} {...panel} />
        ))}
        <FixedSettings page={page} fixed={props.fixed} />
      </>
    ),
  });
}

interface PanelProps extends SiteSettingsPageProps {
  readonly page: PageContext;
  readonly settings: readonly SiteSettingView[];
}

function SettingPanel({ group, ...props }: PanelProps & Pick<SettingPanelView, "group">) {
  const { siteSettings: texts } = props.page.texts;
  if (group === "logo") return props.settings.map((setting) => <LogoPanel key={setting.name} {...props} setting={setting} />);
  return (
    <Panel id={group} {...texts.groups[group]}>
      {group === "limits" ? <Limits {...props} /> : <Fields {...props} isPreviewed={group === "branding"} />}
    </Panel>
  );
}

function Fields({ isPreviewed, ...props }: PanelProps & { readonly isPreviewed: boolean }) {
  const { page, settings, entered, problems } = props;
  const preview = (
    <button class="button small" type="submit" name="action" value="preview">
      {page.texts.siteSettings.preview}
    </button>
  );
  return (
    <SettingsForm {...props} buttons={isPreviewed ? preview : null}>
      {settings.map((setting) => {
        const { name, value } = setting;
        const shown = entered?.get(name) ?? value;
        return (
          <>
            <SettingField key={name} page={page} setting={setting} entered={entered?.get(name)} problem={problems?.get(name)} />
            {name === "accent" && shown !== null && /^#[0-9a-f]{6}$/i.test(shown) ? (
              <AccentPreview page={page} accent={shown} name={entered?.get("name") ?? page.site.name} />
            ) : null}
          </>
        );
      })}
    </SettingsForm>
  );
}

/** Renders a row for each limit, with the fields of the tiers that have the limit. */
function Limits(props: PanelProps) {
  const { page, settings, fixed, entered, problems } = props;
  const { siteSettings: texts, admin } = page.texts;
  const isUnlimited = fixed.some(({ name, value }) => name === "rate_limits" && value === "off");
  return (
    <SettingsForm {...props}>
      {[...Map.groupBy(settings, ({ text }) => text)].map(([text, row]) => (
        <div key={text} class="limit-row">
          <p class="limit-what">
            <strong>{texts.settings[text].name}</strong>
            <span class="quiet block" id={`about-${text}`}>
              {text === "requests" && isUnlimited ? texts.fixed.requestsOff : texts.settings[text].effect}
            </span>
          </p>
          {TIERS.map((tier) => {
            const setting = row.find((setting) => setting.tier === tier);
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
      ))}
    </SettingsForm>
  );
}

interface SettingsFormProps extends PanelProps {
  readonly buttons?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Renders a form with the revision that the reader has seen. Later changes by others are not overwritten. */
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
