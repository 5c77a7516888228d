import { FIXED_RATE_NAMES, isRunTimeName, runTimeSetting } from "../../../src/config/run-time.ts";
import type { Output } from "../../../src/service/contract.ts";
import type { SiteSettingView } from "./site-setting.ts";
import { PANELS, SETTING_POSITIONS } from "./site-setting-positions.ts";
import type { SiteSettingsPageProps } from "./site-settings-page.tsx";

type Settings = Output<"getSettings">;

/**
 * Converts all settings for the page: every entry of `RUN_TIME_SETTINGS`, in the panel of its group. A choice or rate without texts is a
 * type error here, and then in each language that lacks them.
 */
export const toPageSettings = ({ revision, settings, fixed }: Settings): Pick<SiteSettingsPageProps, "revision" | "panels" | "fixed"> => ({
  revision,
  panels: PANELS.map((group) => ({ group, settings: settings.flatMap((setting) => toViews(setting, group)) })),
  fixed: fixed.map((setting) => ({ ...setting, rate: FIXED_RATE_NAMES.find((rate) => setting.name === `rates.${rate}`) ?? null })),
});

function toViews(setting: Settings["settings"][number], group: (typeof PANELS)[number]): readonly SiteSettingView[] {
  if (!isRunTimeName(setting.name)) return [];
  const { group: own, text, tier = null } = SETTING_POSITIONS[setting.name];
  const { choices = null } = runTimeSetting(setting.name);
  return own === group ? [{ ...setting, text, tier, choices }] : [];
}
