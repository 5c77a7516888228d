import type { McpClientView, McpSnippet } from "./view.ts";

/** The name under which programs list this server. */
const NAME = "filehost";

/** The placeholder for a key in texts to copy. */
const KEY = "bc_...";

/** Lists the instructions that connect common programs to `address`, in the form that each program documents (pages, "The page of MCP"). */
export function listMcpClients(address: string): readonly McpClientView[] {
  const quoted = JSON.stringify(address);
  return [
    { id: "claude", name: "Claude", snippets: [] },
    { id: "claudeCode", name: "Claude Code", snippets: [{ text: `claude mcp add --transport http ${NAME} ${address}` }] },
    { id: "chatgpt", name: "ChatGPT", snippets: [] },
    {
      id: "cursor",
      name: "Cursor",
      link: `cursor://anysphere.cursor-deeplink/mcp/install?name=${NAME}&config=${encodeURIComponent(btoa(JSON.stringify({ url: address })))}`,
      snippets: [{ file: "~/.cursor/mcp.json", text: toJson({ mcpServers: { [NAME]: { url: address } } }) }],
    },
    {
      id: "vscode",
      name: "VS Code",
      link: `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: NAME, type: "http", url: address }))}`,
      snippets: [{ text: `code --add-mcp '${JSON.stringify({ name: NAME, type: "http", url: address })}'` }],
    },
    {
      id: "codex",
      name: "Codex",
      snippets: [
        { text: `codex mcp add ${NAME} --url ${address}` },
        { file: "~/.codex/config.toml", text: `[mcp_servers.${NAME}]\nurl = ${quoted}` },
      ],
    },
    { id: "gemini", name: "Gemini CLI", snippets: [{ text: `gemini mcp add --scope user --transport http ${NAME} ${address}` }] },
    { id: "other", snippets: [{ file: "mcp.json", text: toJson({ mcpServers: { [NAME]: { type: "http", url: address } } }) }] },
  ];
}

/** Lists texts with which programs send a key: on the command line, in JSON, and from a variable of the environment. */
export const listKeySnippets = (address: string): readonly McpSnippet[] => [
  { program: "Claude Code", text: `claude mcp add --transport http ${NAME} ${address} --header "Authorization: Bearer ${KEY}"` },
  {
    file: "mcp.json",
    text: toJson({ mcpServers: { [NAME]: { type: "http", url: address, headers: { Authorization: `Bearer ${KEY}` } } } }),
  },
  { program: "Codex", text: `export FILEHOST_KEY=${KEY}\ncodex mcp add ${NAME} --url ${address} --bearer-token-env-var FILEHOST_KEY` },
];

/** Lists texts with which programs start `filehost mcp` on their machine, for `siteUrl`; for guests without a key. */
export function listLocalSnippets(siteUrl: string, { isGuest }: { readonly isGuest: boolean }): readonly McpSnippet[] {
  const args = ["mcp", "--url", siteUrl, "--allow"];
  const server = { command: NAME, args: [...args, "/home/ada/Shared"], ...(!isGuest && { env: { FILEHOST_KEY: KEY } }) };
  return [
    {
      program: "Claude Code",
      text: `claude mcp add ${NAME} ${isGuest ? "" : `--env FILEHOST_KEY=${KEY} `}-- ${NAME} ${args.join(" ")} ~/Shared`,
    },
    { file: "mcp.json", text: toJson({ mcpServers: { [NAME]: server } }) },
  ];
}

const toJson = (value: unknown): string => JSON.stringify(value, null, 2);
