import { once } from "node:events";
import { realpath } from "node:fs/promises";
import type { Server } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { openUploadRecords, uploadRecordsFolder } from "../../client/records/upload-records.ts";
import { createRemoteApi, type RemoteApi } from "../../client/server/remote-api.ts";
import type { AppError } from "../../errors.ts";
import { solveChallenge } from "../../lib/secrets/solve-challenge.ts";
import { receiveUncaughtErrors } from "../../lib/system/uncaught-errors.ts";
import { toSingleLine } from "../../lib/text/file-name.ts";
import { createServer, type McpEnvironment, SEND_BY_CURL, SEND_BY_PATH } from "../server.ts";
import { guestTools } from "../tools.ts";
import { resolveAllowedFolders } from "./allowed-folders.ts";
import { wordForAgent } from "./client-advice.ts";
import { stdioTools } from "./stdio-tools.ts";

export interface StdioOptions {
  readonly version: string;
  /** The client of the filehost. Without a key, the caller is a guest until a tool registers an agent. */
  readonly client: { readonly api: RemoteApi; readonly url: string; readonly hasKey: boolean };
  /** The files and folders with secrets, which tools may not use. Missing ones are ignored. */
  readonly secretPaths: readonly string[];
  /** The folders whose files tools may use. */
  readonly allow: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ends the connection. */
  readonly stop: AbortSignal;
  /** Shows a message to the person who runs the command. Standard output contains only the protocol. */
  log(message: string): void;
}

/**
 * Serves one client at standard input and output, until the client closes its end (mcp, "On your own machine"). Throws VALIDATION_FAILED for a folder
 * that cannot be allowed.
 */
export async function serveMcp({ version, client, secretPaths, allow, env, stop, log }: StdioOptions): Promise<void> {
  const folders = await resolveAllowedFolders(allow);
  const { hasKey, url } = client;
  const secrets = await Promise.all(secretPaths.map((path) => realpath(path).catch(() => undefined)));
  let registered: string | undefined;
  const api = hasKey ? client.api : createRemoteApi({ url, key: () => registered, account: () => registered ?? "" });
  const isGuest = (): boolean => !hasKey && registered === undefined;
  const tools = stdioTools({
    api,
    folders,
    secretPaths: secrets.filter((path) => path !== undefined),
    answeredRoots: new Map(),
    records: openUploadRecords(uploadRecordsFolder(env)),
  });
  let server: Server | undefined;
  const environment: McpEnvironment = {
    version,
    sending: folders.length === 0 ? SEND_BY_CURL : SEND_BY_PATH,
    get tools() {
      return isGuest() ? guestTools(tools) : tools;
    },
    ...(!hasKey && { toolsChange: true }),
    api,
    solve: async (challenge, signal) => await solveChallenge(challenge, { caller: "", signal }),
    get hasKey() {
      return !isGuest();
    },
    async keepKey(key) {
      registered = key;
      await server?.sendToolListChanged().catch(() => undefined);
      return "until this MCP server ends";
    },
    requestId: "",
    onError: (error) => logUnexpected(error, log),
    wordError: wordForAgent,
  };
  using _uncaughtErrors = receiveUncaughtErrors(({ error, kind }) => log(`${kind}: ${error.stack ?? error.message}`));
  const transport = new StdioServerTransport();
  const connection = serveStdio(() => (server = createServer(environment)), {
    transport,
    onerror: ({ message }) => log(toSingleLine(message)),
  });
  const closed = new Promise<void>((resolve) => {
    const close = transport.onclose;
    transport.onclose = () => {
      close?.();
      resolve();
    };
  });
  await Promise.race([closed, stop.aborted || once(stop, "abort")]);
  await connection.close();
}

/** Logs an unexpected error. The client gets other errors in its results. */
function logUnexpected({ code, message, cause }: AppError, log: StdioOptions["log"]): void {
  if (code !== "INTERNAL") return;
  log(cause instanceof Error ? (cause.stack ?? cause.message) : toSingleLine(message));
}
