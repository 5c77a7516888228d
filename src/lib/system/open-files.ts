import { readdirSync, readFileSync, statSync } from "node:fs";

const OPEN_FILES = "/proc/self/fd";

/** Maximum threshold, as a fraction of the limit. The database, the scanner and files need the rest. */
const MAX_FRACTION = 0.9;

export interface OpenFileLimits {
  readonly soft: number;
  readonly hard: number;
}

/** Returns the process's limits of open files and connections; undefined on systems without /proc. */
export function readOpenFileLimits(): OpenFileLimits | undefined {
  try {
    const [, soft, hard] = /^Max open files\s+(\S+)\s+(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return soft === undefined || hard === undefined ? undefined : { soft: toLimit(soft), hard: toLimit(hard) };
  } catch {
    return undefined;
  }
}

const toLimit = (text: string): number => (text === "unlimited" ? Number.POSITIVE_INFINITY : Number(text));

/** Counts the open files of this process. Throws EMFILE on Linux before 6.2 if the limit is reached. */
export function countOpenFiles(): number {
  // Since Linux 6.2 the size of this folder is the count; before, it was 0.
  return statSync(OPEN_FILES).size || readdirSync(OPEN_FILES).length;
}

/** The threshold of too many connections: a number of open files and connections, or a fraction of the process's limit. */
export type ConnectionLimit = { readonly count: number } | { readonly fraction: number };

/** Returns the threshold in open files, for a process that may open `soft` files. */
export function toThreshold(limit: ConnectionLimit, soft: number): number {
  return Math.floor("fraction" in limit ? soft * limit.fraction : Math.min(limit.count, soft * MAX_FRACTION));
}
