import { adoptSecret } from "../../service/maintenance/adopt-secret.ts";
import { defineCommand } from "../command.ts";
import { confirmIrreversible, IRREVERSIBLE_OPTIONS } from "../options/irreversible.ts";
import { DATA_SETTINGS } from "../options/option-settings.ts";
import { withApp } from "../with-app.ts";

export const secretsAdopt = defineCommand({
  details: `The server's secret signs links and encrypts the secrets in the database. A server with another secret than the former one does not start.

If the former secret is lost, this command makes the database use the one that is set: FILEHOST_SECRET, or the file "secret" of the data folder, which it creates if there is none. What the former one signed or encrypted stops working. Restart all servers afterwards.`,
  options: IRREVERSIBLE_OPTIONS,
  settings: DATA_SETTINGS,
  examples: ["filehost secrets adopt", "filehost secrets adopt --yes"],
  async run({ options, load, terminal }) {
    const confirm = (): Promise<void> =>
      confirmIrreversible(
        { command: "secrets adopt", options, terminal },
        "Use this secret from now on? Links, codes and tokens of the former one stop working.",
      );
    const changed = await withApp(await load(), (ctx) => adoptSecret(ctx, confirm), { secret: "any" });
    return {
      data: { changed },
      text: "",
      notes: [changed ? "The database now uses this secret. Restart all servers." : "The database already uses this secret."],
    };
  },
});
