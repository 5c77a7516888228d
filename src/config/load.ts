import { readFileSync } from "node:fs";
import type { StorageOptions } from "../blobs/open.ts";
import type { Network } from "../domain/address.ts";
import { nearest } from "../domain/nearest.ts";
import { mergeRates, type Rates } from "../domain/rates.ts";
import { DEFAULT_BOOTSTRAP_POOL_BYTES, DEFAULT_TIERS, type Tier, type TierLimits } from "../domain/tiers.ts";
import { SETTINGS, type Setting, type SettingKey, type SettingName, type SettingValues, type TierOverrides } from "./settings.ts";

type Stores = { readonly [Kind in StorageOptions["kind"]]: StorageOptions | undefined };

export interface Config {
  readonly listen: { readonly hostname: string; readonly port: number };
  readonly dataDir: string;
  /** `{site_url}`; undefined until the port is known, where it was not set. */
  readonly siteUrl: string | undefined;
  readonly baseUrl: string | undefined;
  readonly mcpUrl: string | undefined;
  readonly contentUrl: string | undefined;
  readonly database: { readonly url: string; readonly token: string | undefined };
  /** Where bytes live. */
  readonly storage: StorageOptions;
  /** Each kind of store as it is set, used or not; undefined where the settings do not name one. */
  readonly stores: Stores;
  readonly minFreeBytes: number;
  readonly scanner: {
    readonly mode: "auto" | "clamd" | "off";
    readonly clamd: string | undefined;
    readonly oversize: "windows" | "block";
    /** Files that are checked at the same time; undefined: as many as clamd has threads for. */
    readonly concurrency: number | undefined;
  };
  readonly quarantineDays: number;
  readonly secret: string | undefined;
  readonly imports: {
    /** May be reached although they are not public. */
    readonly networks: readonly Network[];
    /** Without a byte. */
    readonly idleMs: number;
    /** Of a job, in all. */
    readonly totalMs: number;
    /** Of `remote-upload`, in all. */
    readonly waitMs: number;
    /** What a source has to send. */
    readonly minimumPace: { readonly bytesPerSecond: number; readonly windowMs: number };
  };
  /** From how many open files and connections on, or from which share of the process's limit, idle connections are closed. */
  readonly connections: { readonly count: number } | { readonly share: number };
  readonly trustedProxies: readonly Network[];
  readonly webhookNetworks: readonly Network[];
  readonly allowedOrigins: readonly string[];
  readonly anonymousUploads: boolean;
  readonly tiers: Readonly<Record<Tier, TierLimits>>;
  /** What all agents that registered themselves may store together. */
  readonly bootstrapPoolBytes: number;
  readonly rates: Rates;
  /** Whether the general request rate is limited; caps on unlocks, registrations and imports always hold. */
  readonly limitsGeneralRate: boolean;
  /** For recipients of files whose owner is not Pro, on the pages alone. */
  readonly sponsoring: {
    /** A fragment of HTML, the operator's own. */
    readonly html: string | undefined;
    /** How long they wait before they can download; 0 where they do not. */
    readonly waitMs: number;
  };
  readonly log: {
    readonly level: "trace" | "debug" | "info" | "warn" | "error" | "silent";
    readonly format: "json" | "pretty" | undefined;
  };
}

/** How long an import may take (decisions, "Remote import"), and how slow its source may be (fair-queues, "A minimum pace"). */
const IMPORT_TIMES = {
  idleMs: 60_000,
  totalMs: 24 * 60 * 60_000,
  waitMs: 5 * 60_000,
  minimumPace: { bytesPerSecond: 16 * 1024, windowMs: 120_000 },
} as const;

/** One setting in force, as `filehost config` shows it. */
export interface SettingInForce {
  readonly name: string;
  readonly value: string | undefined;
  readonly source: "default" | "environment" | "file" | "flag";
  /** The file that it came from. */
  readonly path?: string;
  readonly help: string;
}

export interface LoadedConfig {
  readonly config: Config;
  readonly settings: readonly SettingInForce[];
  /** Sentences for the log: unknown names, with the nearest known one. */
  readonly warnings: readonly string[];
}

/** A wrong setting: the message names each and says how to write it. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** Reads the environment and `flags`, which win. Throws ConfigError. */
export function loadConfig(
  env: Readonly<Record<string, string | undefined>>,
  flags: Readonly<Partial<Record<SettingKey, string>>> = {},
): LoadedConfig {
  const problems: string[] = [];
  const values: Partial<Record<SettingName, unknown>> = {};
  const settings: SettingInForce[] = [];
  for (const [name, { schema, secret, help }] of Object.entries(SETTINGS) as [SettingName, Setting][]) {
    const { text, source, path } = readSetting(name, env, flags, SETTINGS[name]);
    settings.push({ name: `FILEHOST_${name}`, value: text === undefined ? undefined : toShown(text, { secret }), source, path, help });
    if (text === undefined) continue;
    const parsed = schema.safeParse(text);
    if (parsed.success) values[name] = parsed.data;
    else
      problems.push(
        `${source === "flag" ? flagOf(name) : `FILEHOST_${name}`}: ${parsed.error.issues.map((issue) => [issue.path.join("."), issue.message].filter(Boolean).join(": ")).join("; ")}`,
      );
  }
  if (problems.length === 0) problems.push(...findStorageProblems(values as SettingValues));
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
  return { config: toConfig(values as SettingValues), settings, warnings: [...unknownNames(env), ...weakSecrets(values)] };
}

