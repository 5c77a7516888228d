import { mkdir, readdir, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { startClamd, type TestClamd } from "../../test/support/clamd.ts";
import type { Cores } from "../bench.d/cores.ts";
import { findFreePort, waitUntilAnswers } from "../bench.d/ports.ts";
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
  /** What uploads may take of the disk: the rest is the server's `FILEHOST_MIN_FREE`. */
  readonly roomBytes: number;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Most descriptors of the server's process. */
  readonly openFiles?: number | undefined;
}

/** The server under attack, and what is read off it. */
export interface Target extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  readonly clamd: TestClamd;
  /** Runs a command of the same executable on the same data. */
  run(...args: readonly string[]): Promise<string>;
  /** Bytes that the data folder takes on the disk. */
  diskBytes(): Promise<number>;
  /** Free bytes of the disk less those that must stay free; below 0 where the server has taken too much. */
  roomBytes(): Promise<number>;
}

/** Starts a server as shipped (rates on) on a core of its own, with a clamd, over a fresh data folder. */
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
  await waitUntilAnswers(`${url}/health/live`, server);
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

/** Bytes of all files below, as the disk counts them; what goes meanwhile counts nothing. */
async function sizeOf(dir: string): Promise<number> {
  const entries = await readdir(dir, { withFileTypes: true, recursive: true }).catch(() => []);
  const sizes = entries.map(async (entry) => {
    const info = await stat(join(entry.parentPath, entry.name)).catch(() => undefined);
    return info?.isFile() ? info.blocks * 512 : 0;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
