import type { FailureReason } from "../../contract/scalars.ts";
import type { FileRow } from "../../db/tables/files.ts";

/** Why a file is unavailable; null where it is not. */
export function toFailureReason({
  scan_status,
  scan_reason,
  failure,
}: Pick<FileRow, "scan_status" | "scan_reason" | "failure">): FailureReason {
  return scan_status === "unavailable" ? (failure ?? scan_reason ?? "scan_failed") : null;
}
