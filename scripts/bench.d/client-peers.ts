import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Bench } from "./bench.ts";
import { startNginx, webDavMissing } from "./nginx.ts";
import { findFreePort } from "./ports.ts";

/** Another program for uploads and downloads, with a server on the servers' core. */
export interface ClientPeer {
  readonly name: "rclone" | "rsync";
  /** Sends a file or folder, and removes the received files. Resolves to the seconds of the transfer. */
  up(source: string): Promise<number>;
  /** Makes a file or folder available to `down`. */
  offer(source: string): Promise<void>;
  /** Fetches the offered file or folder into an empty folder. */
  down(source: string, folder: string): Promise<number>;
}

/** Starts the installed peers. None of them waits until the bytes are on disk. */
export async function startPeers(bench: Bench, stack: AsyncDisposableStack, names: readonly string[]): Promise<ClientPeer[]> {
  const peers: ClientPeer[] = [];
  if (names.includes("rclone") && !webDavMissing && existsSync("/usr/bin/rclone")) peers.push(await startRclone(bench, stack));
  if (names.includes("rsync") && existsSync("/usr/bin/rsync")) peers.push(await startRsync(bench, stack));
  return peers;
}

/** Starts `rclone copy` with nginx as the WebDAV server, and four simultaneous transfers, the default. */
async function startRclone(bench: Bench, stack: AsyncDisposableStack): Promise<ClientPeer> {
  const nginx = await startNginx(bench, stack, { webDav: true });
  const remote = ["--config", "/dev/null", "--webdav-url", nginx.url, "--webdav-vendor", "other"];
  const copy = async (from: string, to: string) => (await bench.processes.measure("rclone", ["copy", from, to, ...remote])).seconds;
  return peer("rclone", nginx.folder, bench, {
    up: (source) => copy(source, `:webdav:up/${basename(source)}`),
    down: (source, folder) => copy(`:webdav:offered/${basename(source)}`, folder),
  });
}

/** Starts `rsync` with a daemon. Files are sent whole, because there is nothing to compare them with. */
async function startRsync(bench: Bench, stack: AsyncDisposableStack): Promise<ClientPeer> {
  const home = join(bench.dir, "rsync");
  const folder = join(home, "files");
  await mkdir(folder, { recursive: true });
  const configPath = join(home, "rsyncd.conf");
  const user = `uid = ${process.getuid?.() ?? 0}\ngid = ${process.getgid?.() ?? 0}\n`;
  await writeFile(configPath, `use chroot = no\n${user}[files]\npath = ${folder}\nread only = no\n`);
  const port = await findFreePort();
  const daemon = bench.processes.start({
    command: "/usr/bin/rsync",
    args: ["--daemon", "--no-detach", `--config=${configPath}`, `--port=${port}`, "--address=127.0.0.1"],
    core: bench.cores.server,
    logPath: join(home, "output.log"),
  });
  stack.defer(() => daemon.stop());
  const url = `rsync://127.0.0.1:${port}/files`;
  const copy = async (from: string, to: string) => (await bench.processes.measure("rsync", ["-r", "--whole-file", from, to])).seconds;
  await bench.processes.run("sh", ["-c", `until rsync ${url}/ >&2; do [ "$((n += 1))" -lt 100 ] || exit 1; sleep 0.1; done`]);
  return peer("rsync", folder, bench, {
    up: (source) => copy(source, `${url}/up/`),
    down: (source, target) => copy(`${url}/offered/${basename(source)}`, `${target}/`),
  });
}

/** Makes a peer. The server's folder has one folder for received files and one for offered ones. */
async function peer(
  name: ClientPeer["name"],
  folder: string,
  bench: Bench,
  { up, down }: Pick<ClientPeer, "up" | "down">,
): Promise<ClientPeer> {
  await mkdir(join(folder, "up"), { recursive: true });
  return {
    name,
    down,
    async up(source) {
      const seconds = await up(source);
      await rm(join(folder, "up"), { recursive: true });
      await mkdir(join(folder, "up"));
      return seconds;
    },
    async offer(source) {
      await mkdir(join(folder, "offered"), { recursive: true });
      await bench.processes.run("cp", ["-r", source, join(folder, "offered")]);
    },
  };
}
