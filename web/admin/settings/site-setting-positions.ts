import type { RunTimeName } from "../../../src/config/run-time.ts";
import type { ShownGroup, SiteSettingView } from "./site-setting.ts";

/** The panels, in their order on the page. */
export const PANELS = ["access", "branding", "logo", "limits", "protection"] as const satisfies readonly ShownGroup[];

/** The position of a setting on the page. The limits of all tiers with the same texts form one row, with a column for each tier. */
export type SettingPosition = Pick<SiteSettingView, "text"> &
  (
    | { readonly group: "limits"; readonly tier: NonNullable<SiteSettingView["tier"]> }
    | { readonly group: Exclude<(typeof PANELS)[number], "limits">; readonly tier?: undefined }
  );

const limit = (tier: NonNullable<SiteSettingView["tier"]>, text: SiteSettingView["text"]) => ({ group: "limits", text, tier }) as const;

/** Every setting by its name. A setting without a position, or without texts in a language, does not compile. */
export const SETTING_POSITIONS: Readonly<Record<RunTimeName, SettingPosition>> = {
  signup: { group: "access", text: "signup" },
  anonymous: { group: "access", text: "anonymous" },
  encrypted: { group: "access", text: "encrypted" },
  name: { group: "branding", text: "name" },
  accent: { group: "branding", text: "accent" },
  terms_url: { group: "branding", text: "terms_url" },
  privacy_url: { group: "branding", text: "privacy_url" },
  imprint_url: { group: "branding", text: "imprint_url" },
  abuse_contact: { group: "branding", text: "abuse_contact" },
  logo: { group: "logo", text: "logo" },
  "tiers.anonymous.fileBytes": limit("anonymous", "fileBytes"),
  "tiers.free.fileBytes": limit("free", "fileBytes"),
  "tiers.pro.fileBytes": limit("pro", "fileBytes"),
  "tiers.anonymous.storageBytes": limit("anonymous", "storageBytes"),
  "tiers.free.storageBytes": limit("free", "storageBytes"),
  "tiers.pro.storageBytes": limit("pro", "storageBytes"),
  "tiers.pro.storageMaxBytes": limit("pro", "storageMaxBytes"),
  "tiers.anonymous.files": limit("anonymous", "files"),
  "tiers.free.files": limit("free", "files"),
  "tiers.pro.files": limit("pro", "files"),
  "tiers.anonymous.retention": limit("anonymous", "retention"),
  "tiers.free.retention": limit("free", "retention"),
  "tiers.pro.retention": limit("pro", "retention"),
  "rates.anonymous": limit("anonymous", "requests"),
  "rates.free": limit("free", "requests"),
  "rates.pro": limit("pro", "requests"),
  "rates.signUps": { group: "protection", text: "signUps" },
  "rates.registrations": { group: "protection", text: "registrations" },
  "rates.reports": { group: "protection", text: "reports" },
  bootstrapPoolBytes: { group: "protection", text: "bootstrapPoolBytes" },
};
