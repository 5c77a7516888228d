import { defineCommand } from "../command.ts";
import { ALL_SETTINGS } from "../settings.ts";
import { formatTable } from "../text.ts";

export const config = defineCommand({
  name: "config",
  summary: "Show every setting that is in force, and where it comes from",
  details: "Secrets are masked. Given the environment and the flags of `filehost serve`, it shows what that would run with.",
  settings: ALL_SETTINGS,
  examples: ["filehost config", "FILEHOST_DATA=/var/lib/filehost filehost config --json"],
  async run({ load }) {
    const settings = load().settings.map(({ name, value, source, help }) => ({ name, value: value ?? null, source, help }));
    const rows = settings.map(({ name, value, source, help }) => [name, value === null || value === "" ? "-" : value, source, help]);
    return { data: settings, text: formatTable(["NAME", "VALUE", "SOURCE", "MEANING"], rows, "There are no settings.") };
  },
});
