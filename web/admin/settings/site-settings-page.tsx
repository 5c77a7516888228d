/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { EmptyState } from "../../site/empty-state.tsx";
import type { PageContext } from "../../site/page-context.ts";
import { Tabs } from "../../site/tabs.tsx";
import { renderAdmin } from "../admin-layout.tsx";
import { SITE_SETTINGS_PATH } from "../paths.ts";
import { AccentPreview } from "./accent-preview.tsx";
import { findSettings, isChanged, type SettingSearch, searchPath } from "./find-settings.ts";
import { FixedSettings } from "./fixed-settings.tsx";
import { LogoPanel } from "./logo-panel.tsx";
import { LimitField, SettingField } from "./setting-field.tsx";
import { SettingGroup } from "./setting-group.tsx";
import { type FixedSettingView, RESET_FORM, type SettingPanelView, type SettingProblem, type SiteSettingView } from "./site-setting.ts";

export interface SiteSettingsPageProps {
  readonly revision: number;
  readonly panels: readonly SettingPanelView[];
  /** The settings that cannot be changed while the server runs. */
  readonly fixed: readonly FixedSettingView[];
  readonly search: SettingSearch;
  /** The names of the settings in the last form, whose group is open. */
  readonly sent?: readonly string[] | undefined;
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
  const { done, problem, revision, search } = props;
  const { panels, fixed } = findSettings(page, props, search);
  const isSearched = search.text !== "" || search.isChangedOnly;
  return renderAdmin(page, {
    section: "siteSettings",
    done,
    problem,
    children: (
      <>
        <p class="quiet">{texts.intro}</p>
        <Search page={page} {...props} />
        <form id={RESET_FORM} method="post" action={searchPath(search)}>
          <input type="hidden" name="revision" value={revision} />
        </form>
        {panels.length + fixed.length === 0 ? (
          <EmptyState title={search.text === "" ? texts.noneChanged : texts.noneFound} />
        ) : (
          panels.map((panel) => (
            <SettingPanel
              key={panel.group}
              page={page}
              {...props}
              {...panel}
              isOpen={isSearched || panel.settings.some(({ name }) => props.sent?.includes(name))}
            />
          ))
        )}
        {fixed.length === 0 ? null : <FixedSettings page={page} fixed={fixed} isOpen={isSearched} />}
      </>
    ),
  });
}

function Search({ page, panels, fixed, search }: SiteSettingsPageProps & { readonly page: PageContext }) {
  const { siteSettings: texts, admin } = page.texts;
  const changed = panels.flatMap(({ settings }) => settings).filter(isChanged).length + fixed.filter(isChanged).length;
  return (
    <>
      <form class="admin-search" method="get" action={SITE_SETTINGS_PATH}>
        {search.isChangedOnly ? <input type="hidden" name="show" value="changed" /> : null}
        <input type="search" name="q" value={search.text} maxLength={100} aria-label={texts.search} placeholder={texts.search} />
        <button class="button small" type="submit">
          {admin.find}
        </button>
      </form>
      <Tabs
        label={texts.title}
        tabs={[
          { href: searchPath({ ...search, isChangedOnly: false }), text: texts.all, isCurrent: !search.isChangedOnly },
          {
            href: searchPath({ ...search, isChangedOnly: true }),
            text: texts.changed,
            count: String(changed),
            isCurrent: search.isChangedOnly,
          },
        ]}
      />
    </>
  );
}

interface PanelProps extends SiteSettingsPageProps {
  readonly page: PageContext;
  readonly settings: readonly SiteSettingView[];
}

function SettingPanel({ group, isOpen, ...props }: PanelProps & Pick<SettingPanelView, "group"> & { readonly isOpen: boolean }) {
  const { page, settings } = props;
  const { siteSettings: texts } = page.texts;
  const { title, text }: { readonly title: string; readonly text?: string } =
    group === "logo" ? { title: texts.settings.logo.name } : texts.groups[group];
  return (
    <SettingGroup
      page={page}
      id={group}
      title={title}
      text={text}
      names={group === "logo" ? [texts.settings.logo.effect] : [...new Set(settings.map(({ text }) => texts.settings[text].name))]}
      changedCount={settings.filter(isChanged).length}
      isOpen={isOpen}
    >
      {group === "limits" ? <Limits {...props} /> : null}
      {group === "logo" ? settings.map((setting) => <LogoPanel key={setting.name} {...props} setting={setting} />) : null}
      {group === "limits" || group === "logo" ? null : <Fields {...props} isPreviewed={group === "branding"} />}
    </SettingGroup>
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
      <div class="limit-row limit-head" aria-hidden="true">
        <span />
        {TIERS.map((tier) => (
          <span key={tier}>{admin.tiers[tier]}</span>
        ))}
      </div>
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
const SettingsForm = ({ page, revision, search, entered, buttons, children }: SettingsFormProps) => (
  <form class="form setting-form" method="post" action={searchPath(search)} data-unchanged={entered === undefined ? "" : undefined}>
    <input type="hidden" name="revision" value={revision} />
    {children}
    <div class="setting-buttons">
      <button class="button" type="submit">
        {page.texts.siteSettings.save}
      </button>
      {buttons}
    </div>
  </form>
);
