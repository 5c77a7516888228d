import { z } from "zod";
import { DURATION_SYNTAX, MINUTE_MS, parseDuration } from "../lib/text/duration.ts";
import { parseSize, SIZE_SYNTAX } from "../lib/text/parse-size.ts";
import { parseMailAddress, parseSmtpUrl } from "../mail/smtp-settings.ts";
import { type Network, parseNetwork } from "../net/networks.ts";
import { type Plan, parseSellingFee } from "../pay/stripe-settings.ts";
import { formatClamdAddress, parseClamdAddress } from "../scan/clamd/address.ts";
import { logoFile } from "./logo.ts";
import { DEFAULT_RATES, isGeneralRate, MIN_GENERAL_RATE, type RateName } from "./rates.ts";
import { sponsorFile } from "./sponsor-file.ts";

/** Maximum size of a setting in bytes. Sums of larger sizes would not be exact. */
const MAX_BYTES = 1024 ** 5;

/** The advice for an invalid size. */
const SIZE = `write a size such as ${SIZE_SYNTAX}`;

const bytes = z.string().transform((text, context) => {
  const value = parseSize(text);
  if (value !== undefined && value <= MAX_BYTES) return value;
  context.addIssue(`${SIZE}, at most 1024TB`);
  return z.NEVER;
});

/** The shortest `ttl` that can be chosen (limits, "Times"). */
const SHORTEST_RETENTION_MS = 5 * MINUTE_MS;

/** Splits at commas and white space. */
const toList = (text: string): string[] => text.split(/[\s,]+/).filter((item) => item !== "");

const networks = z.string().transform((text, context): readonly Network[] => {
  const parsed: Network[] = [];
  for (const part of toList(text)) {
    const network = parseNetwork(part);
    if (network) parsed.push(network);
    else context.addIssue(`${part} is not a network; write 10.0.0.0/8 or 192.0.2.7`);
  }
  return parsed;
});

