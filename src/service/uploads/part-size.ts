import { PART_SIZE } from "../../contract/scalars.ts";

/** Chooses the size of a part: `preferredBytes`, or the next whole MB that avoids more than 10,000 parts. */
export function choosePartSize(fileBytes: number, preferredBytes: number): number {
  const minBytes = Math.ceil(fileBytes / PART_SIZE.maxParts);
  return minBytes <= preferredBytes ? preferredBytes : Math.ceil(minBytes / PART_SIZE.minBytes) * PART_SIZE.minBytes;
}
