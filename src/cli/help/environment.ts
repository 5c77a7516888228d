import type { Command } from "../command.ts";
import { optionsOf } from "../options/options.ts";

/** A name and its explanation. */
export type Row = readonly [name: string, text: string];

/** The variables of commands that use a filehost over HTTP. */
export const CLIENT_ENVIRONMENT: readonly Row[] = [
  ["FILEHOST_SERVER", "The address of the filehost that commands use."],
  ["FILEHOST_PROFILE", "The profile that commands use."],
  ["FILEHOST_KEY, FILEHOST_KEY_FILE", "The API key, or a file that has it."],
  ["FILEHOST_UNLOCK_CODE", "The unlock code or the password of protected shares."],
  ["FILEHOST_SHARE_PASSWORD", "The password with which a new share is protected."],
  ["FILEHOST_PURCHASE_TOKEN", "The purchase token of a priced share."],
  ["FILEHOST_PASSPHRASE", "The passphrase of encrypted files."],
  ["HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY", "The proxy for requests, and the hosts that are reached without it."],
  ["NODE_EXTRA_CA_CERTS", "A file with certificates of further authorities to trust."],
  ["BROWSER", "The program that opens pages."],
  ["XDG_CONFIG_HOME, XDG_STATE_HOME", "The folders of profiles, and of what this device remembers."],
];

/** The variables of every command. */
export const ENVIRONMENT: readonly Row[] = [
  ["FILEHOST_LOG", "With debug or trace, unexpected errors have a stack trace."],
  ["NO_COLOR", "If it is set, nothing is coloured."],
  ["TERM", "With dumb, nothing is coloured, and progress is shown in plain lines."],
  ["TMPDIR", "The folder of temporary files."],
];

/** Whether a command uses a filehost over HTTP. */
export function isClientCommand(command: Command): boolean {
  const options = optionsOf(command);
  return command.settings.length === 0 && ("url" in options || "profile" in options || /^profiles /.test(command.name));
}

/** Returns the variables that a command reads, besides its settings. */
export const environmentOf = (command: Command): readonly Row[] =>
  isClientCommand(command) ? [...CLIENT_ENVIRONMENT, ...ENVIRONMENT] : ENVIRONMENT;
