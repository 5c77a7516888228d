import { defineCommand } from "../command.ts";
import { ALL_SETTINGS } from "../options/option-settings.ts";

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

export const serve = defineCommand({
  details:
    "The first SIGTERM or SIGINT (Ctrl-C) shuts down: running requests get up to 30 seconds to finish. The second one exits immediately. SIGHUP is ignored.",
  settings: ALL_SETTINGS,
  examples: ["filehost serve", "filehost serve --listen 0.0.0.0:8080 --data /var/lib/filehost --url https://files.example.org"],
  async run({ load, terminal, json, quiet }) {
    // SIGHUP is ignored until the server installs its own handler.
    process.on("SIGHUP", () => undefined);
    const loaded = await load();
    const stop = new AbortController();
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.on(signal, () => {
        if (stop.signal.aborted) process.exit(EXIT_CODES[signal]);
        stop.abort();
      });
    }
    const { serve: serveUntil } = await import("../../serve.ts");
    const onListening = async (url: string, siteUrl: string): Promise<void> => {
      // With port 0, the chosen port is printed at every log level. A failure to print it does not end the server.
      if (loaded.config.listen.port === 0)
        await (json ? json.line({ type: "listening", url }) : terminal.out(`${url}\n`)).catch(() => undefined);
      // The log of a service has its own line.
      if (terminal.isInteractive && !quiet) await terminal.err(`\nfilehost is running. Open ${siteUrl}\nCtrl-C stops it.\n`);
    };
    await serveUntil(loaded, stop.signal, { onListening });
    return undefined;
  },
});
