import type { Client, ClientOptions } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { type ServerRuntime, toCommand } from "../../../support/server.ts";
import { createMcpClient, type Era } from "./mcp.ts";

export interface StdioClient extends AsyncDisposable {
  readonly client: Client;
  readonly pid: number;
  /** Returns the output of the process on standard error. */
  stderr(): string;
}

export interface StdioOptions {
  readonly era: Era;
  readonly key?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly runtime?: ServerRuntime;
  readonly capabilities?: ClientOptions["capabilities"];
  /** Runs before the client connects, for example to register handlers. */
  prepare?(client: Client): void;
}

/** Starts `filehost mcp` for the server at `url`, and connects the official client. */
export async function connectStdio(
  { url }: { readonly url: string },
  { era, key, args = [], env = {}, runtime = "binary", capabilities, prepare }: StdioOptions,
): Promise<StdioClient> {
  const client = createMcpClient(era, capabilities);
  prepare?.(client);
  const [command = "", ...rest] = toCommand(runtime);
  const transport = new StdioClientTransport({
    command,
    args: [...rest, "mcp", "--url", url, ...args],
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...(key !== undefined && { FILEHOST_KEY: key }), ...env },
    stderr: "pipe",
  });
  let errors = "";
  transport.stderr?.on("data", (chunk) => {
    errors += String(chunk);
  });
  await client.connect(transport);
  return { client, pid: transport.pid ?? 0, stderr: () => errors, [Symbol.asyncDispose]: () => client.close() };
}

interface Progress {
  readonly progress: number;
  readonly total?: number;
}

/**
 * Lists the progress that the process reports from now on. The handler `onprogress` misses some of it: the official client removes it when the result
 * arrives, before it handles progress that arrived together with the result.
 */
export function recordProgress({ client }: StdioClient): readonly Progress[] {
  const { transport } = client;
  const receive = transport?.onmessage;
  if (!transport || !receive) throw new Error("The client is not connected.");
  const recorded: Progress[] = [];
  transport.onmessage = (message, extra) => {
    if ("method" in message && message.method === "notifications/progress") recorded.push(message.params as unknown as Progress);
    receive(message, extra);
  };
  return recorded;
}
