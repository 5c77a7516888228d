import type { Ctx } from "../../context.ts";
import type { FileItem } from "../../contract/listing.ts";
import type { ListedFile } from "../../db/listing.ts";
import { toFailureReason } from "../files/failure-reason.ts";
import { isActive } from "../shares/is-open.ts";
import { toUploadResult } from "../uploads/upload-result.ts";

/** A file as its owner sees it: what its upload answered, without secrets, and how it is now. */
export function toFileItem(ctx: Ctx, { file, share }: ListedFile): FileItem {
  const hasLapsed = file.status === "active" && share.status === "active" && !isActive(ctx, share);
  return {
    ...toUploadResult(ctx, { file, share, tokens: {} }),
    downloads: file.download_count,
    folderId: file.folder_id,
    visibility: share.visibility,
    unlockRequired: share.unlock_hash !== null,
    status: hasLapsed ? "expired" : file.status,
    failureReason: toFailureReason(file),
  };
}
