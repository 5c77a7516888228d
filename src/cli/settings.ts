import { flagOf } from "../config/load.ts";
import { SETTINGS, type SettingKey, type SettingName } from "../config/settings.ts";

/** Every setting: `serve` takes all of them. */
export const ALL_SETTINGS = Object.keys(SETTINGS) as readonly SettingName[];

/** Those that say where the database and the bytes are, for commands that work on them. */
export const DATA_SETTINGS: readonly SettingName[] = ALL_SETTINGS.filter((name) => /^(DATA|DB_.*|STORAGE|S3_.*|SECRET|LOG)$/.test(name));

/** The name of a setting's flag, without its dashes. */
export const flagName = (name: SettingName): string => flagOf(name).slice(2);

/** The flags of settings, without their dashes, and what each sets: a secret's file has one of its own. */
export const settingFlags = (names: readonly SettingName[]): ReadonlyMap<string, SettingKey> =>
  new Map(
    names.flatMap((name): (readonly [string, SettingKey])[] => [
      [flagName(name), name],
      ...(SETTINGS[name].secret ? [[`${flagName(name)}-file`, `${name}_FILE`] as const] : []),
    ]),
  );

/** A line of help for a setting. */
export function describeSetting(name: SettingName): string {
  const { help, standard, secret } = SETTINGS[name];
  const notes = [
    standard ? `default: ${standard}` : "",
    secret ? `others may see it in the list of processes: better --${flagName(name)}-file or FILEHOST_${name}_FILE` : "",
  ];
  return [help, ...notes.filter((note) => note !== "").map((note) => `(${note})`)].join(" ");
}
