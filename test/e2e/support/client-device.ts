import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { openShareRecords, type ShareRecords } from "../../../src/client/records/share-records.ts";
import { type FaultyProxy, startFaultyProxy } from "../../support/faulty-proxy.ts";
import { makeFolder } from "../../support/folder.ts";
import { runToEnd, type TestServer, toCommand } from "../../support/server.ts";
import { withParts } from "../../support/with-parts.ts";
import type { Upload } from "./api.ts";
import { startPlainServer } from "./plain-server.ts";

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** The standard input; default: none. */
  readonly input?: string;
}

/** A device with a separate home folder, on which the compiled client runs. */
export interface ClientDevice extends AsyncDisposable {
  readonly path: string;
  /** The environment variables of its processes, without a server. */
  readonly env: Readonly<Record<string, string>>;
  /** The shares that the client remembers on the device. */
  readonly shares: ShareRecords;
  /** Writes a file at a path in the home folder, with the folders above it. Resolves to its absolute path. */
  makeFile(path: string, bytes: string | Uint8Array): Promise<string>;
  start(args: readonly string[], options?: RunOptions): ChildProcess;
  /** Runs the client in pipes until it ends. */
  run(args: readonly string[], options?: RunOptions): Promise<Ended>;
  /**
   * Runs the client with `--json`, asserts its exit code, and returns the document on standard output, or the document on standard error after an
   * error.
   */
  runJson<T>(args: readonly string[], options?: RunOptions & { readonly code?: number }): Promise<T>;
}

/** Makes a device. Its disposal removes its folder. */
export async function makeDevice(env: Readonly<Record<string, string>> = {}): Promise<ClientDevice> {
  const folder = await makeFolder();
  const own = {
    PATH: process.env.PATH ?? "",
    HOME: folder.path,
    XDG_CONFIG_HOME: join(folder.path, "config"),
    XDG_STATE_HOME: join(folder.path, "state"),
    ...env,
  };
  const start = (args: readonly string[], { env = {}, input }: RunOptions = {}): ChildProcess => {
    const [command = "", ...prefix] = toCommand("binary");
    const child = spawn(command, [...prefix, ...args], { cwd: folder.path, env: { ...own, ...env } });
    // The client may end before it has read everything.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
    return child;
  };
  const run = (args: readonly string[], options?: RunOptions): Promise<Ended> => runToEnd(start(args, options));
  return {
    path: folder.path,
    env: own,
    shares: openShareRecords(own),
    async makeFile(path, bytes) {
      const file = join(folder.path, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, bytes);
      return file;
    },
    start,
    run,
    async runJson<T>(args: readonly string[], { code = 0, ...options }: RunOptions & { readonly code?: number } = {}) {
      const ended = await run([...args, "--json"], options);
      assert.equal(ended.code, code, `${ended.stdout}${ended.stderr}`);
      return JSON.parse(code === 0 ? ended.stdout : ended.stderr) as T;
    },
    [Symbol.asyncDispose]: folder[Symbol.asyncDispose],
  };
}

/** Returns the short ID in the link that the client prints. */
export const shortIdIn = (stdout: string): string => /\/d\/(\w+)/.exec(stdout)?.[1] ?? assert.fail(stdout);

/** Returns the address of a test's server that is in its links, so that the links belong to the server of the device. */
export const siteOf = ({ url }: { readonly url: string }): string => url.replace("127.0.0.1", "localhost");

/** A server and a device that uses it. */
export type ServerWithDevice<Server extends TestServer = TestServer> = Server & { readonly device: ClientDevice };

/** Awaits a starting server and makes a device that uses it, at the address in its links unless `toEnv` names another. */
export async function withDevice<Server extends TestServer>(
  starting: Promise<Server>,
  toEnv: (server: Server) => Readonly<Record<string, string>> = (server) => ({ FILEHOST_SERVER: siteOf(server) }),
): Promise<ServerWithDevice<Server>> {
  const server = await starting;
  const device = await makeDevice(toEnv(server));
  return withParts(server, { device }, device);
}

/** A server behind a proxy whose faults the test decides. */
export type ServerBehindProxy = TestServer & { readonly proxy: FaultyProxy };

/** Starts a server, and a proxy in front of it whose faults the test decides. */
export async function startServerBehindProxy(): Promise<ServerBehindProxy> {
  const server = await startPlainServer();
  const proxy = await startFaultyProxy(server.url);
  return withParts(server, { proxy }, proxy);
}

/** Starts a server, a proxy in front of it, and a device that uses the proxy. */
export const startFaultyLine = (): Promise<ServerWithDevice<ServerBehindProxy>> =>
  withDevice(startServerBehindProxy(), ({ proxy }) => ({ FILEHOST_SERVER: proxy.url }));

/** Remembers an anonymous upload on the device, like the client that sent it. */
export const rememberUpload = (device: ClientDevice, server: { readonly url: string }, sent: Upload): Promise<void> =>
  device.shares.add({
    server: server.url,
    shortId: sent.shortId,
    url: sent.shareUrl,
    name: sent.name,
    sizeBytes: sent.size,
    createdAt: sent.createdAt,
    expiresAt: sent.expiresAt,
    fileIds: [sent.id],
    claimToken: sent.claimToken,
    deletionToken: sent.deletionToken,
  });
