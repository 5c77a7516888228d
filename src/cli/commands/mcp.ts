import { VERSION } from "../../version.ts";
import { defineCommand } from "../command.ts";
import { CLIENT_OPTIONS, openClient } from "../options/client-options.ts";

const CONFIGURATION = `{
  "mcpServers": {
    "filehost": {
      "command": "filehost",
      "args": [
        "mcp",
        "--url", "https://files.example.org",
        "--allow", "/home/ada/Shared"
      ],
      "env": { "FILEHOST_KEY": "bc_..." }
    }
  }
}`;

export const mcp = defineCommand({
  details:
    "An MCP server at standard input and output, which clients such as editors and assistants start. It needs no server on this machine.\n\n" +
    "Without a key it has the tools of guests; the tool service_register_agent then gets one, which this process keeps until it ends.\n\n" +
    "Files of this machine are only used in the folders that --allow names, by absolute paths; hidden ones only if --allow names the hidden folder itself.\n\n" +
    `Add this to the configuration of your client:\n\n${CONFIGURATION}`,
  options: {
    url: CLIENT_OPTIONS.url,
    profile: CLIENT_OPTIONS.profile,
    "key-file": CLIENT_OPTIONS["key-file"],
    allow: {
      kind: "text",
      many: true,
      value: "FOLDER",
      help: "A folder whose files agents may upload, and where they may save files; none without it",
    },
  },
  settings: [],
  examples: [
    "FILEHOST_KEY=bc_... filehost mcp --url https://files.example.org --allow ~/Shared",
    "filehost mcp --url https://files.example.org --key-file ~/.filehost-key",
  ],
  async run({ options, terminal }) {
    const client = await openClient({ command: "mcp", options, terminal, keepsWords: true });
    const stop = new AbortController();
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
    const [{ serveMcp }, { configFolder, stateFolder }] = await Promise.all([
      import("../../mcp/stdio/serve.ts"),
      import("../../client/records/private-files.ts"),
    ]);
    const { env } = terminal;
    await serveMcp({
      client,
      secretPaths: [...(client.keyFile === undefined ? [] : [client.keyFile]), configFolder(env), stateFolder(env)],
      allow: options.allow,
      env,
      version: VERSION,
      stop: stop.signal,
      log: (message) => void terminal.err(`${message}\n`),
    });
    return undefined;
  },
});
