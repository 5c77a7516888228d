import { readFileSync } from "node:fs";

/**
 * Milliseconds since some moment before, which no change of the clock affects. On Linux also the time in which the machine was suspended; elsewhere
 * that of `performance.now`.
 */
export function elapsedMs(): number {
  try {
    const seconds = Number.parseFloat(readFileSync("/proc/uptime", "utf8"));
    if (Number.isFinite(seconds)) return seconds * 1000;
  } catch {
    // Another system.
  }
  return performance.now();
}
