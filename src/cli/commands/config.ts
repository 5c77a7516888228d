import { defineCommand } from "../command.ts";
import { ALL_SETTINGS } from "../options/option-settings.ts";
import { formatTable } from "../terminal/text.ts";

export const config = defineCommand({
  details: "Secrets are masked. Pass the environment and the flags of `filehost serve` to see the configuration of the server.",
  settings: ALL_SETTINGS,
  examples: ["filehost config", "FILEHOST_DATA=/var/lib/filehost filehost config --json"],
  async run({ load }) {
    const settings = (await load()).settings.map(({ name, value, source, help }) => ({ name, value: value ?? null, source, help }));
    const rows = settings.map(({ name, value, source, help }) => [name, value === null || value === "" ? "-" : value, source, help]);
    return { data: settings, text: formatTable(["NAME", "VALUE", "SOURCE", "MEANING"], rows, "There are no settings.") };
  },
});
