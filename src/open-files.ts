import { readdirSync, readFileSync, statSync } from "node:fs";

const OPEN_FILES = "/proc/self/fd";

/** Of the limit, where the threshold is set higher: what database, scanner and files need. */
const HIGHEST = 0.9;

export interface OpenFileLimits {
  readonly soft: number;
  readonly hard: number;
}

/** How many files and connections this process may have open; undefined where there is no /proc to say it. */
export function readOpenFileLimits(): OpenFileLimits | undefined {
  try {
    const [, soft, hard] = /^Max open files\s+(\S+)\s+(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return soft === undefined || hard === undefined ? undefined : { soft: toLimit(soft), hard: toLimit(hard) };
  } catch {
    return undefined;
  }
}

const toLimit = (text: string): number => (text === "unlimited" ? Number.POSITIVE_INFINITY : Number(text));

/** How many it has open now. Throws EMFILE on Linux before 6.2 where that is all of them. */
export function countOpenFiles(): number {
  // Since Linux 6.2 the size of this folder is the count; before, it was 0.
  return statSync(OPEN_FILES).size || readdirSync(OPEN_FILES).length;
}

/** From where connections are too many: a number of open files and connections, or a share of the process's limit. */
export type ConnectionLimit = { readonly count: number } | { readonly share: number };

/** The number from which connections are too many, of a process that may open `soft` files. */
export function toThreshold(limit: ConnectionLimit, soft: number): number {
  return Math.floor("share" in limit ? soft * limit.share : Math.min(limit.count, soft * HIGHEST));
}
