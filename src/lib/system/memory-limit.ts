import { readFileSync } from "node:fs";
import { totalmem } from "node:os";
import { join, relative } from "node:path";

/** The memory that this process may use. */
export interface MemoryLimit {
  readonly bytes: number;
  /** The source of the limit: a control group of Linux, for example of a container or a systemd unit, or the machine. */
  readonly source: "cgroup" | "machine";
}

/** Reads a file as text; throws if it is missing. */
type Read = (path: string) => string;

interface Source {
  readonly read: Read;
  readonly machineBytes: number;
}

/** Files with the limit of a group, of version 2 and of version 1. `memory.high` slows a process down instead of ending it. */
const LIMIT_FILES = { cgroup2: ["memory.max", "memory.high"], cgroup: ["memory.limit_in_bytes"] } as const;

/** Finds the lowest limit: of the process's control group, of an enclosing group, or of the machine. */
export function readMemoryLimit({ read, machineBytes }: Source = FROM_SYSTEM): MemoryLimit {
  const bytes = Math.min(...listGroupLimits(read));
  return bytes < machineBytes ? { bytes, source: "cgroup" } : { bytes: machineBytes, source: "machine" };
}

const FROM_SYSTEM: Source = { read: (path) => readFileSync(path, "utf8"), machineBytes: totalmem() };

function listGroupLimits(read: Read): readonly number[] {
  const [groups, mounts] = ["/proc/self/cgroup", "/proc/self/mountinfo"].map((path) => tryRead(read, path)?.split("\n") ?? []);
  return (mounts ?? []).flatMap((line) => {
    const mount = toMount(line);
    if (!mount) return [];
    const group = (groups ?? []).map((one) => findGroup(one, mount.kind)).find((one) => one !== undefined) ?? "/";
    return foldersOf(mount, group).flatMap((folder) =>
      LIMIT_FILES[mount.kind].map((name) => toBytes(tryRead(read, join(folder, name)))).filter((bytes) => bytes !== undefined),
    );
  });
}

interface Mount {
  readonly kind: keyof typeof LIMIT_FILES;
  /** The mounted group. */
  readonly root: string;
  readonly folder: string;
}

/** Parses a line of mountinfo; undefined unless it mounts groups with the controller of memory. */
function toMount(line: string): Mount | undefined {
  const [before = "", after = ""] = line.split(" - ");
  const [, , , root = "/", folder = "/"] = before.split(" ");
  const [kind, , options = ""] = after.split(" ");
  if (kind === "cgroup2") return { kind, root, folder };
  return kind === "cgroup" && options.split(",").includes("memory") ? { kind, root, folder } : undefined;
}

/** Finds the group in a line of /proc/self/cgroup for a kind of mount. */
function findGroup(line: string, kind: Mount["kind"]): string | undefined {
  const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
  if (controllers === undefined || path === undefined) return undefined;
  const isOfKind = kind === "cgroup2" ? controllers === "" : controllers.split(",").includes("memory");
  return isOfKind ? path : undefined;
}

/**
 * Returns the folders of the group and of its enclosing groups. In a container without its own view, the group's path may be outside of the mount.
 */
function foldersOf({ root, folder }: Mount, group: string): readonly string[] {
  const path = relative(root, group);
  const steps = path.startsWith("..") ? [] : path.split("/").filter((step) => step !== "");
  return [folder, ...steps.map((_, index) => join(folder, ...steps.slice(0, index + 1)))];
}

/** Parses a limit; undefined for `max`, and for the number near 2^63 by which version 1 means no limit. */
function toBytes(text: string | undefined): number | undefined {
  const bytes = Number(text?.trim() || Number.NaN);
  return Number.isFinite(bytes) && bytes > 0 ? bytes : undefined;
}

function tryRead(read: Read, path: string): string | undefined {
  try {
    return read(path);
  } catch {
    return undefined;
  }
}
