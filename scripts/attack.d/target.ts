import { mkdir, readdir, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { type OwnClamd, startClamd } from "../../test/support/services/clamd.ts";
import type { Cores } from "../bench.d/cores.ts";
import { findFreePort, waitUntilResponds } from "../bench.d/ports.ts";
import type { Processes } from "../bench.d/processes.ts";
import type { Origin } from "./origin.ts";

export interface Arena {
  readonly executable: string;
  readonly dir: string;
  readonly cores: Cores;
  readonly processes: Processes;
  readonly origin: Origin;
}

export interface TargetOptions {
  readonly name: string;
  /** The disk space for uploads. The server's `FILEHOST_MIN_FREE` reserves the rest. */
  readonly roomBytes: number;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The limit of open files of the server's process. */
  readonly openFiles?: number | undefined;
}

/** The server under attack, and its measurements. */
export interface Target extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  readonly clamd: OwnClamd;
  /** Runs a command of the executable with the server's data. */
  run(...args: readonly string[]): Promise<string>;
  /** Returns the disk space of the data folder, in bytes. */
  diskBytes(): Promise<number>;
  /** Returns the free bytes of the disk minus the reserve; negative if the server has used too much. */
  roomBytes(): Promise<number>;
}

/** Starts a server with default settings (rates on), a separate core, a clamd and a new data folder. */
export async function startTarget(arena: Arena, { name, roomBytes, env = {}, openFiles }: TargetOptions): Promise<Target> {
  const { processes, cores, executable } = arena;
  const dataDir = join(arena.dir, name);
  await mkdir(dataDir, { recursive: true });
  const clamd = await startClamd({ settings: { StreamMaxLength: "25M" } });
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const minFreeBytes = Math.max(0, (await freeBytes(dataDir)) - roomBytes);
  const settings = {
    FILEHOST_DATA: dataDir,
    FILEHOST_LISTEN: `127.0.0.1:${port}`,
    FILEHOST_URL: url,
    FILEHOST_MIN_FREE: String(minFreeBytes),
    FILEHOST_TRUSTED_PROXIES: "127.0.0.0/8",
    FILEHOST_IMPORT_NETWORKS: "127.0.0.0/8",
    FILEHOST_WEBHOOK_NETWORKS: "127.0.0.0/8",
    FILEHOST_CLAMD: clamd.unix.kind === "unix" ? `unix:${clamd.unix.path}` : "",
    FILEHOST_LOG: "warn:json",
    ...env,
  };
  const server = processes.start({
    command: "sh",
    args: ["-c", `${openFiles === undefined ? "" : `ulimit -n ${openFiles}; `}exec "$0" serve`, executable],
    env: settings,
    core: cores.server,
    logPath: join(arena.dir, `${name}.log`),
  });
  await waitUntilResponds(`${url}/health/live`, server);
  return {
    url,
    pid: server.pid,
    clamd,
    run: (...args) => processes.run(executable, args, settings),
    diskBytes: () => sizeOf(dataDir),
    roomBytes: async () => (await freeBytes(dataDir)) - minFreeBytes,
    async [Symbol.asyncDispose]() {
      await server.stop();
      await clamd[Symbol.asyncDispose]();
    },
  };
}

async function freeBytes(dir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dir);
  return bavail * bsize;
}

/** Returns the disk usage of all files below a folder, in bytes. Ignores files that are deleted meanwhile. */
async function sizeOf(dir: string): Promise<number> {
  const entries = await readdir(dir, { withFileTypes: true, recursive: true }).catch(() => []);
  const sizes = entries.map(async (entry) => {
    const info = await stat(join(entry.parentPath, entry.name)).catch(() => undefined);
    return info?.isFile() ? info.blocks * 512 : 0;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
