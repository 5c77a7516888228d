import type { Texts } from "../texts/catalogue.ts";

/** A setting that administrators can change while the server runs. */
export interface SiteSettingView {
  readonly name: string;
  readonly value: string | null;
  readonly source: "flag" | "environment" | "file" | "database" | "default";
  /** The flag or variable that fixes it. */
  readonly fixedBy: string | null;
  readonly default: string | null;
  readonly kind: "choice" | "switch" | "text" | "url" | "contact" | "color" | "size" | "count" | "duration" | "image";
  readonly choices: readonly string[] | null;
  readonly changedAt: string | null;
}

/** A setting that cannot be changed while the server runs. */
export interface FixedSettingView {
  readonly name: string;
  readonly value: string;
  /** The flag or variable that sets it; null: it is the default. */
  readonly fixedBy: string | null;
  readonly variable: string;
  /** Of a rate. */
  readonly windowSeconds: number | null;
}

/** Why a value that was entered is not saved. */
export type SettingProblem = "invalid" | "changed" | "missing" | "tooLarge";

type TextKey = keyof Texts["siteSettings"]["names"];

const GENERAL_RATES = ["rates.anonymous", "rates.free", "rates.pro"];

/** `tiers.free.fileBytes` → `fileBytes`, the key of its name and effect. */
export const textKeyOf = (name: string): TextKey =>
  (GENERAL_RATES.includes(name) ? "requests" : name.slice(name.lastIndexOf(".") + 1)) as TextKey;

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
