import { closestOf } from "../lib/text/suggestions.ts";
import { SETTINGS, type Setting, type SettingName } from "./settings.ts";

/** Settings of the client commands and of this project's tests, which the server ignores. */
const OTHER_NAMES = ["SERVER", "KEY", "KEY_FILE", "PROFILE", "PASSPHRASE", "UNLOCK_CODE"];
/** Names of settings in other programs, which no edit distance finds. */
const NAMES_ELSEWHERE: Readonly<Record<string, SettingName>> = {
  PORT: "LISTEN",
  HOST: "LISTEN",
  ADDRESS: "LISTEN",
  BIND: "LISTEN",
  BASE_URL: "URL",
};

/** Warns of variables that look like settings. */
export function warnUnknownNames(env: Readonly<Record<string, string | undefined>>): string[] {
  const files = Object.entries<Setting>(SETTINGS).flatMap(([name, { secret }]) => (secret ? [`${name}_FILE`] : []));
  const settings = [...Object.keys(SETTINGS), ...files];
  const known = [...settings, ...OTHER_NAMES];
  return Object.keys(env)
    .filter((name) => name.startsWith("FILEHOST_"))
    .map((name) => name.slice("FILEHOST_".length))
    .filter((name) => !known.includes(name))
    .map((name) => {
      const meant = NAMES_ELSEWHERE[name] ?? closestOf(name, settings);
      return `FILEHOST_${name} is not a setting of this version. Did you mean FILEHOST_${meant}?`;
    });
}

/** Warns of a short secret, which can be guessed offline from any signed URL. */
export function warnWeakSecret({ SECRET }: Partial<Record<SettingName, unknown>>): string[] {
  if (typeof SECRET !== "string" || SECRET.length >= 32) return [];
  return ["FILEHOST_SECRET is short and can be guessed from signed URLs: use at least 32 random characters."];
}