const origins = z.string().transform((text, context): readonly string[] =>
  toList(text).map((item) => {
    const url = URL.parse(item);
    // Browsers send it in `Origin` in lower case, without a default port or a slash.
    if (url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin;
    context.addIssue(`${item} is not an origin; write https://app.example.org`);
    return z.NEVER;
  }),
);

const databaseUrl = z
  .string()
  .regex(/^(?:file:.|(?:libsql|https?|wss?):\/\/.)/i, "write file:/path, libsql://host, https://host or http://host");

const httpUrl = z
  .url({ protocol: /^https?$/, error: "write a URL such as https://files.example.org" })
  .refine((url) => !/[?#]/.test(url), "write a URL without a query and a fragment, such as https://files.example.org")
  .transform((url) => url.replace(/\/+$/, ""));

/** A URL without a path. */
const httpOrigin = httpUrl.refine((url) => URL.parse(url)?.origin === url, "write a URL without a path, such as https://api.stripe.com");

/** The site's URL, which has no path: its pages are at the root of their host. */
const siteUrl = httpUrl.refine(
  (url) => URL.parse(url)?.pathname === "/" && !/[?#@]/.test(url),
  "write a URL without a path, a query, a fragment or a password, such as https://files.example.org: pages work only at the root of a host name",
);

/** An OpenID Connect issuer, as the provider writes it: with or without a slash at the end. */
const issuer = z.url({ protocol: /^https?$/, error: "write the provider's issuer, such as https://login.example.org" });

const scopes = z.string().transform((text, context) => {
  const list = toList(text);
  if (!list.includes("openid")) context.addIssue("include openid");
  return list.join(" ");
});

const listen = z.string().transform((text, context) => {
  const match = /^(?:(.*):)?(\d{1,5})$/.exec(text);
  const port = Number(match?.[2]);
  const hostname = (match?.[1] || "127.0.0.1").replace(/^\[|\]$/g, "");
  // An empty name would listen on all addresses.
  if (match && port <= 65535 && hostname !== "") return { hostname, port };
  context.addIssue("write an address and a port, such as 127.0.0.1:8080");
  return z.NEVER;
});

const sizeOrBytes = z
  .union([z.number(), bytes], `${SIZE}, at most 1024TB`)
  .pipe(z.int("write a whole number of bytes").positive("write a size above 0").max(MAX_BYTES, `${SIZE}, at most 1024TB`));
const COUNT = "write a whole number from 1 to 1000000000";
const count = z.int(COUNT).min(1, COUNT).max(1_000_000_000, COUNT);
const rate = (name: RateName) => {
  const least = isGeneralRate(name) ? MIN_GENERAL_RATE : 0;
  const advice = `write a whole number from ${least} to 1000000000`;
  return z.int(advice).min(least, advice).max(1_000_000_000, advice).optional();
};
const rates = z.strictObject(
  Object.fromEntries((Object.keys(DEFAULT_RATES) as RateName[]).map((name) => [name, rate(name)])) as Record<
    RateName,
    ReturnType<typeof rate>
  >,
);
const RETENTION = `write a duration such as ${DURATION_SYNTAX}, at least 5m`;
const retention = z.string(RETENTION).transform((text, context) => {
  const ms = parseDuration(text);
  if (ms !== undefined && ms >= SHORTEST_RETENTION_MS) return ms;
  context.addIssue(RETENTION);
  return z.NEVER;
});

const tierLimits = z.strictObject({
  fileBytes: sizeOrBytes.optional(),
  storageBytes: sizeOrBytes.optional(),
  storageMaxBytes: sizeOrBytes.optional(),
  files: count.optional(),
  retention: retention.optional(),
});

const json = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue("write JSON");
    return z.NEVER;
  }
});

const limits = json.pipe(
  z.strictObject({
    tiers: z.strictObject({ anonymous: tierLimits.optional(), free: tierLimits.optional(), pro: tierLimits.optional() }).optional(),
    bootstrapPoolBytes: sizeOrBytes.optional(),
    rates: rates.optional(),
  }),
);

const sellingFee = z.string().transform((text, context) => {
  const fee = parseSellingFee(text);
  if (fee) return fee;
  context.addIssue("write percent and cents, such as 5%+30, 2.5% or 50");
  return z.NEVER;
});

const PLAN_ID = "write an ID of 1 to 40 letters, digits, - and _";
const plans = json.pipe(
  z
    .array(
      z.strictObject({
        id: z.string().regex(/^[\w-]{1,40}$/, PLAN_ID),
        name: z.string().trim().min(1, "write a name").max(80, "write a name of at most 80 characters"),
        stripePrice: z.string().regex(/^price_\w+$/, "write the ID of a price at Stripe, such as price_1Abc"),
      }),
      'write a list such as [{"id":"pro","name":"Pro","stripePrice":"price_1Abc"}]',
    )
    .max(20, "write at most 20 plans")
    .refine((plans) => new Set(plans.map(({ id }) => id)).size === plans.length, "write each ID once")
    .transform((plans): readonly Plan[] => plans),
);

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "silent"] as const;
const log = z.string().transform((text, context) => {
  const [level = "", format] = text.split(":");
  const known = LOG_LEVELS.find((name) => name === level);
  if (known && (format === undefined || format === "json" || format === "pretty"))
    return { level: known, format: format as "json" | "pretty" | undefined };
  context.addIssue(`write a level (${LOG_LEVELS.join(", ")}), optionally with :json or :pretty`);
  return z.NEVER;
});

const clamdAddress = z.string().transform((text, context) => {
  try {
    return formatClamdAddress(parseClamdAddress(text));
  } catch {
    context.addIssue("write unix:/path or tcp:host:port");
    return z.NEVER;
  }
});
const days = z
  .string()
  .regex(/^\d{1,4}$/, "write a number of days from 0 to 3650")
  .transform(Number)
  .pipe(z.int().max(3650, "write a number of days from 0 to 3650"));
const SCANS = "write a whole number from 1 to 64";
const scanConcurrency = z
  .string()
  .regex(/^\d{1,2}$/, SCANS)
  .transform(Number)
  .pipe(z.int().min(1, SCANS).max(64, SCANS));
