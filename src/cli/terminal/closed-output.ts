import { fstatSync, readFileSync, statSync } from "node:fs";

/** Set for descriptors that the system closes when a program starts: none of them was inherited. */
const O_CLOEXEC = 0o2000000;

/**
 * Whether the shell closed standard output (`>&-`), in whose place the runtime has opened a file that drops everything. Without the files of
 * Linux that say so, false.
 */
export function wasOutputClosed(): boolean {
  try {
    const { rdev } = fstatSync(1);
    if (rdev !== statSync("/dev/null").rdev) return false;
    const [, flags = "0"] = /^flags:\s*([0-7]+)$/m.exec(readFileSync("/proc/self/fdinfo/1", "utf8")) ?? [];
    return (Number.parseInt(flags, 8) & O_CLOEXEC) !== 0;
  } catch {
    return false;
  }
}
