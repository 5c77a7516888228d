import { DAY_MS, HOUR_MS, MINUTE_MS } from "../lib/text/duration.ts";

/** `limit` requests per `windowMs`. */
export interface Rate {
  readonly limit: number;
  readonly windowMs: number;
}

/**
 * All rate limits (limits, "Rates"). An administrator overrides a `limit` by name in
 * `FILEHOST_LIMITS`.
 */
export const DEFAULT_RATES = {
  /** All requests without a key, per address. */
  anonymous: { limit: 100, windowMs: MINUTE_MS },
  /** All requests of an account with all its keys. */
  free: { limit: 100, windowMs: MINUTE_MS },
  /** All requests of an account with Pro, with all its keys. */
  pro: { limit: 1000, windowMs: MINUTE_MS },
  /** Challenges, per address. */
  challenges: { limit: 20, windowMs: HOUR_MS },
  /** Requests of MCP clients without a key, in place of the general rate. */
  mcpGuests: { limit: 60, windowMs: MINUTE_MS },
  /** Requests for tokens and documents of OAuth, in place of the general rate: clients on a server send the requests of all their users. */
  oauthRequests: { limit: 1000, windowMs: MINUTE_MS },
  registrations: { limit: 5, windowMs: HOUR_MS },
  /** Registrations of applications for OAuth: applications on a server register for all their users from its address. */
  clientRegistrations: { limit: 30, windowMs: HOUR_MS },
  /** Codes for devices, requested by programs and entered by people. */
  deviceCodes: { limit: 30, windowMs: HOUR_MS },
  deviceTries: { limit: 20, windowMs: 15 * MINUTE_MS },
  /** Empty shipments without a key. */
  shares: { limit: 120, windowMs: HOUR_MS },
  importsAnonymous: { limit: 10, windowMs: HOUR_MS },
  /** Imports, per self-registered agent. */
  importsAgent: { limit: 30, windowMs: HOUR_MS },
  importsAgentPro: { limit: 300, windowMs: HOUR_MS },
  /** Wrong unlock codes per share and address, and per share. Above the second limit, each attempt requires a proof of work. */
  unlockPerAddress: { limit: 10, windowMs: 15 * MINUTE_MS },
  unlockPerShare: { limit: 1000, windowMs: HOUR_MS },
  /** Passwords of shares that are hashed, chosen or entered, right or wrong: each hash takes memory and a processor. */
  passwordHashes: { limit: 300, windowMs: HOUR_MS },
  /** Opened checkouts, per address: each reserves a download of a limited share. */
  checkouts: { limit: 30, windowMs: HOUR_MS },
  /** Checkouts of a limited share, per share and address: one address must not keep it sold out. */
  limitedCheckouts: { limit: 6, windowMs: DAY_MS },
  /** Reports of shares, per address. */
  reports: { limit: 5, windowMs: HOUR_MS },
  /** Accounts that people create, per address. An IPv6 /48 may create four times as many. */
  signUps: { limit: 5, windowMs: HOUR_MS },
  /** Accounts that people create, per entered email address, whether it has an account or not. */
  signUpsPerEmail: { limit: 5, windowMs: HOUR_MS },
  /** Mails with a link that people request without a session, per address and per entered email address. */
  mailRequests: { limit: 10, windowMs: HOUR_MS },
  mailsPerAccount: { limit: 3, windowMs: HOUR_MS },
  /** Attempts with a password or passkey per address; with a password also per account until one is right. */
  signIns: { limit: 50, windowMs: 15 * MINUTE_MS },
  passwordTries: { limit: 20, windowMs: 15 * MINUTE_MS },
  /** Challenges for passkeys, per address. Pages that only offer passkeys request them too. */
  passkeyChallenges: { limit: 200, windowMs: 15 * MINUTE_MS },
  /** Usernames that people choose, per account. */
  usernameChanges: { limit: 3, windowMs: 30 * DAY_MS },
  /** Aliases of shares that an account asks for, also those that are taken: nobody can find out many names. */
  aliases: { limit: 30, windowMs: DAY_MS },
  /** Attempts with the code of a second factor, per account: until one is right, and in total. */
  codeTries: { limit: 5, windowMs: 15 * MINUTE_MS },
  codeTriesDaily: { limit: 30, windowMs: DAY_MS },
  /** Mails with a share per sender: in an hour, in a day, and in a day while the account is new. */
  sentMails: { limit: 60, windowMs: HOUR_MS },
  sentMailsDaily: { limit: 200, windowMs: DAY_MS },
  sentMailsNew: { limit: 20, windowMs: DAY_MS },
  /** Mails with a share per address of a recipient, from all senders, and per share and address. */
  mailsPerRecipient: { limit: 10, windowMs: DAY_MS },
  repeatedMails: { limit: 3, windowMs: DAY_MS },
  /** Webhook test events per account. */
  webhookTests: { limit: 10, windowMs: MINUTE_MS },
} as const satisfies Record<string, Rate>;

/** Minimum of the general rates: fewer requests per minute would lock out the administrator who could allow more. */
export const MIN_GENERAL_RATE = 10;

/** Whether a rate is one of all requests. */
export const isGeneralRate = (name: RateName): boolean => name === "anonymous" || name === "free" || name === "pro";

/** Maximum number of open event streams per account, or per address without a key, on each server instance. */
export const MAX_OPEN_STREAMS = 10;

export type RateName = keyof typeof DEFAULT_RATES;
export type Rates = Readonly<Record<RateName, Rate>>;

/** Returns the default rates with the administrator's limits. */
export function mergeRates(overrides: Partial<Record<RateName, number>>): Rates {
  const entries = Object.entries(DEFAULT_RATES).map(([name, rate]) => [
    name,
    { ...rate, limit: overrides[name as RateName] ?? rate.limit },
  ]);
  return Object.fromEntries(entries) as Rates;
}
