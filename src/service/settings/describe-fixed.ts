import type { LoadedConfig } from "../../config/load.ts";
import { DEFAULT_RATES } from "../../config/rates.ts";
import { FIXED_RATE_NAMES, type FixedRateName, type SettingPlace } from "../../config/run-time.ts";
import { SETTINGS } from "../../config/settings.ts";
import type { Output } from "../contract.ts";

export type FixedSettingView = Output<"getSettings">["fixed"][number];

const RATE_HELP: Readonly<Record<FixedRateName, string>> = {
  challenges: "Challenges for agents that register, from one IP address",
  mcpGuests: "Requests of MCP clients without a key, from one IP address",
  oauthRequests: "Requests for OAuth tokens and documents, from one IP address",
  clientRegistrations: "Applications that register, from one IP address",
  deviceCodes: "Device codes requested, from one IP address",
  deviceTries: "Device codes that people enter, from one IP address",
  shares: "Empty shipments and submissions, from one IP address",
  importsAnonymous: "Imports without an account, from one IP address",
  importsAgent: "Imports of a free agent",
  importsAgentPro: "Imports of a Pro agent",
  checkouts: "Checkouts of priced shares, from one IP address",
  limitedCheckouts: "Checkouts of a limited share, from one IP address",
  unlockPerAddress: "Wrong codes of a share, from one IP address",
  unlockPerShare: "Wrong codes of a share, from all IP addresses",
  passwordHashes: "Passwords of shares, chosen or entered, from one IP address",
  signUpsPerEmail: "Sign-ups with one email address",
  mailRequests: "Requests for mails, from one IP address",
  mailsPerAccount: "Requests for mails to one email address",
  sentMails: "Mails with a share, of one sender in an hour",
  sentMailsDaily: "Mails with a share, of one sender in a day",
  sentMailsNew: "Mails with a share, of a new account in a day",
  mailsPerRecipient: "Mails with a share to one address, from all senders",
  repeatedMails: "Mails with the same share to one address",
  signIns: "Attempts to sign in, from one IP address",
  passwordTries: "Wrong passwords of an account",
  passkeyChallenges: "Requests to use a passkey, from one IP address",
  aliases: "Aliases of shares that an account asks for",
  usernameChanges: "Changes of the username of an account",
  codeTries: "Wrong two-step codes of an account",
  codeTriesDaily: "Two-step codes of an account, right or wrong",
  webhookTests: "Test events of an account",
};

/** Returns the current values of settings that cannot be changed while the server runs. */
export function describeFixed({ config, findFixed }: LoadedConfig): FixedSettingView[] {
  const describe = (place: SettingPlace) => {
    const fixed = findFixed(place);
    return { source: fixed?.source ?? "default", fixedBy: fixed?.by ?? null, variable: `FILEHOST_${place.setting}` } as const;
  };
  return [
    {
      name: "rate_limits",
      value: config.limitsGeneralRate ? "on" : "off",
      ...describe({ setting: "RATE_LIMITS" }),
      default: SETTINGS.RATE_LIMITS.default,
      windowSeconds: null,
      help: SETTINGS.RATE_LIMITS.help,
    },
    ...FIXED_RATE_NAMES.map((name) => ({
      name: `rates.${name}`,
      value: String(config.rates[name].limit),
      ...describe({ setting: "LIMITS", path: ["rates", name] }),
      default: String(DEFAULT_RATES[name].limit),
      windowSeconds: config.rates[name].windowMs / 1000,
      help: RATE_HELP[name],
    })),
  ];
}
