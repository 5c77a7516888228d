/** How much of an upload is done. */
import type { Upload, UploadedFileState } from "../../site/browser/upload/engine.ts";
import { sumBytes } from "./chosen-files.ts";

/** The number of bytes whose sending takes about as long as storing a file, in addition to its bytes. */
const FILE_COST_BYTES = 64 * 1024;

type Counted = Pick<UploadedFileState, "sizeBytes" | "sentBytes" | "status">;

/** Whether the files are so small that storing them takes longer than sending their bytes, so that their number tells more. */
export const areSmall = (files: readonly Pick<Counted, "sizeBytes">[]): boolean =>
  files.length > 1 && sumBytes(files) < files.length * FILE_COST_BYTES;

export const countSent = (files: readonly Pick<Counted, "status">[]): number => files.filter(({ status }) => status === "sent").length;

/**
 * Returns the part of the upload that is done, from 0 to 1. Bytes that have left the browser are not stored yet, so each file counts with more than
 * its bytes once the server has it.
 */
function toFraction(files: readonly Counted[]): number {
  if (files.length === 0) return 0;
  const done = files.reduce((sum, { sentBytes }) => sum + sentBytes, countSent(files) * FILE_COST_BYTES);
  return done / (sumBytes(files) + files.length * FILE_COST_BYTES);
}

/** Returns the done part in whole percent: 100 only if nothing is being sent. */
export const toPercent = ({ files, isRunning }: { readonly files: readonly Counted[] } & Pick<Upload, "isRunning">): number =>
  Math.min(isRunning ? 99 : 100, Math.floor(toFraction(files) * 100));
