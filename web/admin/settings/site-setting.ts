import type { Output } from "../../../src/service/contract.ts";
import type { PageContext } from "../../site/page-context.ts";
import type { Texts } from "../../texts/catalogue.ts";
import { toWords } from "./limit-words.ts";

type SettingsTexts = Texts["siteSettings"];

/** The group of a panel. The logo has separate texts. */
export type ShownGroup = "logo" | keyof SettingsTexts["groups"];

/** A setting that administrators can change while the server runs. */
export interface SiteSettingView
  extends Pick<Output<"getSettings">["settings"][number], "name" | "value" | "source" | "fixedBy" | "default" | "kind" | "changedAt"> {
  readonly choices: readonly (keyof SettingsTexts["choices"])[] | null;
  /** The key of the texts with its name and effect. */
  readonly text: keyof SettingsTexts["settings"];
  /** The tier of a limit; null for other settings. */
  readonly tier: keyof Texts["admin"]["tiers"] | null;
}

/** A setting that cannot be changed while the server runs. */
export interface FixedSettingView
  extends Pick<Output<"getSettings">["fixed"][number], "name" | "value" | "source" | "fixedBy" | "variable" | "windowSeconds"> {
  /** The rate; null for another setting. */
  readonly rate: keyof SettingsTexts["fixed"]["rates"] | null;
}

/** The reason why an entered value is not saved. */
export type SettingProblem = "invalid" | "changed" | "missing" | "tooLarge";

/** A panel with its settings, in their order on the page. */
export interface SettingPanelView {
  readonly group: ShownGroup;
  readonly settings: readonly SiteSettingView[];
}

/** Returns a value in words: the text of a choice, and a limit with its unit. */
export function valueText({ texts, language }: ValueContext, { choices, kind }: SiteSettingView, value: string): string {
  const choice = choices?.find((choice) => choice === value);
  return choice === undefined ? toWords(language, kind, value) : texts.siteSettings.choices[choice];
}

type ValueContext = Pick<PageContext, "texts" | "language">;

/** The default accent, as in the light scheme of `tokens.css`. */
const DEFAULT_ACCENT = "#0b6b5d";

/** Returns the value of a setting's field, a limit in words. A picker of colors always has one. */
export function fieldValue({ language }: Pick<PageContext, "language">, { kind, value }: SiteSettingView): string {
  if (kind === "color") return value?.toLowerCase() ?? DEFAULT_ACCENT;
  return toWords(language, kind, value ?? "");
}

/** Returns the name of the field with the entered value. */
export const enteredField = (name: string): string => `set.${name}`;
export const shownField = (name: string): string => `was.${name}`;
export const RESET_FORM = "reset";

/** The field of the image in the logo's form. */
export const LOGO_FIELD = "logo";
