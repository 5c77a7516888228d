import { readdirSync, readFileSync, statSync } from "node:fs";

const OPEN_FILES = "/proc/self/fd";

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
