/** @jsxImportSource preact */
import { formatDuration } from "../../site/format.ts";
import type { PageContext } from "../../site/page-context.ts";
import { isChanged } from "./find-settings.ts";
import { SettingGroup } from "./setting-group.tsx";
import type { FixedSettingView } from "./site-setting.ts";

interface FixedSettingsProps {
  readonly page: PageContext;
  readonly fixed: readonly FixedSettingView[];
  readonly isOpen: boolean;
}

/** Renders the folded list of the settings with which the server was started, except for the fixed settings in the page's forms. */
export function FixedSettings({ page, fixed, isOpen }: FixedSettingsProps) {
  const { fixed: texts, fixedShort } = page.texts.siteSettings;
  return (
    <SettingGroup
      page={page}
      id="fixed"
      title={texts.title}
      names={[texts.text]}
      changedCount={fixed.filter(isChanged).length}
      isOpen={isOpen}
    >
      <dl class="fixed-list">
        {fixed.map((setting) => (
          <div key={setting.name}>
            <dt>
              {describeName(page, setting)}
              <code class="quiet block">{setting.windowSeconds === null ? setting.variable : setting.name}</code>
            </dt>
            <dd>
              {describeValue(page, setting)}
              {setting.fixedBy === null ? null : <span class="quiet block">{fixedShort(setting.fixedBy)}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </SettingGroup>
  );
}

function describeName({ texts }: PageContext, { rate }: FixedSettingView): string {
  const { generalRate, rates } = texts.siteSettings.fixed;
  return rate === null ? generalRate : rates[rate];
}

function describeValue({ texts, language }: PageContext, { value, windowSeconds }: FixedSettingView): string {
  const { fixed } = texts.siteSettings;
  if (windowSeconds !== null) return fixed.rate(Number(value).toLocaleString(language), formatDuration(windowSeconds * 1000, language));
  return value === "on" ? fixed.on : fixed.off;
}