/** The flag of a setting: `TRUSTED_PROXIES` → `--trusted-proxies`. */
export const flagOf = (name: SettingName): string => `--${name.toLowerCase().replaceAll("_", "-")}`;

/** Nothing secret: neither a secret itself nor what an address carries. */
function toShown(text: string, { secret }: { secret: boolean }): string {
  if (secret) return MASK;
  return text.replace(/(:\/\/[^/@:]*:)[^/@]*@/, `$1${MASK}@`).replace(/([?&](?:authToken|token|password)=)[^&]*/gi, `$1${MASK}`);
}

const MASK = "********";

function readSetting(
  name: SettingName,
  env: Readonly<Record<string, string | undefined>>,
  flags: Readonly<Partial<Record<SettingKey, string>>>,
  { standard, secret }: Setting,
): { text: string | undefined; source: SettingInForce["source"]; path?: string } {
  const flag = flags[name];
  if (flag !== undefined) return { text: flag, source: "flag" };
  const flagPath = secret ? flags[`${name}_FILE`] : undefined;
  if (flagPath !== undefined) return { text: readSecretFile(`${flagOf(name)}-file`, flagPath), source: "file", path: flagPath };
  const direct = env[`FILEHOST_${name}`];
  if (direct !== undefined && direct !== "") return { text: direct, source: "environment" };
  const path = secret ? env[`FILEHOST_${name}_FILE`] : undefined;
  if (path) return { text: readSecretFile(`FILEHOST_${name}_FILE`, path), source: "file", path };
  return { text: standard, source: "default" };
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
    database: { url: values.DB_URL ?? `file:${values.DATA}/filehost.db`, token: values.DB_TOKEN },
    storage: values.STORAGE === "s3" ? toS3(values) : toDisk(values),
    stores: { disk: toDisk(values), s3: values.S3_BUCKET === undefined ? undefined : toS3(values) },
    minFreeBytes: values.MIN_FREE,
    scanner: { mode: values.SCANNER, clamd: values.CLAMD, oversize: values.SCAN_OVERSIZE, concurrency: values.SCAN_CONCURRENCY },
    quarantineDays: values.QUARANTINE_DAYS,
    secret: values.SECRET,
    imports: { networks: values.IMPORT_NETWORKS, ...IMPORT_TIMES },
    connections: values.CONNECTIONS,
    trustedProxies: values.TRUSTED_PROXIES,
    webhookNetworks: values.WEBHOOK_NETWORKS,
    allowedOrigins: values.ALLOWED_ORIGINS,
    anonymousUploads: values.ANONYMOUS,
    tiers: mergeTiers(values.LIMITS.tiers ?? {}),
    bootstrapPoolBytes: values.LIMITS.bootstrapPoolBytes ?? DEFAULT_BOOTSTRAP_POOL_BYTES,
    rates: mergeRates(values.LIMITS.rates ?? {}),
    limitsGeneralRate: values.RATE_LIMITS,
    sponsoring: { html: values.SPONSOR_FILE, waitMs: values.DOWNLOAD_WAIT * 1000 },
    log: values.LOG,
  };
}

function findStorageProblems(values: SettingValues): string[] {
  const problems: string[] = [];
  if (values.STORAGE === "s3" && values.S3_BUCKET === undefined)
    problems.push("FILEHOST_S3_BUCKET: name the bucket, since FILEHOST_STORAGE is s3");
  if ((values.S3_ACCESS_KEY_ID === undefined) !== (values.S3_SECRET_ACCESS_KEY === undefined))
    problems.push("FILEHOST_S3_ACCESS_KEY_ID and FILEHOST_S3_SECRET_ACCESS_KEY: set both or neither");
  return problems;
}

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
    const standard = DEFAULT_TIERS[tier];
    const { fileBytes, storageBytes, storageMaxBytes, files, retention: retentionMs } = overrides[tier] ?? {};
    const included = storageBytes ?? standard.storageBytes;
    return {
      fileBytes: fileBytes ?? standard.fileBytes,
      storageBytes: included,
      storageMaxBytes: Math.max(included, storageMaxBytes ?? (tier === "pro" ? standard.storageMaxBytes : included)),
      files: files ?? standard.files,
      retentionMs: retentionMs ?? standard.retentionMs,
    };
  };
  return { anonymous: merge("anonymous"), free: merge("free"), pro: merge("pro") };
}

/** Names for the client commands and the tests of this project, which the server leaves alone. */
const OTHER_NAMES = ["SERVER", "KEY"];

function unknownNames(env: Readonly<Record<string, string | undefined>>): string[] {
  const files = Object.entries<Setting>(SETTINGS).flatMap(([name, { secret }]) => (secret ? [`${name}_FILE`] : []));
  const known = [...Object.keys(SETTINGS), ...files, ...OTHER_NAMES];
  return Object.keys(env)
    .filter((name) => name.startsWith("FILEHOST_"))
    .map((name) => name.slice("FILEHOST_".length))
    .filter((name) => !known.includes(name))
    .map((name) => `FILEHOST_${name} is not a setting of this version. Did you mean FILEHOST_${nearest(name, known)}?`);
}

/** A secret that is short can be guessed, offline, from any link that it signed. */
function weakSecrets({ SECRET }: Partial<Record<SettingName, unknown>>): string[] {
  if (typeof SECRET !== "string" || SECRET.length >= 32) return [];
  return ["FILEHOST_SECRET is short, and can be guessed from the links that it signs: use 32 random characters or more."];
}
