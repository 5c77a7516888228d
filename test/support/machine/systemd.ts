import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, existsSync, readdirSync, readFileSync, rmdirSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { makeFolder, type TestFolder } from "../folder.ts";
import { until } from "../until.ts";

const SYSTEMD = "/lib/systemd/systemd";
const FILEHOST = resolve(import.meta.dirname, "../../../filehost");

/** The reason why suites with systemd are skipped; undefined if it can be started in separate namespaces. */
export const systemdMissing: string | undefined = findMissing();

function findMissing(): string | undefined {
  if (!existsSync(SYSTEMD)) return "systemd is not installed (Debian: systemd)";
  if (spawnSync("unshare", ["--fork", "--pid", "--mount", "--cgroup", "true"]).status !== 0) return "namespaces can be made by root only";
  return groupRoots().length > 0 ? undefined : "no control groups can be made here";
}

/** Returns the folders in which groups of processes can be created: one for each controller of version 1, or one of version 2. */
function groupRoots(): readonly string[] {
  const mounted = "/sys/fs/cgroup";
  const folders = existsSync(mounted) ? [mounted, ...readdirSync(mounted).map((name) => join(mounted, name))] : [];
  return folders.filter((folder) => existsSync(join(folder, "cgroup.procs")) && isWritable(folder));
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** The targets that a service depends on. */
const TARGETS = ["basic", "sysinit", "shutdown", "umount", "sockets", "paths", "timers", "slices", "network", "network-online"];

/**
 * A script that gives systemd a separate system, of the files that a service needs. `$1`: the folder with `etc`, `state` and `units`; `$2`: the
 * executable; the rest: the folders of the test's groups.
 */
const START = `
set -e
folder=$1 executable=$2
mount --make-rprivate /
mount -t tmpfs tmpfs /run
mount -t proc proc /proc
cp -aL /etc/ld.so.cache /etc/nsswitch.conf /etc/hosts /etc/ssl "$folder/etc/" 2>/dev/null || true
mount --bind "$folder/etc" /etc
mount --bind "$folder/state" /var/lib
mount -t tmpfs tmpfs /usr/local/bin
cp "$executable" /usr/local/bin/filehost
for target in ${TARGETS.join(" ")}; do cp "/lib/systemd/system/$target.target" "$folder/units/"; done
exec env -i container=other SYSTEMD_UNIT_PATH="$folder/units" ${SYSTEMD} --system --unit=filehost.service --log-target=null
`;

export interface RunningUnit extends AsyncDisposable {
  /** Finds the process that the unit started, outside of its namespace. */
  pid(): Promise<number>;
}

let started = 0;

/** Starts systemd in separate namespaces, with this unit as /etc/systemd/system/filehost.service and this file as /etc/filehost.env. */
export async function startUnit(options: { readonly unit: string; readonly environment: string }): Promise<RunningUnit> {
  const folder = await makeFolder();
  for (const name of ["etc", "state", "units"]) await mkdir(join(folder.path, name));
  await writeFile(join(folder.path, "units/filehost.service"), options.unit);
  await writeFile(join(folder.path, "etc/filehost.env"), options.environment, { mode: 0o600 });
  await writeFile(join(folder.path, "etc/passwd"), "root:x:0:0::/root:/bin/sh\nfilehost:x:64123:64123::/:/usr/sbin/nologin\n");
  await writeFile(join(folder.path, "etc/group"), "root:x:0:\nfilehost:x:64123:\n");
  started += 1;
  const groups = groupRoots().map((root) => join(root, `filehost-systemd-${process.pid}-${started}`));
  for (const group of groups) await mkdir(group);
  // The group of a processor set accepts no process before it has processors.
  const enter = groups.map((group) => `echo $$ 2>/dev/null > ${group}/cgroup.procs || true`).join("\n");
  const child = spawn(
    "/bin/sh",
    ["-c", `${enter}\nexec unshare --fork --pid --mount --cgroup --kill-child sh -c "$0" sh "$@"`, START, folder.path, FILEHOST],
    { stdio: ["ignore", "ignore", "inherit"] },
  );
  return {
    pid: () => until("the unit has started", () => discoverServer(child)),
    async [Symbol.asyncDispose]() {
      await end(child, groups, folder);
    },
  };
}

/** Finds the server: the child of systemd, which is the child of `unshare`. */
function discoverServer({ pid = 0, exitCode }: ChildProcess): number | undefined {
  if (exitCode !== null) throw new Error(`systemd ended with ${exitCode}`);
  const [systemd] = childrenOf(pid);
  return systemd === undefined ? undefined : childrenOf(systemd).find((one) => commandOf(one) === "/usr/local/bin/filehost");
}

const childrenOf = (pid: number): readonly number[] =>
  tryRead(`/proc/${pid}/task/${pid}/children`)
    .split(" ")
    .filter((text) => text.trim() !== "")
    .map(Number);

const commandOf = (pid: number): string | undefined => tryRead(`/proc/${pid}/cmdline`).split("\0")[0];

function tryRead(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

async function end(child: ChildProcess, groups: readonly string[], folder: TestFolder): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, "exit");
    // The first process of the namespace ends with `unshare`, and all others end with it.
    child.kill("SIGKILL");
    await exited;
  }
  await until("the groups are empty", () => groups.every(removeGroup) || undefined);
  await folder[Symbol.asyncDispose]();
}

/** Removes a group and its subgroups. Returns false while one has processes. */
function removeGroup(group: string): boolean {
  if (!existsSync(group)) return true;
  const inner = readdirSync(group, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  if (!inner.every(({ name }) => removeGroup(join(group, name)))) return false;
  try {
    rmdirSync(group);
    return true;
  } catch {
    return false;
  }
}
