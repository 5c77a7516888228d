import { readFileSync } from "node:fs";

/**
 * Returns the milliseconds since an arbitrary moment, which no change of the clock affects. On Linux they include the time in which the machine was
 * suspended; elsewhere they are the value of `performance.now`.
 */
export function elapsedMs(): number {
  try {
    const seconds = Number.parseFloat(readFileSync("/proc/uptime", "utf8"));
    if (Number.isFinite(seconds)) return seconds * 1000;
  } catch {
    // The system is not Linux.
  }
  return performance.now();
}
