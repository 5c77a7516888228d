import { DAY_MS, HOUR_MS, MINUTE_MS } from "../lib/duration.ts";
import { type Logo, logoText } from "./logo.ts";
import { DEFAULT_RATES, mergeRates, type RateName, type Rates } from "./rates.ts";
import { type LimitOverrides, SETTINGS, type SettingName } from "./settings.ts";
import { DEFAULT_BOOTSTRAP_POOL_BYTES, DEFAULT_TIERS, type Tier, type TierLimits } from "./tiers.ts";

/** The limits that are in force. */
export interface Limits {
  readonly tiers: Readonly<Record<Tier, TierLimits>>;
  readonly rates: Rates;
  readonly bootstrapPoolBytes: number;
}

export const DEFAULT_LIMITS: Limits = {
  tiers: DEFAULT_TIERS,
  rates: mergeRates({}),
  bootstrapPoolBytes: DEFAULT_BOOTSTRAP_POOL_BYTES,
};

/** How the value of a setting is written. */
export type SettingKind = "choice" | "switch" | "text" | "url" | "contact" | "color" | "size" | "count" | "duration" | "image";

interface Common {
  readonly kind: SettingKind;
  readonly choices?: readonly string[];
  /** What it sets, in a line. */
  readonly help: string;
}

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
export type RunTimeSetting =
  | (Common &
      OwnSetting & {
        /** How it is written here, where that differs from the environment. */
        readonly schema?: typeof logoText;
      })
  | (Common &
      LimitsMember & {
        /** The smallest value here, where the environment allows less. */
        readonly min?: number;
        inForce(limits: Limits): number;
      });

const plain = (setting: Exclude<SettingName, "LIMITS">, kind: SettingKind, choices?: readonly string[]): RunTimeSetting => ({
  setting,
  kind,
  ...(choices && { choices }),
  help: SETTINGS[setting].help,
});

const ofTier = (tier: Tier, member: "fileBytes" | "storageBytes" | "storageMaxBytes" | "files" | "retention"): RunTimeSetting => ({
  setting: "LIMITS",
  path: ["tiers", tier, member],
  kind: member === "files" ? "count" : member === "retention" ? "duration" : "size",
  help: `${TIER_HELP[member]}, tier ${tier}`,
  inForce: ({ tiers }) => tiers[tier][member === "retention" ? "retentionMs" : member],
});

const TIER_HELP = {
  fileBytes: "Largest file",
  storageBytes: "Included storage",
  storageMaxBytes: "Storage above which uploads are refused",
  files: "Number of files",
  retention: "Longest time to keep a file",
} as const;

const ofRate = (name: RateName, help: string, min?: number): RunTimeSetting => ({
  setting: "LIMITS",
  path: ["rates", name],
  kind: "count",
  help,
  ...(min !== undefined && { min }),
  inForce: ({ rates }) => rates[name].limit,
});

/** Fewer requests a minute would lock out the administrator who could set more. */
const MIN_GENERAL_RATE = 10;

