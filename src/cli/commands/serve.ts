import { defineCommand } from "../command.ts";
import { ALL_SETTINGS } from "../settings.ts";

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

export const serve = defineCommand({
  name: "serve",
  summary: "Serve the site and the API until stopped",
  details: "A first SIGTERM or SIGINT (Ctrl+C) lets what runs finish, for 30 seconds at most; a second one ends it at once.",
  settings: ALL_SETTINGS,
  examples: ["filehost serve", "filehost serve --listen 0.0.0.0:8080 --data /var/lib/filehost --url https://files.example.org"],
  async run({ load, terminal, asJson }) {
    const loaded = load();
    const stop = new AbortController();
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.on(signal, () => {
        if (stop.signal.aborted) process.exit(EXIT_CODES[signal]);
        stop.abort();
      });
    }
    const { serve: serveUntil } = await import("../../serve.ts");
    // Whoever let the system pick a port learns it here, whatever the log keeps to itself.
    const onListening = (url: string): Promise<void> => terminal.out(asJson ? `${JSON.stringify({ url })}\n` : `${url}\n`);
    await serveUntil(loaded, stop.signal, loaded.config.listen.port === 0 ? { onListening } : {});
    return undefined;
  },
});
