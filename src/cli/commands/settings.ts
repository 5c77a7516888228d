import { formatLogo, logoFile } from "../../config/logo.ts";
import { formatLimit, isRunTimeName, RUN_TIME_NAMES, runTimeSetting } from "../../config/run-time.ts";
import { invalidField } from "../../errors.ts";
import { settingsContract } from "../../service/settings/contract.ts";
import type { FixedSettingView } from "../../service/settings/describe-fixed.ts";
import type { SettingView } from "../../service/settings/describe-settings.ts";
import { getSettings, updateSettings } from "../../service/settings/manage-settings.ts";
import { administer } from "../administer.ts";
import { defineCommand, type Load, type Result } from "../command.ts";
import { DATA_SETTINGS } from "../options/option-settings.ts";
import { formatTable } from "../terminal/text.ts";
import { withApp } from "../with-app.ts";

const NAME = { help: "The setting, as filehost settings list names it", suggests: RUN_TIME_NAMES } as const;
const VALUES = Object.fromEntries(
  RUN_TIME_NAMES.map((name) => {
    const { kind, choices = [] } = runTimeSetting(name);
    return [name, kind === "image" ? ("path" as const) : choices] as const;
  }),
);

export const settingsList = defineCommand({
  details:
    "Pass the environment of the server, because settings fixed there cannot be changed. The second table lists the settings of the page of settings that only the environment sets; filehost config lists all settings of the environment.",
  settings: DATA_SETTINGS,
  examples: ["filehost settings list", "filehost settings list --json"],
  async run({ load }) {
    const view = await withApp(await load(), (ctx) => administer(ctx, [settingsContract.getSettings, getSettings], {}));
    const rows = view.settings.map(({ name, value, source, fixedBy, help }) => [name, value ?? "-", fixedBy ?? source, help]);
    const fixed = view.fixed.map((setting) => [setting.name, describeFixed(setting), setting.fixedBy ?? setting.source, setting.help]);
    const headings = ["NAME", "VALUE", "SOURCE", "MEANING"];
    const text = [formatTable(headings, rows, ""), formatTable(["FIXED", ...headings.slice(1)], fixed, "")].join("\n");
    return { data: view, text };
  },
});

export const settingsSet = defineCommand({
  args: { NAME, VALUE: { help: "The new value, written as in the environment; of an image the path of a file", suggestsAfter: VALUES } },
  settings: DATA_SETTINGS,
  examples: [
    "filehost settings set signup invite",
    "filehost settings set tiers.free.fileBytes 2GB",
    "filehost settings set logo ./logo.svg",
  ],
  async run({ args, load }) {
    return await change(load, args.NAME, toText(args.NAME, args.VALUE));
  },
});

export const settingsUnset = defineCommand({
  args: { NAME },
  settings: DATA_SETTINGS,
  examples: ["filehost settings unset signup"],
  async run({ args, load }) {
    return await change(load, args.NAME, null);
  },
});

async function change(load: Load, name: string, value: string | null): Promise<Result> {
  const settings = { [name]: value };
  const view = await withApp(await load(), (ctx) => administer(ctx, [settingsContract.updateSettings, updateSettings], { settings }));
  return report(view.settings, name);
}

const describeFixed = ({ value, windowSeconds }: FixedSettingView): string =>
  value + (windowSeconds === null ? "" : ` in ${formatLimit("duration", windowSeconds * 1000)}`);

/** Reads the file of an image. Only the command line accepts a path for it. */
function toText(name: string, value: string): string {
  if (!isRunTimeName(name) || runTimeSetting(name).kind !== "image") return value;
  const { data, error } = logoFile.safeParse(value);
  if (data === undefined) throw invalidField(`settings.${name}`, `The setting ${name} is not valid: ${error?.issues[0]?.message}.`);
  return formatLogo(data.bytes);
}

function report(settings: readonly SettingView[], name: string) {
  const setting = settings.find((setting) => setting.name === name);
  return { data: setting, text: `${name}: ${setting?.value ?? "not set"}\n` };
}
