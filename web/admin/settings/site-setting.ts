import type { Output } from "../../../src/service/contract.ts";
import type { Texts } from "../../texts/catalogue.ts";

type SettingsTexts = Texts["siteSettings"];

/** A panel of the page: the logo has its own texts. */
export type ShownGroup = "logo" | keyof SettingsTexts["groups"];

/** A setting that administrators can change while the server runs. */
export interface SiteSettingView
  extends Pick<Output<"getSettings">["settings"][number], "name" | "value" | "source" | "fixedBy" | "default" | "kind" | "changedAt"> {
  readonly choices: readonly (keyof SettingsTexts["choices"])[] | null;
  /** The key of its name and effect. */
  readonly text: keyof SettingsTexts["settings"];
  /** The tier that it limits; null: it is no limit of a tier. */
  readonly tier: keyof Texts["admin"]["tiers"] | null;
}

/** A setting that cannot be changed while the server runs. */
export interface FixedSettingView
  extends Pick<Output<"getSettings">["fixed"][number], "name" | "value" | "fixedBy" | "variable" | "windowSeconds"> {
  /** The rate that it is; null: it is another setting. */
  readonly rate: keyof SettingsTexts["fixed"]["rates"] | null;
}

/** Why a value that was entered is not saved. */
export type SettingProblem = "invalid" | "changed" | "missing" | "tooLarge";

/** A panel with its settings, in their order on the page. */
export interface SettingPanelView {
  readonly group: ShownGroup;
  readonly settings: readonly SiteSettingView[];
}

/** A value in words: the text of a choice, otherwise the value itself. */
export function valueText(texts: SettingsTexts, { choices }: SiteSettingView, value: string): string {
  const choice = choices?.find((choice) => choice === value);
  return choice === undefined ? value : texts.choices[choice];
}

/** The accent of a site without one, in the light scheme of `tokens.css`. */
const DEFAULT_ACCENT = "#0b6b5d";

/** What the field of a setting contains: a picker of colors always has one. */
export function fieldValue({ kind, value }: SiteSettingView): string {
  if (kind === "color") return value?.toLowerCase() ?? DEFAULT_ACCENT;
  return value ?? "";
}

/** Names of a setting's fields in the page's forms: what is entered, and what the field had. */
export const enteredField = (name: string): string => `set.${name}`;
export const shownField = (name: string): string => `was.${name}`;
export const RESET_FORM = "reset";

/** The field of the logo's form with the image. */
export const LOGO_FIELD = "logo";
