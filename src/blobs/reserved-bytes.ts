import { createKeyedCounter } from "../lib/concurrency/keyed-counter.ts";
import type { SpaceGroup } from "./store.ts";

/** Counts reserved bytes that are not written yet, in total and by group of uploads. */
export interface ReservedBytes {
  readonly totalBytes: number;
  /** Adds bytes, which may be negative, to an upload of these groups. */
  add(groups: readonly SpaceGroup[], bytes: number): void;
  /**
   * Returns the reason why `moreBytes` cannot be reserved out of a total of `roomBytes`: `disk` if too few are left, `group` if a group would exceed
   * its fraction; undefined if they can.
   */
  checkLimit(
    groups: readonly SpaceGroup[],
    wanted: { readonly moreBytes: number; readonly roomBytes: number },
  ): "disk" | "group" | undefined;
}

/**
 * Creates the counts. The groups of an upload are nested, widest first, and each may reserve its fraction of what others in the enclosing group have
 * left, so that a fraction of the rest always remains for the next upload.
 */
export function createReservedBytes(): ReservedBytes {
  const totals = createKeyedCounter();
  let allBytes = 0;
  return {
    get totalBytes() {
      return allBytes;
    },
    add(groups, bytes) {
      allBytes += bytes;
      for (const { name } of groups) totals.add(name, bytes);
    },
    checkLimit(groups, { moreBytes, roomBytes }) {
      if (allBytes + moreBytes > roomBytes) return "disk";
      let limitBytes = roomBytes;
      let enclosingBytes = allBytes;
      for (const { name, fraction } of groups) {
        const ownBytes = totals.get(name);
        limitBytes = (limitBytes - (enclosingBytes - ownBytes)) * fraction;
        if (ownBytes + moreBytes > limitBytes) return "group";
        enclosingBytes = ownBytes;
      }
      return undefined;
    },
  };
}
