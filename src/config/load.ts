import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { StorageOptions } from "../blobs/open-store.ts";
import { ConfigError } from "../errors.ts";
import type { MailSettings } from "../mail/smtp-settings.ts";
import type { Network } from "../net/networks.ts";
import type { PaymentSettings } from "../pay/stripe-settings.ts";
import type { Logo } from "./logo.ts";
import { mergeRates, type Rates } from "./rates.ts";
import { hasMember, mergeLimits, parseRunTimeValue, type RunTimeName, runTimeSetting, type SettingPlace } from "./run-time.ts";
import { SETTINGS, type Setting, type SettingKey, type SettingName, type SettingValues, type TierOverrides } from "./settings.ts";
import { DEFAULT_BOOTSTRAP_POOL_BYTES, DEFAULT_TIERS, type Tier, type TierLimits } from "./tiers.ts";
import { warnUnknownNames, warnWeakSecret } from "./warnings.ts";

type Stores = { readonly [Kind in StorageOptions["kind"]]: StorageOptions | undefined };

export interface Config {
  readonly listen: { readonly hostname: string; readonly port: number };
  readonly dataDir: string;
  /** The site's URL; undefined if not set, because its default depends on the port. */
  readonly siteUrl: string | undefined;
  readonly baseUrl: string | undefined;
  readonly mcpUrl: string | undefined;
  readonly contentUrl: string | undefined;
  readonly database: { readonly url: string; readonly token: string | undefined };
  /** The store in use. */
  readonly storage: StorageOptions;
  /** All configured stores; undefined for a kind that is not configured. */
  readonly stores: Stores;
  readonly minFreeBytes: number;
  readonly scanner: {
    readonly mode: "auto" | "clamd" | "off";
    readonly clamd: string | undefined;
    readonly oversize: "windows" | "block";
    /** Whether large uploads are scanned while they arrive. */
    readonly scansEarly: boolean;
    /** Number of files scanned at the same time; undefined: derived from clamd's threads. */
    readonly concurrency: number | undefined;
  };
  readonly quarantineDays: number;
  readonly auditLog: {
    readonly days: number;
    /** Number of days for which callers' IP addresses are stored; 0: they are not recorded. */
    readonly addressDays: number;
  };
  /** Whether the server makes and shows thumbnails of images. */
  readonly thumbnails: boolean;
  readonly secret: string | undefined;
  readonly imports: {
    /** Non-public networks that imports may connect to. */
    readonly networks: readonly Network[];
    /** Maximum time without a byte. */
    readonly idleMs: number;
    /** Maximum time of an import job. */
    readonly totalMs: number;
    /** Maximum time of a `remote-upload` request. */
    readonly waitMs: number;
    /** Minimum pace of a source. */
    readonly minimumPace: { readonly bytesPerSecond: number; readonly windowMs: number };
  };
  /** Open files and connections, as a count or a fraction of the process's limit, above which idle connections are closed. */
  readonly connections: { readonly count: number } | { readonly fraction: number };
  readonly trustedProxies: readonly Network[];
  readonly webhookNetworks: readonly Network[];
  readonly allowedOrigins: readonly string[];
  readonly anonymousUploads: boolean;
  /** Whether the server accepts files that their senders encrypted. */
  readonly acceptsEncrypted: boolean;
  /** The group that may create accounts. */
  readonly signUp: "open" | "invite" | "closed";
  /** The settings of mail; undefined: the site sends none. */
  readonly mail: MailSettings | undefined;
  /** The OpenID Connect provider with which people sign in. */
  readonly oidc: ProviderSettings | undefined;
  /** The settings of payments; undefined: the site takes none. */
  readonly payments: PaymentSettings | undefined;
  /** The URL of a page where people pay for Pro elsewhere. */
  readonly upgradeUrl: string | undefined;
  readonly tiers: Readonly<Record<Tier, TierLimits>>;
  /** Storage that all self-registered agents share, bytes. */
  readonly bootstrapPoolBytes: number;
  readonly rates: Rates;
  /** Whether the general request rate is limited. Limits of unlocks, registrations and imports always apply. */
  readonly limitsGeneralRate: boolean;
  /** The sponsor and the wait on the page of a share whose owner is not Pro. */
  readonly sponsoring: {
    /** The administrator's HTML fragment. */
    readonly html: string | undefined;
    /** Wait before a download; 0: none. */
    readonly waitMs: number;
  };
  /** The appearance of the site on its pages. */
  readonly branding: {
    readonly name: string;
    readonly logo: Logo | undefined;
    /** `#rrggbb`. */
    readonly accent: string | undefined;
    readonly termsUrl: string | undefined;
    readonly privacyUrl: string | undefined;
    readonly imprintUrl: string | undefined;
    /** A URL, or `mailto:` with an address. */
    readonly abuseUrl: string | undefined;
  };
  readonly log: {
    readonly level: "trace" | "debug" | "info" | "warn" | "error" | "silent";
    readonly format: "json" | "pretty" | undefined;
  };
}

