import assert from "node:assert/strict";
import {
  type CallToolResult,
  Client,
  type ClientOptions,
  type RequestOptions,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";

/** The two forms of the protocol: with a session, and without. */
export const ERAS = { "a session": "2025-11-25", "no session": "2026-07-28" } as const;
export type Era = keyof typeof ERAS;

export interface McpClient extends AsyncDisposable {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
}

export interface McpOptions {
  readonly era: Era;
  readonly path?: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly capabilities?: ClientOptions["capabilities"];
  /** Runs before the client connects, for example to register handlers. */
  prepare?(client: Client): void;
}

/** Creates the official client, for one form of the protocol. */
export function createMcpClient(era: Era, capabilities: ClientOptions["capabilities"] = {}): Client {
  const mode = era === "no session" ? { mode: { pin: ERAS[era] } } : { mode: "legacy" as const };
  return new Client({ name: "test", version: "1" }, { versionNegotiation: mode, capabilities });
}

/** Connects the official client. */
export async function connectMcp(
  server: { readonly url: string },
  { era, path = "/mcp", key, headers = {}, capabilities, prepare }: McpOptions,
): Promise<McpClient> {
  const client = createMcpClient(era, capabilities);
  prepare?.(client);
  const transport = new StreamableHTTPClientTransport(new URL(server.url + path), {
    requestInit: { headers: { ...headers, ...(key !== undefined && { Authorization: `Bearer ${key}` }) } },
  });
  await client.connect(transport);
  return { client, transport, [Symbol.asyncDispose]: () => client.close() };
}

export interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
  /** The structured content, or the data in the text of an error. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** Calls a tool. The official client checks the structured content by the tool's output schema. */
export async function callTool(
  { client }: Pick<McpClient, "client">,
  name: string,
  args: Record<string, unknown> = {},
  options: RequestOptions = {},
): Promise<ToolAnswer> {
  const { isError = false, content, structuredContent } = await client.callTool({ name: `service_${name}`, arguments: args }, options);
  return toAnswer({ isError, content, structuredContent });
}

type SentResult = Pick<CallToolResult, "isError" | "content" | "structuredContent">;

/** Reads the result of a tool as a client does: JSON, and a text for the model, which comes first in errors. */
export function toAnswer({ isError = false, content, structuredContent }: SentResult): ToolAnswer {
  const [first = "", second = ""] = content.map((block) => (block.type === "text" ? block.text : ""));
  const [json, text] = isError ? [second, first] : [first, second];
  const data = JSON.parse(json) as Record<string, unknown>;
  if (!isError) assert.deepEqual(data, structuredContent);
  return { isError, text, data };
}

export interface RawMessage {
  readonly era: Era;
  readonly path?: string;
  readonly key?: string;
  readonly message: { readonly method: string; readonly params?: Readonly<Record<string, unknown>> };
  readonly headers?: Readonly<Record<string, string>>;
  /** The body in place of the message. */
  readonly body?: string;
}

/** Sends a message without the official client, with the headers of that client. */
export async function postMessage(
  server: { readonly url: string },
  { era, path = "/mcp", key, message, headers = {}, body = JSON.stringify(message) }: RawMessage,
): Promise<Response> {
  const { name } = message.params ?? {};
  return await fetch(server.url + path, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "Mcp-Protocol-Version": ERAS[era],
      ...(era === "no session" && { "Mcp-Method": message.method, ...(typeof name === "string" && { "Mcp-Name": name }) }),
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      ...headers,
    },
    body,
  });
}

/** Makes a call of a tool as a message of the protocol. */
export function toolMessage(era: Era, name: string, args: object, progressToken?: number) {
  const meta = {
    ...(progressToken !== undefined && { progressToken }),
    ...(era === "no session" && {
      "io.modelcontextprotocol/protocolVersion": ERAS[era],
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    }),
  };
  return { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: `service_${name}`, arguments: args, _meta: meta } };
}

/** A response of the protocol. */
export interface ReceivedMessage {
  readonly jsonrpc: unknown;
  readonly id: unknown;
  readonly result?: SentResult;
  readonly error?: { readonly code: number; readonly message: string };
  /** The code of a filehost error, in place of an error of the protocol. */
  readonly errorCode?: string;
}

/** Reads the last message of a response: its JSON, or the JSON of its last event. */
export function readMessage(body: string): ReceivedMessage {
  const events = [...body.matchAll(/^data: (.*)$/gm)];
  return JSON.parse(events.at(-1)?.[1] ?? body) as ReceivedMessage;
}
