/** @jsxImportSource preact */
import { formatDuration } from "../../site/format.ts";
import type { PageContext } from "../../site/page-context.ts";
import type { FixedSettingView } from "./site-setting.ts";

interface FixedSettingsProps {
  readonly page: PageContext;
  readonly fixed: readonly FixedSettingView[];
}

/** Renders the folded list of the settings with which the server was started, except for the fixed settings in the page's forms. */
export function FixedSettings({ page, fixed }: FixedSettingsProps) {
  const { fixed: texts, isDefault, fixedShort } = page.texts.siteSettings;
  return (
    <section class="card panel">
      <details class="fixed">
        <summary>
          <h2 id="fixed">{texts.title}</h2>
        </summary>
        <p class="quiet">{texts.text}</p>
        <dl class="fixed-list">
          {fixed.map((setting) => (
            <div key={setting.name}>
              <dt>
                {describeName(page, setting)}
                <code class="quiet block">{setting.windowSeconds === null ? setting.variable : setting.name}</code>
              </dt>
              <dd>
                {describeValue(page, setting)}
                <span class="quiet block">{setting.fixedBy === null ? isDefault : fixedShort(setting.fixedBy)}</span>
              </dd>
            </div>
          ))}
        </dl>
      </details>
    </section>
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