export interface ProviderSettings {
  /** The issuer, exactly as the provider writes it. */
  readonly issuer: string;
  readonly clientId: string;
  /** The client's secret; undefined for a client that only PKCE protects. */
  readonly clientSecret: string | undefined;
  /** The name of the provider on pages. */
  readonly name: string;
  /** Separated by spaces. */
  readonly scopes: string;
  /** Whether the provider asks for a second step itself, so that the server asks for no code after it. */
  readonly hasTwoStep: boolean;
}

/** Time limits of imports (limits, "Times") and their minimum pace (imports, "A minimum pace"). */
const IMPORT_TIMES = {
  idleMs: 60_000,
  totalMs: 24 * 60 * 60_000,
  waitMs: 5 * 60_000,
  minimumPace: { bytesPerSecond: 16 * 1024, windowMs: 120_000 },
} as const;

/** A setting's value and source, as `filehost config` shows it. */
export interface EffectiveSetting {
  readonly name: `FILEHOST_${string}`;
  readonly value: string | undefined;
  readonly source: "default" | "environment" | "file" | "flag";
  /** Path of the file with the value, for the source `file`. */
  readonly path?: string;
  readonly help: string;
}

export interface LoadedConfig {
  readonly config: Config;
  readonly settings: readonly EffectiveSetting[];
  /**
   * Returns the configuration with texts of the database, which take precedence only over the defaults. Ignores an invalid text, for example one of
   * another version.
   */
  readonly withStored: (stored: ReadonlyMap<RunTimeName, string>) => Config;
  /** Finds the flag, variable or file that sets a setting, so that the database's value is ignored; undefined if there is none. */
  readonly findFixed: (place: SettingPlace) => FixedSetting | undefined;
  /** Sentences for the log: unknown setting names, weak secrets. */
  readonly warnings: readonly string[];
}

/** The source that fixes a setting. */
export interface FixedSetting {
  readonly source: Exclude<EffectiveSetting["source"], "default">;
  /** The variable or flag, such as `FILEHOST_SIGNUP` or `--signup`. */
  readonly by: string;
  /** The setting's text; undefined for a member of FILEHOST_LIMITS. */
  readonly text: string | undefined;
}

/** Reads the settings from `flags`, then the environment, then the defaults. Throws ConfigError. */
export function loadConfig(
  env: Readonly<Record<string, string | undefined>>,
  flags: Readonly<Partial<Record<SettingKey, string>>> = {},
): LoadedConfig {
  const problems: string[] = [];
  const values: Partial<Record<SettingName, unknown>> = {};
  const settings: EffectiveSetting[] = [];
  for (const [name, { schema, secret, help }] of Object.entries(SETTINGS) as [SettingName, Setting][]) {
    const { text, source, path } = readSetting(name, env, flags, SETTINGS[name]);
    settings.push({ name: `FILEHOST_${name}`, value: text === undefined ? undefined : maskSecrets(text, { secret }), source, path, help });
    if (text === undefined) continue;
    const parsed = schema.safeParse(text);
    if (parsed.success) values[name] = parsed.data;
    else
      problems.push(
        `${source === "flag" ? flagOf(name) : `FILEHOST_${name}`}: ${parsed.error.issues.map((issue) => [issue.path.join("."), issue.message].filter(Boolean).join(": ")).join("; ")}`,
      );
  }
  if (problems.length === 0)
    problems.push(
      ...[findStorageProblems, findMailProblems, findProviderProblems, findPaymentProblems].flatMap((find) =>
        find(values as SettingValues),
      ),
    );
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
  const known = values as SettingValues;
  const findFixed = (place: SettingPlace): FixedSetting | undefined => findFixedSetting(place, known, settings);
  return {
    config: toConfig(known),
    settings,
    withStored: (stored) =>
      toConfig(
        mergeStored(
          known,
          [...stored].filter(([name]) => findFixed(runTimeSetting(name)) === undefined),
        ),
      ),
    findFixed,
    warnings: [...warnUnknownNames(env), ...warnWeakSecret(values)],
  };
}

function findFixedSetting(place: SettingPlace, values: SettingValues, settings: readonly EffectiveSetting[]): FixedSetting | undefined {
  const { source, value } = settings.find((setting) => setting.name === `FILEHOST_${place.setting}`) ?? { source: "default" };
  if (source === "default") return undefined;
  const by = source === "flag" ? flagOf(place.setting) : `FILEHOST_${place.setting}`;
  if (place.setting !== "LIMITS") return { source, by, text: value };
  return hasMember(values.LIMITS, place.path) ? { source, by, text: undefined } : undefined;
}

