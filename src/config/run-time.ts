import { DAY_MS, HOUR_MS, MINUTE_MS } from "../lib/text/duration.ts";
import { parseSize } from "../lib/text/parse-size.ts";
import { type Logo, logoText } from "./logo.ts";
import { DEFAULT_RATES, mergeRates, type RateName, type Rates } from "./rates.ts";
import { type LimitOverrides, SETTINGS, type SettingName } from "./settings.ts";
import { DEFAULT_BOOTSTRAP_POOL_BYTES, DEFAULT_TIERS, type Tier, type TierLimits } from "./tiers.ts";

/** The current limits. */
export interface Limits {
  readonly tiers: Readonly<Record<Tier, TierLimits>>;
  readonly rates: Rates;
  readonly bootstrapPoolBytes: number;
}

export const DEFAULT_SITE_LIMITS: Limits = {
  tiers: DEFAULT_TIERS,
  rates: mergeRates({}),
  bootstrapPoolBytes: DEFAULT_BOOTSTRAP_POOL_BYTES,
};

/** The form of a setting's value. */
export type SettingKind = "choice" | "switch" | "text" | "url" | "contact" | "color" | "size" | "count" | "duration" | "image";

type SettingForm<Choice extends string> =
  | { readonly kind: "choice" | "switch"; readonly choices: readonly Choice[] }
  | { readonly kind: Exclude<SettingKind, "choice" | "switch">; readonly choices?: undefined };

/** One of `SETTINGS`, or a member of `LIMITS`. */
export type SettingPlace = OwnSetting | LimitsMember;

interface OwnSetting {
  readonly setting: Exclude<SettingName, "LIMITS">;
}

interface LimitsMember {
  readonly setting: "LIMITS";
  /** The member, such as `["tiers", "free", "fileBytes"]`. */
  readonly path: readonly string[];
}

/** A setting that administrators can change while the server runs. */
export type RunTimeSetting<Choice extends string = string> = SettingForm<Choice> &
  (
    | (OwnSetting & {
        /** The effect of the setting in one line; default: the help of `setting`. */
        readonly help?: string;
        /** The form of its text in the database, if it differs from the environment. */
        readonly schema?: typeof logoText;
      })
    | (LimitsMember & {
        readonly help: string;
        inForce(limits: Limits): number;
      })
  );

const TIER_LIMITS = {
  fileBytes: { member: "fileBytes", kind: "size", help: "Largest file" },
  storageBytes: { member: "storageBytes", kind: "size", help: "Included storage" },
  storageMaxBytes: { member: "storageMaxBytes", kind: "size", help: "Storage above which uploads are refused" },
  files: { member: "files", kind: "count", help: "Number of files" },
  retention: { member: "retentionMs", kind: "duration", help: "Longest time to keep a file" },
} as const;

const tierLimit = <Limit extends keyof typeof TIER_LIMITS>(tier: Tier, limit: Limit) => {
  const { member, kind, help } = TIER_LIMITS[limit];
  return {
    setting: "LIMITS",
    path: ["tiers", tier, limit],
    kind,
    help: `${help}, tier ${tier}`,
    inForce: ({ tiers }: Limits) => tiers[tier][member],
  } as const;
};

const rate = (name: RateName, help: string) =>
  ({
    setting: "LIMITS",
    path: ["rates", name],
    kind: "count",
    help,
    inForce: ({ rates }: Limits) => rates[name].limit,
  }) as const;

/**
 * Every setting that administrators can change while the server runs, by its name (configuration, "Settings in the database"), in its order
 * in the API and in `filehost settings list`. A setting without a position on the page does not compile
 * (`web/admin/site-setting-positions.ts`).
 */
export const RUN_TIME_SETTINGS = {
  signup: { setting: "SIGNUP", kind: "choice", choices: ["open", "invite", "closed"] },
  anonymous: { setting: "ANONYMOUS", kind: "switch", choices: ["on", "off"] },
  encrypted: { setting: "ENCRYPTED", kind: "switch", choices: ["on", "off"] },
  name: { setting: "NAME", kind: "text" },
  accent: { setting: "ACCENT", kind: "color" },
  terms_url: { setting: "TERMS_URL", kind: "url" },
  privacy_url: { setting: "PRIVACY_URL", kind: "url" },
  imprint_url: { setting: "IMPRINT_URL", kind: "url" },
  abuse_contact: { setting: "ABUSE_CONTACT", kind: "contact" },
  logo: {
    setting: "LOGO",
    kind: "image",
    schema: logoText,
    help: "The site's logo: SVG, PNG or WebP, at most 256 KB",
  },
  "tiers.anonymous.fileBytes": tierLimit("anonymous", "fileBytes"),
  "tiers.free.fileBytes": tierLimit("free", "fileBytes"),
  "tiers.pro.fileBytes": tierLimit("pro", "fileBytes"),
  "tiers.anonymous.storageBytes": tierLimit("anonymous", "storageBytes"),
  "tiers.free.storageBytes": tierLimit("free", "storageBytes"),
  "tiers.pro.storageBytes": tierLimit("pro", "storageBytes"),
  "tiers.pro.storageMaxBytes": tierLimit("pro", "storageMaxBytes"),
  "tiers.anonymous.files": tierLimit("anonymous", "files"),
  "tiers.free.files": tierLimit("free", "files"),
  "tiers.pro.files": tierLimit("pro", "files"),
  "tiers.anonymous.retention": tierLimit("anonymous", "retention"),
  "tiers.free.retention": tierLimit("free", "retention"),
  "tiers.pro.retention": tierLimit("pro", "retention"),
  "rates.anonymous": rate("anonymous", "Requests a minute without a key, of an address"),
  "rates.free": rate("free", "Requests a minute of a free account"),
  "rates.pro": rate("pro", "Requests a minute of a Pro account"),
  "rates.signUps": rate("signUps", "Sign-ups an hour of an address"),
  "rates.registrations": rate("registrations", "Agents that register in an hour from an address"),
  "rates.reports": rate("reports", "Reports of shares an hour from an address"),
  bootstrapPoolBytes: {
    setting: "LIMITS",
    path: ["bootstrapPoolBytes"],
    kind: "size",
    help: "Storage of all self-registered agents together",
    inForce: ({ bootstrapPoolBytes }: Limits) => bootstrapPoolBytes,
  },
} as const satisfies Record<string, RunTimeSetting>;

