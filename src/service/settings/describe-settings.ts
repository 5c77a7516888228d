import type { Config, LoadedConfig } from "../../config/load.ts";
import { DEFAULT_SITE_LIMITS, formatLimit, RUN_TIME_NAMES, type RunTimeName, runTimeSetting, settingHelp } from "../../config/run-time.ts";
import { SETTINGS } from "../../config/settings.ts";
import type { RunTimeSettingRow } from "../../db/tables/servers.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import type { Output } from "../contract.ts";
import { describeFixed } from "./describe-fixed.ts";

export type SettingsView = Output<"getSettings">;
export type SettingView = SettingsView["settings"][number];

/** Returns the current values and their sources. `stored` has the valid texts of `rows`. */
export function describeSettings(
  loaded: LoadedConfig,
  rows: readonly RunTimeSettingRow[],
  stored: ReadonlyMap<RunTimeName, string>,
): SettingsView {
  const config = loaded.withStored(stored);
  const describe = (name: RunTimeName): SettingView => {
    const definition = runTimeSetting(name);
    const fixed = loaded.findFixed(definition);
    const row = rows.find((row) => row.name === name);
    return {
      name,
      value: valueInForce(name, config, fixed?.text ?? stored.get(name)),
      source: fixed?.source ?? (stored.has(name) ? "database" : "default"),
      fixedBy: fixed?.by ?? null,
      default: defaultText(name),
      kind: definition.kind,
      choices: definition.choices === undefined ? null : [...definition.choices],
      help: settingHelp(name),
      revision: row?.revision ?? 0,
      changedAt: toIso(row?.changed_at ?? null),
    };
  };
  return {
    revision: Math.max(0, ...rows.map(({ revision }) => revision)),
    settings: RUN_TIME_NAMES.map(describe),
    fixed: describeFixed(loaded),
  };
}

function valueInForce(name: RunTimeName, config: Config, text: string | undefined): string | null {
  const definition = runTimeSetting(name);
  if (definition.setting === "LIMITS") return formatLimit(definition.kind, definition.inForce(config));
  if (definition.kind === "image") return config.branding.logo?.name ?? null;
  return text ?? defaultText(name);
}

function defaultText(name: RunTimeName): string | null {
  const definition = runTimeSetting(name);
  if (definition.setting === "LIMITS") return formatLimit(definition.kind, definition.inForce(DEFAULT_SITE_LIMITS));
  return SETTINGS[definition.setting].default ?? null;
}