function mergeStored(values: SettingValues, stored: readonly (readonly [RunTimeName, string])[]): SettingValues {
  const merged: Record<string, unknown> = { ...values };
  let limits = values.LIMITS;
  for (const [name, text] of stored) {
    const parsed = parseRunTimeValue(name, text);
    if ("limits" in parsed) limits = mergeLimits(limits, parsed.limits);
    if ("value" in parsed) merged[runTimeSetting(name).setting] = parsed.value;
  }
  return { ...(merged as unknown as SettingValues), LIMITS: limits };
}

/** Returns the flag of a setting: `TRUSTED_PROXIES` → `--trusted-proxies`. */
export const flagOf = (name: SettingName): string => `--${name.toLowerCase().replaceAll("_", "-")}`;

/** Masks a secret, and passwords and tokens in URLs. */
function maskSecrets(text: string, { secret }: { secret: boolean }): string {
  if (secret) return MASK;
  return text.replace(/(:\/\/[^/@:]*:)[^/@]*@/, `$1${MASK}@`).replace(/([?&](?:authToken|token|password)=)[^&]*/gi, `$1${MASK}`);
}

const MASK = "********";

function readSetting(
  name: SettingName,
  env: Readonly<Record<string, string | undefined>>,
  flags: Readonly<Partial<Record<SettingKey, string>>>,
  { default: defaultText, secret }: Setting,
): { text: string | undefined; source: EffectiveSetting["source"]; path?: string } {
  const flag = flags[name];
  if (flag !== undefined) return { text: flag, source: "flag" };
  const flagPath = secret ? flags[`${name}_FILE`] : undefined;
  if (flagPath !== undefined) return { text: readSecretFile(`${flagOf(name)}-file`, flagPath), source: "file", path: flagPath };
  const direct = env[`FILEHOST_${name}`];
  if (direct !== undefined && direct !== "") return { text: direct, source: "environment" };
  const path = secret ? env[`FILEHOST_${name}_FILE`] : undefined;
  if (path) return { text: readSecretFile(`FILEHOST_${name}_FILE`, path), source: "file", path };
  return { text: defaultText, source: "default" };
}

function readSecretFile(name: string, path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    throw new ConfigError(`${name}: cannot read ${path} (${error instanceof Error ? error.message : String(error)})`);
  }
}

function toConfig(values: SettingValues): Config {
  return {
    listen: values.LISTEN,
    dataDir: values.DATA,
    siteUrl: values.URL,
    baseUrl: values.BASE_URL,
    mcpUrl: values.MCP_URL,
    contentUrl: values.CONTENT_URL,
    database: { url: values.DB_URL ?? `file:${join(values.DATA, "filehost.db")}`, token: values.DB_TOKEN },
    storage: values.STORAGE === "s3" ? toS3(values) : toDisk(values),
    stores: { disk: toDisk(values), s3: values.S3_BUCKET === undefined ? undefined : toS3(values) },
    minFreeBytes: values.MIN_FREE,
    scanner: {
      mode: values.SCANNER,
      clamd: values.CLAMD,
      oversize: values.SCAN_OVERSIZE,
      scansEarly: values.SCAN_EARLY,
      concurrency: values.SCAN_CONCURRENCY,
    },
    quarantineDays: values.QUARANTINE_DAYS,
    auditLog: { days: values.AUDIT_LOG_DAYS, addressDays: values.KEEP_ADDRESSES },
    thumbnails: values.THUMBNAILS === "auto",
    secret: values.SECRET,
    imports: { networks: values.IMPORT_NETWORKS, ...IMPORT_TIMES },
    connections: values.CONNECTIONS,
    trustedProxies: values.TRUSTED_PROXIES,
    webhookNetworks: values.WEBHOOK_NETWORKS,
    allowedOrigins: values.ALLOWED_ORIGINS,
    anonymousUploads: values.ANONYMOUS,
    acceptsEncrypted: values.ENCRYPTED,
    signUp: values.SIGNUP,
    mail: values.SMTP_URL && values.MAIL_FROM && { server: values.SMTP_URL, from: values.MAIL_FROM },
    oidc: toProvider(values),
    payments: toPayments(values),
    upgradeUrl: values.UPGRADE_URL,
    tiers: mergeTiers(values.LIMITS.tiers ?? {}),
    bootstrapPoolBytes: values.LIMITS.bootstrapPoolBytes ?? DEFAULT_BOOTSTRAP_POOL_BYTES,
    rates: mergeRates(values.LIMITS.rates ?? {}),
    limitsGeneralRate: values.RATE_LIMITS,
    sponsoring: { html: values.SPONSOR_FILE, waitMs: values.DOWNLOAD_WAIT * 1000 },
    branding: {
      name: values.NAME,
      logo: values.LOGO,
      accent: values.ACCENT,
      termsUrl: values.TERMS_URL,
      privacyUrl: values.PRIVACY_URL,
      imprintUrl: values.IMPRINT_URL,
      abuseUrl: values.ABUSE_CONTACT,
    },
    log: values.LOG,
  };
}

