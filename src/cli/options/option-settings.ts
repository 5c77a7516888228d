import { flagOf } from "../../config/load.ts";
import { SETTINGS, type SettingKey, type SettingName } from "../../config/settings.ts";

/** Every setting; `serve` accepts all of them. */
export const ALL_SETTINGS = Object.keys(SETTINGS) as readonly SettingName[];

/** The settings of the database, the store, the secret and the log, for commands that use them. */
export const DATA_SETTINGS: readonly SettingName[] = ALL_SETTINGS.filter((name) => /^(DATA|DB_.*|STORAGE|S3_.*|SECRET|LOG)$/.test(name));

/** Returns the name of a setting's flag, without its dashes. */
export const flagName = (name: SettingName): string => flagOf(name).slice(2);

/** Maps the flags of settings, without their dashes, to the settings. A secret also has a flag for the path of a file. */
export const settingFlags = (names: readonly SettingName[]): ReadonlyMap<string, SettingKey> =>
  new Map(
    names.flatMap((name): (readonly [string, SettingKey])[] => [
      [flagName(name), name],
      ...(SETTINGS[name].secret ? [[`${flagName(name)}-file`, `${name}_FILE`] as const] : []),
    ]),
  );

/** Returns a line of help for a setting. */
export function describeSetting(name: SettingName): string {
  const { help, default: defaultText, secret } = SETTINGS[name];
  const notes = [
    defaultText ? `default: ${defaultText}` : "",
    secret ? `visible in the process list; prefer --${flagName(name)}-file or FILEHOST_${name}_FILE` : "",
  ];
  return [help, ...notes.filter((note) => note !== "").map((note) => `(${note})`)].join(" ");
}
