import type { SpaceGroup } from "./store.ts";

/** How many bytes are promised and not yet written, in all and to each group of uploads. */
export interface PromisedBytes {
  /** Counts bytes, of either sign, for an upload of these groups. */
  add(groups: readonly SpaceGroup[], bytes: number): void;
  /**
   * Why so many more bytes cannot be promised where there are `roomBytes` in all: the disk does not have them, or they pass the share of a
   * group. Undefined where they can.
   */
  refuses(groups: readonly SpaceGroup[], wanted: { readonly moreBytes: number; readonly roomBytes: number }): "disk" | "share" | undefined;
}

/**
 * The groups of an upload lie within each other, the widest first. Each may be promised its share of what the others in the group around it
 * have left: however many take all that they can, the next one finds a share of the rest.
 */
export function createPromisedBytes(): PromisedBytes {
  const totals = new Map<string, number>();
  let allBytes = 0;
  return {
    add(groups, bytes) {
      allBytes += bytes;
      for (const { name } of groups) {
        const total = (totals.get(name) ?? 0) + bytes;
        if (total === 0) totals.delete(name);
        else totals.set(name, total);
      }
    },
    refuses(groups, { moreBytes, roomBytes }) {
      if (allBytes + moreBytes > roomBytes) return "disk";
      let limitBytes = roomBytes;
      let aroundBytes = allBytes;
      for (const { name, share } of groups) {
        const ownBytes = totals.get(name) ?? 0;
        limitBytes = (limitBytes - (aroundBytes - ownBytes)) * share;
        if (ownBytes + moreBytes > limitBytes) return "share";
        aroundBytes = ownBytes;
      }
      return undefined;
    },
  };
}