function findStorageProblems(values: SettingValues): string[] {
  const problems: string[] = [];
  if (values.STORAGE === "s3" && values.S3_BUCKET === undefined)
    problems.push("FILEHOST_S3_BUCKET: set it, because FILEHOST_STORAGE is s3");
  if ((values.S3_ACCESS_KEY_ID === undefined) !== (values.S3_SECRET_ACCESS_KEY === undefined))
    problems.push("FILEHOST_S3_ACCESS_KEY_ID and FILEHOST_S3_SECRET_ACCESS_KEY: set both or neither");
  return problems;
}

const findMailProblems = ({ SMTP_URL, MAIL_FROM }: SettingValues): string[] =>
  (SMTP_URL === undefined) === (MAIL_FROM === undefined) ? [] : ["FILEHOST_SMTP_URL and FILEHOST_MAIL_FROM: set both or neither"];
function findProviderProblems({ OIDC_ISSUER, OIDC_CLIENT_ID }: SettingValues): string[] {
  if ((OIDC_ISSUER === undefined) === (OIDC_CLIENT_ID === undefined)) return [];
  return ["FILEHOST_OIDC_ISSUER and FILEHOST_OIDC_CLIENT_ID: set both or neither"];
}

function toProvider(values: SettingValues): ProviderSettings | undefined {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret, OIDC_NAME } = values;
  if (issuer === undefined || clientId === undefined) return undefined;
  const { OIDC_SCOPES: scopes, OIDC_TWO_STEP: hasTwoStep } = values;
  return { issuer, clientId, clientSecret, name: OIDC_NAME ?? new URL(issuer).host, scopes, hasTwoStep };
}

function toPayments(values: SettingValues): PaymentSettings | undefined {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecrets = [], STRIPE_API: apiUrl } = values;
  if (secretKey === undefined) return undefined;
  return { secretKey, webhookSecrets, apiUrl, fee: values.SELLING_FEE, plans: values.PLANS };
}

const findPaymentProblems = ({ STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, PLANS, UPGRADE_URL }: SettingValues): string[] => [
  ...(STRIPE_SECRET_KEY === undefined && STRIPE_WEBHOOK_SECRET !== undefined
    ? ["FILEHOST_STRIPE_SECRET_KEY: set it, because FILEHOST_STRIPE_WEBHOOK_SECRET is set"]
    : []),
  ...(STRIPE_SECRET_KEY === undefined && PLANS.length > 0 ? ["FILEHOST_STRIPE_SECRET_KEY: set it, because FILEHOST_PLANS has plans"] : []),
  ...(PLANS.length > 0 && UPGRADE_URL !== undefined ? ["FILEHOST_PLANS and FILEHOST_UPGRADE_URL: set only one of them"] : []),
];

const toDisk = (values: SettingValues): StorageOptions => ({ kind: "disk", dir: values.DATA, minFreeBytes: values.MIN_FREE });

function toS3(values: SettingValues): StorageOptions {
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = values;
  return {
    kind: "s3",
    endpoint: values.S3_ENDPOINT,
    region: values.S3_REGION,
    bucket: values.S3_BUCKET ?? "",
    prefix: values.S3_PREFIX,
    credentials: accessKeyId !== undefined && secretAccessKey !== undefined ? { accessKeyId, secretAccessKey } : undefined,
    pathStyle: values.S3_PATH_STYLE ?? values.S3_ENDPOINT !== undefined,
    uploads: values.S3_UPLOADS,
    downloads: values.S3_DOWNLOADS,
  };
}

function mergeTiers(overrides: TierOverrides): Record<Tier, TierLimits> {
  const merge = (tier: Tier): TierLimits => {
    const defaults = DEFAULT_TIERS[tier];
    const { fileBytes, storageBytes, storageMaxBytes, files, retention: retentionMs } = overrides[tier] ?? {};
    const includedBytes = storageBytes ?? defaults.storageBytes;
    return {
      fileBytes: fileBytes ?? defaults.fileBytes,
      storageBytes: includedBytes,
      storageMaxBytes: Math.max(includedBytes, storageMaxBytes ?? (tier === "pro" ? defaults.storageMaxBytes : includedBytes)),
      files: files ?? defaults.files,
      retentionMs: retentionMs ?? defaults.retentionMs,
    };
  };
  return { anonymous: merge("anonymous"), free: merge("free"), pro: merge("pro") };
}
