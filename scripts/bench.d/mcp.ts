import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MCP_SESSIONS } from "../../src/service/mcp/sessions.ts";
import type { Bench, Contestant, Experiment } from "./bench.ts";
import { authorization, type Filehost, makeOwnerKey, startFilehost } from "./filehost.ts";
import { type WrkTargets, wrkRequestsPerSecond } from "./load.ts";
import { rssMb } from "./processes.ts";
import { findOwnerId, insertShares } from "./rows.ts";

const FILES = 1000;
const PAGE = 50;
/** The forms of the protocol without and with sessions. */
const STATELESS = "2026-07-28";
const STATEFUL = "2025-11-25";

/** Measures calls of tools by 16 clients, against the same operations over HTTP: one file by its code, and a page of 50 files. */
export const toolCalls: Experiment = {
  cases: ["http-file-info", "mcp-file-info", "mcp-file-info-2025", "http-list-files", "mcp-list-files"],
  async prepare(bench, stack) {
    const first = await startFilehost(bench, "tool-calls");
    const key = await makeOwnerKey(bench, first);
    await first.stop();
    const [file] = insertShares(first.dataDir, { count: FILES, ownerId: findOwnerId(first.dataDir) });
    await bench.processes.run("sync", []);
    const host = await startFilehost(bench, "tool-calls");
    stack.defer(() => host.stop());
    const code = file?.shortId ?? "";
    const side = { bench, host, key };
    const sides = [
      await overHttp(side, "http-file-info", `/api/files/info?file_code=${code}`),
      await byTool(side, "mcp-file-info", { version: STATELESS, name: "service_file_info", args: { file_code: code } }),
      await byTool(side, "mcp-file-info-2025", { version: STATEFUL, name: "service_file_info", args: { file_code: code } }),
      await overHttp(side, "http-list-files", `/api/files/list?limit=${PAGE}`),
      await byTool(side, "mcp-list-files", { version: STATELESS, name: "service_list_files", args: { limit: PAGE } }),
    ];
    return sides.filter(({ label }) => bench.options.cases.has(label));
  },
};

interface Side {
  readonly bench: Bench;
  readonly host: Filehost;
  readonly key: string;
}

async function overHttp(side: Side, caseName: string, path: string): Promise<Contestant> {
  const list = join(side.bench.dir, `${caseName}.paths`);
  await writeFile(list, `${path}\n`);
  return contestant(side, caseName, { mode: "rotate", path: list });
}

interface ToolCall {
  readonly version: string;
  readonly name: string;
  readonly args: object;
}

async function byTool(side: Side, caseName: string, { version, name, args }: ToolCall): Promise<Contestant> {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const params = { name, arguments: args, ...(version === STATELESS && { _meta: meta }) };
  const message = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const headers = toHeaders(version, { "mcp-method": "tools/call", "mcp-name": name });
  const response = await fetch(`${side.host.url}/mcp`, {
    method: "POST",
    headers: { ...authorization(side.key), ...headers },
    body: message,
  });
  const text = await response.text();
  // The load only checks statuses, and a refused call has the same status.
  if (!response.ok || !text.includes('"structuredContent"') || text.includes('"isError"'))
    throw new Error(`${name} returned ${response.status}: ${text}`);
  const body = join(side.bench.dir, `${caseName}.json`);
  await writeFile(body, message);
  return contestant(side, caseName, { mode: "post", path: body, prefix: "/mcp", headers: toLines(headers) });
}

const toHeaders = (version: string, named: Readonly<Record<string, string>>): Record<string, string> => ({
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  "mcp-protocol-version": version,
  ...(version === STATELESS && named),
});

const toLines = (headers: Readonly<Record<string, string>>): string[] =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`);

function contestant({ bench, host, key }: Side, caseName: string, targets: WrkTargets): Contestant {
  const headers = [...toLines(authorization(key)), ...(targets.headers ?? [])];
  return {
    label: caseName,
    pid: host.pid,
    async measure() {
      return [{ case: caseName, side: "ours", value: await wrkRequestsPerSecond(bench, host.url, { ...targets, headers }) }];
    },
  };
}

const SESSIONS = "mcp-sessions";
const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: STATEFUL, capabilities: {}, clientInfo: { name: "bench", version: "1" } },
});

/**
 * Measures the memory of the largest allowed number of guest sessions, each of another address, while all are idle. As many ended sessions precede
 * them, so that the memory of the requests themselves does not count.
 */
export const mcpSessions: Experiment = {
  cases: [SESSIONS],
  mostRuns: 5,
  async prepare(bench) {
    return [
      {
        label: "ours",
        async measure() {
          const host = await startFilehost(bench, SESSIONS, { FILEHOST_TRUSTED_PROXIES: "127.0.0.1" });
          for (let round = 0; round < 3; round++) for (const session of await openSessions(host)) await endSession(host, session);
          const before = await rssMb(host.pid);
          const sessions = await openSessions(host);
          const value = (await rssMb(host.pid)) - before;
          for (const session of sessions) await endSession(host, session);
          await host.stop();
          return [{ case: SESSIONS, side: "ours", value }];
        },
      },
    ];
  },
};

interface Session {
  readonly id: string;
  readonly address: string;
}

async function openSessions(host: Filehost): Promise<Session[]> {
  const sessions: Session[] = [];
  for (let n = 0; n < MCP_SESSIONS.all; n++) {
    const address = `203.0.${n >> 8}.${n & 255}`;
    const response = await fetch(`${host.url}/mcp/guest`, {
      method: "POST",
      headers: { ...toHeaders(STATEFUL, {}), "x-forwarded-for": address },
      body: INITIALIZE,
    });
    const text = await response.text();
    const id = response.headers.get("mcp-session-id");
    if (id === null) throw new Error(`initialize returned ${response.status}: ${text}`);
    sessions.push({ id, address });
  }
  return sessions;
}

async function endSession(host: Filehost, { id, address }: Session): Promise<void> {
  const response = await fetch(`${host.url}/mcp/guest`, {
    method: "DELETE",
    headers: { "mcp-session-id": id, "x-forwarded-for": address },
  });
  if (response.status !== 204) throw new Error(`ending a session returned ${response.status}: ${await response.text()}`);
}
