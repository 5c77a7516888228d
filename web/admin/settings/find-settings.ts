import type { PageContext } from "../../site/page-context.ts";
import { SITE_SETTINGS_PATH } from "../paths.ts";
import { type FixedSettingView, type SettingPanelView, type SiteSettingView, valueText } from "./site-setting.ts";

/** The reader's search on the page of the settings. */
export interface SettingSearch {
  /** The entered words; empty for all settings. */
  readonly text: string;
  readonly isChangedOnly: boolean;
}

export interface FoundSettings {
  readonly panels: readonly SettingPanelView[];
  readonly fixed: readonly FixedSettingView[];
}

/** A value that is not the default, from this page, the environment, a flag or a file. */
export const isChanged = ({ source }: Pick<SiteSettingView, "source">): boolean => source !== "default";

/**
 * Returns the settings whose texts, name, value or group contain every word of the search. A limit is found with its limits of the other tiers,
 * because they share a row.
 */
export function findSettings(
  page: Pick<PageContext, "texts" | "language">,
  { panels, fixed }: FoundSettings,
  { text, isChangedOnly }: SettingSearch,
): FoundSettings {
  const { texts } = page;
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (...parts: readonly (string | null | undefined)[]): boolean => {
    const found = parts.join("\n").toLowerCase();
    return words.every((word) => found.includes(word));
  };
  const { settings, groups, fixed: fixedTexts } = texts.siteSettings;
  const isFound = (setting: SiteSettingView, group: SettingPanelView["group"]): boolean => {
    const { name, effect } = settings[setting.text];
    const tier = setting.tier === null ? null : texts.admin.tiers[setting.tier];
    const title = group === "logo" ? null : groups[group].title;
    const value = setting.value === null ? null : valueText(page, setting, setting.value);
    return (!isChangedOnly || isChanged(setting)) && matches(title, name, effect, setting.name, tier, value, setting.fixedBy);
  };
  return {
    panels: panels.flatMap((panel) => {
      const rows = new Set(panel.settings.filter((setting) => isFound(setting, panel.group)).map(({ text }) => text));
      return rows.size === 0 ? [] : [{ ...panel, settings: panel.settings.filter(({ text }) => rows.has(text)) }];
    }),
    fixed: fixed.filter(
      ({ rate, name, variable, fixedBy }) =>
        (!isChangedOnly || fixedBy !== null) &&
        matches(fixedTexts.title, ...(rate === null ? [fixedTexts.generalRate, variable] : [fixedTexts.rates[rate], name])),
    ),
  };
}

/** Returns the path of the page with a search. Forms are sent to it, so that the search stays. */
export function searchPath({ text, isChangedOnly }: SettingSearch): string {
  const query = new URLSearchParams({ ...(text && { q: text }), ...(isChangedOnly && { show: "changed" }) });
  return query.size === 0 ? SITE_SETTINGS_PATH : `${SITE_SETTINGS_PATH}?${query}`;
}
