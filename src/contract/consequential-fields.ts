/**
 * Names of fields that programs for other file hosts send, and that change money, rights or lifetime. A write without such a field refuses it
 * (envelopes and errors, "Unknown fields"). Written in lower case without `_`, `-` and spaces; `others` match names of the same kind that programs
 * vary.
 */
const CONSEQUENTIAL = {
  money: {
    effect: "a price",
    remedy: "Set priceCents with PATCH /files/share-settings; prices are in US dollars.",
    names: ["amount", "amountcents", "cost", "fee", "paywall", "quantity", "tip", "unitamount"],
    others: /^price|price(?:usd|cents)?$|currenc|^curr?$|coupon|discount|^promo/,
  },
  protection: {
    effect: "who can open it",
    remedy: "Send protect for a share with an unlock code, or password for one of your own, where this request has them.",
    names: [
      ...["passphrase", "passcode", "pass", "pwd", "pin", "pincode", "code", "unlockcode", "accesscode", "protect", "protected", "lock"],
      ...["encrypt", "encryptionkey", "accesskey", "private", "isprivate", "public", "ispublic", "visibility", "acl", "access"],
      ...["requirelogin", "requireauth", "emails", "recipients"],
    ],
    others: /passw|(?:white|black|allow|deny)list|^allowed(?:emails|users|domains)/,
  },
  lifetime: {
    effect: "how long it exists",
    remedy: "Send ttl or expiresAt where this request has them.",
    names: [
      ...["exp", "ttl", "ttlseconds", "ttlhours", "ttldays", "lifetime", "maxage", "maxdays", "validity", "duration", "days", "hours"],
      ...[
        "minutes",
        "time",
        "timetolive",
        "retention",
        "retentiondays",
        "permanent",
        "forever",
        "autodelete",
        "extendttl",
        "notafter",
        "keep",
      ],
      ...["end", "enddate", "endsat", "lifespan"],
    ],
    others:
      /^expir|^keep(?:for|until|days|hours|forever)|until$|^validfor|^(?:delete|remove)(?:after|in|at|on)(?!.*(?:view|read|download))/,
  },
  downloads: {
    effect: "how often it can be downloaded",
    remedy: "Send maxDownloads or once where this request has them.",
    names: [
      ...["downloads", "dlimit", "views", "once", "onetime", "onetimedownload", "oneshot", "singleuse", "singledownload", "selfdestruct"],
      ...["autodestruct", "downloadcount", "limitdownloads", "viewonce", "viewedonce"],
    ],
    others:
      /^max(?:downloads?|dls?|views?|viewers?|uses?|hits|opens)(?:count|limit)?$|^(?:downloads?|dls?|views?|uses?)(?:max|limit|left|allowed)$|^burn|^destroy|^(?:delete|remove)(?:after|on).*(?:view|read|download)/,
  },
  rights: {
    effect: "what it allows",
    remedy: "Send only the fields that the documentation of this request names.",
    names: [
      ...["scope", "scopes", "permission", "permissions", "role", "roles", "readonly", "writeonly", "allowedips"],
      ...["allowedtypes", "maxfiles", "maxfilecount", "filelimit", "maxbytes", "maxsize", "maxfilesize", "maxtotalbytes", "sizelimit"],
      ...["immutable", "locked", "quota"],
    ],
    others: /^ip(?:white|allow)list/,
  },
} as const;

type Group = (typeof CONSEQUENTIAL)[keyof typeof CONSEQUENTIAL];

const GROUPS: readonly Group[] = Object.values(CONSEQUENTIAL);
const GROUPS_BY_NAME: ReadonlyMap<string, Group> = new Map(
  GROUPS.flatMap((group) => group.names.map((name): [string, Group] => [name, group])),
);
/** Groups whose names are ignored in headers. Proxies add such headers, which mean nothing for one upload. */
const NOT_AS_HEADER: ReadonlySet<Group> = new Set([CONSEQUENTIAL.rights]);
/** The prefixes that programs write before the name of a field in a header. */
const HEADER_PREFIX = /^(?:x-)?(?:file-|upload-|linx-|share-)?/;
/** Headers with other meanings, in requests of all kinds. */
const OTHER_HEADERS: ReadonlySet<string> = new Set(["accept-encoding", "pragma", "cache-control"]);

const normalize = (name: string): string => name.toLowerCase().replace(/[\s_-]/g, "");

const findGroup = (normal: string): Group | undefined => GROUPS_BY_NAME.get(normal) ?? GROUPS.find(({ others }) => others.test(normal));

/** Whether ignoring a field of this name could change money, rights or lifetime. */
export const isConsequential = (name: string): boolean => findGroup(normalize(name)) !== undefined;

/** Whether a value requests nothing: null, an empty text or false. */
const isOff = (value: unknown): boolean => value == null || value === "" || value === false || /^(false|off|no)$/i.test(String(value));

/** Whether a value requests only the default: the one currency of prices. */
const isDefault = (group: Group, value: unknown): boolean => group === CONSEQUENTIAL.money && isDollars(value);

/** Whether a value names the US dollar, in any case. */
export const isDollars = (value: unknown): boolean => typeof value === "string" && value.trim().toLowerCase() === "usd";

/** Describes the problem with a field that an operation does not have; undefined if it may be ignored. `known` lists the fields of the operation. */
export function describeConsequential(name: string, value: unknown, known: readonly string[]): string | undefined {
  if (known.includes(name) || isOff(value)) return undefined;
  const normal = normalize(name);
  const group = findGroup(normal);
  if (group === undefined || isDefault(group, value)) return undefined;
  return `this request does not have it, and ignoring it would change ${group.effect}. ${remedyFor(normal, known) ?? group.remedy}`;
}

/** Describes a header of a request that uploads a file, like `describeConsequential` a field. */
export function describeConsequentialHeader(header: string, value: string, known: readonly string[]): string | undefined {
  const lower = header.toLowerCase();
  const name = lower.replace(HEADER_PREFIX, "");
  const group = findGroup(normalize(name));
  if (group === undefined || NOT_AS_HEADER.has(group) || OTHER_HEADERS.has(lower)) return undefined;
  if (isOff(value) || isDefault(group, value)) return undefined;
  const field = known.find((field) => normalize(field) === normalize(name));
  const place = field === "password" ? "form, or as the header X-Password with PUT" : "query or form";
  return `settings are not read from headers, and ignoring it would change ${group.effect}. ${field === undefined ? group.remedy : `Send ${field} in the ${place}.`}`;
}

const remedyFor = (normal: string, known: readonly string[]): string | undefined => {
  const field = known.find((field) => normalize(field) === normal);
  return field && `Its name is ${field}.`;
};