export type RunTimeName = keyof typeof RUN_TIME_SETTINGS;

export const RUN_TIME_NAMES = Object.keys(RUN_TIME_SETTINGS) as readonly RunTimeName[];

export const isRunTimeName = (name: string): name is RunTimeName => Object.hasOwn(RUN_TIME_SETTINGS, name);

type RunTimeRateName = RunTimeName extends infer Name ? (Name extends `rates.${infer Rate}` ? Rate : never) : never;

/** A rate that only flags, the environment or the settings' file set. */
export type FixedRateName = Exclude<RateName, RunTimeRateName>;

export const FIXED_RATE_NAMES = (Object.keys(DEFAULT_RATES) as RateName[]).filter(
  (name): name is FixedRateName => !isRunTimeName(`rates.${name}`),
);

type Definition = (typeof RUN_TIME_SETTINGS)[RunTimeName];

/** Every value of a choice or a switch. */
export type SettingChoice = Extract<Definition, { readonly choices: readonly string[] }>["choices"][number];

export const runTimeSetting = (name: RunTimeName): RunTimeSetting<SettingChoice> => RUN_TIME_SETTINGS[name];

export const settingHelp = (name: RunTimeName): string => {
  const { setting, help } = runTimeSetting(name);
  return help ?? SETTINGS[setting].help;
};

/**
 * The result of parsing a text by the rule of the environment: a value of a setting, or of limits. `shown` is its displayed text, for an image its
 * name; `problem` explains how to write it.
 */
export type ParsedValue =
  | { readonly value: unknown; readonly shown: string }
  | { readonly limits: LimitOverrides; readonly shown: string }
  | { readonly problem: string };

export function parseRunTimeValue(name: RunTimeName, text: string): ParsedValue {
  const definition = runTimeSetting(name);
  if (definition.setting !== "LIMITS") {
    const parsed = (definition.schema ?? SETTINGS[definition.setting].schema).safeParse(text);
    if (!parsed.success) return { problem: joinIssues(parsed.error.issues) };
    return { value: parsed.data, shown: definition.kind === "image" ? (parsed.data as Logo).name : text };
  }
  const { path, kind } = definition;
  const member = kind === "count" && /^\d{1,15}$/.test(text) ? Number(text) : text;
  const parsed = SETTINGS.LIMITS.schema.safeParse(JSON.stringify(path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), member)));
  return parsed.success ? { limits: parsed.data, shown: text } : { problem: joinIssues(parsed.error.issues) };
}

const joinIssues = (issues: readonly { readonly message: string }[]): string => issues.map(({ message }) => message).join("; ");

/** Returns whether `limits` has the member of a path. */
export const hasMember = (limits: LimitOverrides, path: readonly string[]): boolean =>
  path.reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], limits) !== undefined;

/** Returns all members of both. `above` takes precedence. */
export function mergeLimits(above: LimitOverrides, below: LimitOverrides): LimitOverrides {
  const tiers = Object.fromEntries(
    (["anonymous", "free", "pro"] as const).map((tier) => [tier, { ...below.tiers?.[tier], ...above.tiers?.[tier] }]),
  );
  return { ...below, ...above, tiers, rates: { ...below.rates, ...above.rates } };
}

const SIZE_UNITS = [
  [1024 ** 4, "TB"],
  [1024 ** 3, "GB"],
  [1024 ** 2, "MB"],
  [1024, "KB"],
] as const;
const DURATION_UNITS = [
  [DAY_MS, "d"],
  [HOUR_MS, "h"],
  [MINUTE_MS, "m"],
  [1000, "s"],
] as const;

/** Returns the text of a current limit, which parses to the same value. */
export function formatLimit(kind: SettingKind, value: number): string {
  if (kind === "size") return formatExactSize(value);
  if (kind !== "duration") return String(value);
  const [unitMs, unit] = DURATION_UNITS.find(([unitMs]) => value >= unitMs && value % unitMs === 0) ?? [1, ""];
  return `${value / unitMs}${unit}`;
}

/** Formats a size in the largest unit in which at most two decimals are exact. */
function formatExactSize(bytes: number): string {
  for (const [unitBytes, unit] of SIZE_UNITS) {
    const number = Number((bytes / unitBytes).toFixed(2));
    if (number >= 1 && parseSize(`${number}${unit}`) === bytes) return `${number}${unit}`;
  }
  return String(bytes);
}
