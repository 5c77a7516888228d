import { PART_SIZE } from "../../contract/scalars.ts";

/** The wished part size, or, where the file would need more than 10,000 of them, the next whole MB that is enough. */
export function partSizeFor(fileBytes: number, wishedBytes: number): number {
  const least = Math.ceil(fileBytes / PART_SIZE.maxParts);
  return least <= wishedBytes ? wishedBytes : Math.ceil(least / PART_SIZE.minBytes) * PART_SIZE.minBytes;
}