/** Every setting that administrators can change while the server runs, by its name (configuration, "Settings in the database"). */
export const RUN_TIME_SETTINGS = {
  signup: plain("SIGNUP", "choice", ["open", "invite", "closed"]),
  anonymous: plain("ANONYMOUS", "switch", ["on", "off"]),
  encrypted: plain("ENCRYPTED", "switch", ["on", "off"]),
  name: plain("NAME", "text"),
  logo: { setting: "LOGO", kind: "image", schema: logoText, help: "The site's logo: SVG, PNG or WebP, at most 256 KB" },
  accent: plain("ACCENT", "color"),
  terms_url: plain("TERMS_URL", "url"),
  privacy_url: plain("PRIVACY_URL", "url"),
  imprint_url: plain("IMPRINT_URL", "url"),
  abuse_contact: plain("ABUSE_CONTACT", "contact"),
  "tiers.anonymous.fileBytes": ofTier("anonymous", "fileBytes"),
  "tiers.anonymous.storageBytes": ofTier("anonymous", "storageBytes"),
  "tiers.anonymous.files": ofTier("anonymous", "files"),
  "tiers.anonymous.retention": ofTier("anonymous", "retention"),
  "tiers.free.fileBytes": ofTier("free", "fileBytes"),
  "tiers.free.storageBytes": ofTier("free", "storageBytes"),
  "tiers.free.files": ofTier("free", "files"),
  "tiers.free.retention": ofTier("free", "retention"),
  "tiers.pro.fileBytes": ofTier("pro", "fileBytes"),
  "tiers.pro.storageBytes": ofTier("pro", "storageBytes"),
  "tiers.pro.storageMaxBytes": ofTier("pro", "storageMaxBytes"),
  "tiers.pro.files": ofTier("pro", "files"),
  "tiers.pro.retention": ofTier("pro", "retention"),
  bootstrapPoolBytes: {
    setting: "LIMITS",
    path: ["bootstrapPoolBytes"],
    kind: "size",
    help: "Storage of all self-registered agents together",
    inForce: ({ bootstrapPoolBytes }) => bootstrapPoolBytes,
  },
  "rates.anonymous": ofRate("anonymous", "Requests a minute without a key, of an address", MIN_GENERAL_RATE),
  "rates.free": ofRate("free", "Requests a minute of a free account", MIN_GENERAL_RATE),
  "rates.pro": ofRate("pro", "Requests a minute of a Pro account", MIN_GENERAL_RATE),
  "rates.signUps": ofRate("signUps", "Sign-ups an hour of an address"),
  "rates.registrations": ofRate("registrations", "Agents that register in an hour from an address"),
  "rates.reports": ofRate("reports", "Reports of shares an hour from an address"),
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

/** The definition, without the type of its own name. */
export const runTimeSetting = (name: RunTimeName): RunTimeSetting => RUN_TIME_SETTINGS[name];

/**
 * What a text sets, by the rule of the environment: a value of a setting, or of limits. `shown`: the text that stands for it, for an image its
 * name. `problem`: how to write it.
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
  const { path, kind, min = 0 } = definition;
  const member = kind === "count" && /^\d{1,15}$/.test(text) ? Number(text) : text;
  if (typeof member === "number" && member < min) return { problem: `write a number of at least ${min}` };
  const parsed = SETTINGS.LIMITS.schema.safeParse(JSON.stringify(path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), member)));
  return parsed.success ? { limits: parsed.data, shown: text } : { problem: joinIssues(parsed.error.issues) };
}

const joinIssues = (issues: readonly { readonly message: string }[]): string => issues.map(({ message }) => message).join("; ");

/** Whether `limits` has the member of a path. */
export const hasMember = (limits: LimitOverrides, path: readonly string[]): boolean =>
  path.reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], limits) !== undefined;

/** All members of both; where both have one, that of `above`. */
export function mergeLimits(above: LimitOverrides, below: LimitOverrides): LimitOverrides {
  const tiers = Object.fromEntries(
    (["anonymous", "free", "pro"] as const).map((tier) => [tier, { ...below.tiers?.[tier], ...above.tiers?.[tier] }]),
  );
  return { ...below, ...above, tiers, rates: { ...below.rates, ...above.rates } };
}

/** The text of a limit in force, which parses to the same value. */
export function formatLimit(kind: SettingKind, value: number): string {
  if (kind === "size")
    return withUnit(value, [
      [1024 ** 4, "TB"],
      [1024 ** 3, "GB"],
      [1024 ** 2, "MB"],
      [1024, "KB"],
    ]);
  return kind === "duration"
    ? withUnit(value, [
        [DAY_MS, "d"],
        [HOUR_MS, "h"],
        [MINUTE_MS, "m"],
      ])
    : String(value);
}

/** In the largest unit that divides the value. */
function withUnit(value: number, units: readonly (readonly [number, string])[]): string {
  const [size, unit] = units.find(([size]) => value >= size && value % size === 0) ?? [1, ""];
  return `${value / size}${unit}`;
}