/** An idle server alone has almost 64 files open. */
const CONNECTIONS = "write a number of at least 64, or a percentage from 10% to 90%";
const connections = z.string().transform((text, context): { count: number } | { fraction: number } => {
  const [, digits, percent] = /^(\d{1,9})(%?)$/.exec(text) ?? [];
  const value = Number(digits ?? 0);
  if (percent ? value >= 10 && value <= 90 : value >= 64) return percent ? { fraction: value / 100 } : { count: value };
  context.addIssue(CONNECTIONS);
  return z.NEVER;
});
const WAIT = "write whole seconds from 0 to 300";
const waitSeconds = z
  .string()
  .regex(/^\d{1,3}$/, WAIT)
  .transform(Number)
  .pipe(z.int().max(300, WAIT));
const ON_OFF = ["on", "off"] as const;
const onOff = z
  .string()
  .toLowerCase()
  .pipe(z.enum(["on", "off", "true", "false", "1", "0"], "write on or off"))
  .transform((text) => ["on", "true", "1"].includes(text));

const NAME = "write a name of 1 to 40 characters";
const shownName = z
  .string()
  .trim()
  .min(1, NAME)
  .max(40, NAME)
  .regex(/^[^\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]*$/u, "write a name without control characters");
const accent = z
  .string()
  .regex(/^#[0-9a-f]{6}$/i, "write a color such as #0b6b5d")
  .toLowerCase();
const pageUrl = z
  .url({ protocol: /^https?$/, error: "write a URL such as https://example.org/terms" })
  .max(2000, "write a URL of at most 2000 characters");
const contact = z.string().transform((text, context): string => {
  if (z.email().safeParse(text).success) return `mailto:${text}`;
  if (pageUrl.safeParse(text).success) return text;
  context.addIssue("write an email address, or a URL such as https://example.org/abuse");
  return z.NEVER;
});

const SMTP_URL = "write smtps://USER:PASSWORD@HOST, smtp://USER:PASSWORD@HOST:587 (with STARTTLS), or smtp://HOST?tls=off";
const smtpUrl = z.string().transform((text, context) => {
  const server = parseSmtpUrl(text);
  if (server) return server;
  context.addIssue(SMTP_URL);
  return z.NEVER;
});
const mailFrom = z.string().transform((text, context) => {
  const parsed = parseMailAddress(text);
  if (parsed && z.email().safeParse(parsed.address).success) return parsed;
  context.addIssue("write an email address, or one with a name: Files <files@example.org>");
  return z.NEVER;
});

const s3Prefix = z
  .string()
  .regex(/^[A-Za-z0-9!_.*'()/-]{0,200}$/, "use only letters, digits and - _ . /")
  .transform((text) => text.replace(/^\/+|\/+$/g, ""))
  .transform((text) => (text === "" ? "" : `${text}/`));

export interface Setting<T extends z.ZodType = z.ZodType, Default extends string | undefined = string | undefined> {
  /** Parses the setting's text. */
  readonly schema: T;
  /** The default, as text; undefined if the setting may be absent. */
  readonly default: Default;
  /** Whether the value is masked where it is shown, and may be read from a file. */
  readonly secret: boolean;
  readonly help: string;
  /** What shells complete: these words, or the path of a file or folder. */
  readonly suggests?: readonly string[] | "path";
}

const setting = <T extends z.ZodType>(schema: T, defaultText: string, help: string): Setting<T, string> => ({
  schema,
  default: defaultText,
  secret: false,
  help,
});
/** One of a few words. */
const choice = <const Word extends string>(words: readonly [Word, ...Word[]], defaultText: Word, help: string) => ({
  ...setting(z.enum(words, `write ${words.slice(0, -1).join(", ")} or ${words.at(-1)}`), defaultText, help),
  suggests: words,
});
const optional = <T extends z.ZodType>(schema: T, help: string): Setting<T, undefined> => ({
  schema,
  default: undefined,
  secret: false,
  help,
});
const secret = <T extends z.ZodType>(schema: T, help: string): Setting<T, undefined> => ({
  schema,
  default: undefined,
  secret: true,
  help,
});

/** Every setting by its environment variable, without `FILEHOST_` (configuration, "Where a setting comes from"). */
export const SETTINGS = {
  LISTEN: setting(listen, "127.0.0.1:8080", "Address and port to listen on; port 0 picks a free one"),
  DATA: {
    ...setting(z.string().min(1), "./data", "Folder for the database, the secret, blobs, staging and quarantine"),
    suggests: "path",
  },
  URL: optional(siteUrl, "Public URL of the site, such as https://files.example.org"),
  BASE_URL: optional(httpUrl, "Public URL of the API; default: {URL}/api"),
  MCP_URL: optional(httpUrl, "Public URL of the MCP server; default: {URL}"),
  CONTENT_URL: optional(httpUrl, "URL with a separate host name for the bytes of files"),
  DB_URL: optional(databaseUrl, "URL of the database: file:, libsql://, https:// or http://; default: {DATA}/filehost.db"),
  DB_TOKEN: secret(z.string(), "Token of a remote database"),
  STORAGE: choice(["disk", "s3"], "disk", "Where bytes are stored: disk or s3"),
  S3_ENDPOINT: optional(httpUrl, "URL of the S3-compatible store; default: Amazon's, by region"),
  S3_REGION: setting(z.string().min(1), "us-east-1", "Region of the bucket"),
  S3_BUCKET: optional(z.string().min(1), "Name of the bucket"),
  S3_PREFIX: setting(s3Prefix, "", "Prefix of all object names"),
  S3_ACCESS_KEY_ID: secret(z.string().min(1), "Access key; without it, the AWS SDK searches its default sources"),
  S3_SECRET_ACCESS_KEY: secret(z.string().min(1), "Secret of the access key"),
  S3_PATH_STYLE: {
    ...optional(onOff, "on: the bucket is in the path of the URL, not in the host name; default: on with an endpoint"),
    suggests: ON_OFF,
  },
  S3_UPLOADS: choice(
    ["auto", "direct", "proxy"],
    "auto",
    "How parts reach the store: direct, proxy (through the server), or auto (direct if the store is safe for it)",
  ),
  S3_DOWNLOADS: choice(
    ["redirect", "proxy"],
    "redirect",
    "How downloads reach clients: redirect (from the store) or proxy (through the server)",
  ),
  MIN_FREE: setting(bytes, "1GB", "Free disk space that uploads must leave"),
  SCANNER: choice(["auto", "clamd", "off"], "auto", "Malware scanner: auto, clamd or off"),
  CLAMD: optional(clamdAddress, "Address of clamd, unix:/path or tcp:host:port; setting it makes a scanner required"),
  SCAN_OVERSIZE: choice(
    ["windows", "block"],
    "windows",
    "Files larger than clamd accepts: scan them in overlapping windows, or block them",
  ),
  SCAN_EARLY: { ...setting(onOff, "on", "on: uploads of 64 MB and more are scanned while they arrive"), suggests: ON_OFF },
  SCAN_CONCURRENCY: optional(scanConcurrency, "Files scanned at the same time; default: clamd's MaxThreads minus one, 2 to 16"),
  QUARANTINE_DAYS: setting(days, "7", "Days for which blocked bytes are kept in quarantine"),
  AUDIT_LOG_DAYS: setting(days, "365", "Days for which entries of the audit log are kept"),
  KEEP_ADDRESSES: setting(days, "0", "Days for which the audit log keeps callers' IP addresses; 0: it does not record them"),
  SECRET: secret(
    z.string().min(16, "use at least 16 characters, preferably 32"),
    "Secret for signing and encryption; default: created on first start",
  ),
  THUMBNAILS: choice(["auto", "off"], "auto", "Thumbnails of images: auto (made where the runtime can decode images) or off"),
  IMPORT_NETWORKS: setting(networks, "", "Non-public networks that imports may connect to"),
  CONNECTIONS: setting(
    connections,
    "80%",
    "Open files and connections above which idle connections are closed: a count, or a percentage of the limit",
  ),
  TRUSTED_PROXIES: setting(networks, "", "Networks whose X-Forwarded-For and Forwarded headers are trusted"),
  WEBHOOK_NETWORKS: setting(networks, "", "Non-public networks that webhooks may connect to"),
  ALLOWED_ORIGINS: setting(origins, "", "Other sites whose pages may make requests that change data"),
  ANONYMOUS: { ...setting(onOff, "on", "off: uploads require a key or a session"), suggests: ON_OFF },
  ENCRYPTED: { ...setting(onOff, "on", "off: files that their senders encrypted are refused"), suggests: ON_OFF },
  SIGNUP: choice(
    ["open", "invite", "closed"],
    "open",
    "Who may create an account: anybody (open), who has an invite (invite), or nobody (closed)",
  ),
  SMTP_URL: secret(smtpUrl, "Server that accepts this site's mail, such as smtps://USER:PASSWORD@mail.example.org"),
  MAIL_FROM: optional(mailFrom, "Sender of this site's mail: an address, or Files <files@example.org>"),
  OIDC_ISSUER: optional(issuer, "Issuer of an OpenID Connect provider with which people sign in"),
  OIDC_CLIENT_ID: optional(z.string().min(1), "Client ID of this server at that provider"),
  OIDC_CLIENT_SECRET: secret(z.string().min(1), "Client secret of this server at that provider"),
  OIDC_NAME: optional(shownName, "Name of that provider on the pages; default: its host name"),
  OIDC_SCOPES: setting(scopes, "openid email profile", "Scopes that this server asks that provider for"),
  OIDC_TWO_STEP: {
    ...setting(onOff, "off", "on: that provider asks for a second step itself, so codes are not asked for after it"),
    suggests: ON_OFF,
  },
  STRIPE_SECRET_KEY: secret(z.string().min(1), "Secret key of your Stripe account; it turns selling on"),
  STRIPE_WEBHOOK_SECRET: secret(
    z.string().min(1).transform(toList),
    "Signing secrets of the webhooks at Stripe that report to this server, with a comma between them",
  ),
  STRIPE_API: setting(httpOrigin, "https://api.stripe.com", "Address of Stripe's API"),
  SELLING_FEE: setting(sellingFee, "0", "What you keep of each sale: percent and cents, such as 5%+30"),
  PLANS: setting(plans, "[]", "JSON: the plans with which people pay for Pro at Stripe"),
  UPGRADE_URL: optional(pageUrl, "URL of a page where people pay for Pro elsewhere"),
  LIMITS: setting(limits, "{}", "JSON that is merged over the default limits"),
  RATE_LIMITS: { ...setting(onOff, "on", "off: disable the general request rate limit"), suggests: ON_OFF },
  NAME: setting(shownName, "filehost", "Name of the site on its pages"),
  LOGO: { ...optional(logoFile, "File with the site's logo: SVG, PNG or WebP, at most 256 KB"), suggests: "path" },
  ACCENT: optional(accent, "Color of buttons and links, such as #0b6b5d; adjusted for contrast"),
  TERMS_URL: optional(pageUrl, "URL of your terms of use, for the footer"),
  PRIVACY_URL: optional(pageUrl, "URL of your privacy policy, for the footer"),
  IMPRINT_URL: optional(pageUrl, "URL of your imprint, for the footer"),
  ABUSE_CONTACT: optional(contact, "Email address or URL for complaints about files"),
  SPONSOR_FILE: { ...optional(sponsorFile, "File with HTML that recipients see if the file's owner is not Pro"), suggests: "path" },
  DOWNLOAD_WAIT: setting(waitSeconds, "0", "Seconds that those recipients wait on the share page before the download"),
  LOG: { ...setting(log, "info", "Log level, optionally with :json or :pretty"), suggests: LOG_LEVELS },
} as const;

export type SettingName = keyof typeof SETTINGS;

/** The setting of a flag: its name, or the name with the suffix of a secret's file. */
export type SettingKey = SettingName | `${SettingName}_FILE`;

/** The parsed settings; those without a default may be absent. */
export type SettingValues = {
  readonly [Name in SettingName]:
    | z.infer<(typeof SETTINGS)[Name]["schema"]>
    | ((typeof SETTINGS)[Name]["default"] extends string ? never : undefined);
};

/** The administrator's limits. */
export type LimitOverrides = z.infer<typeof limits>;

/** The administrator's overrides of tier limits. */
export type TierOverrides = NonNullable<LimitOverrides["tiers"]>;
