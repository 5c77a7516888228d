import { authorizeArchive } from "./archives/authorize-archive.ts";
import { authorizeDownload } from "./downloads/authorize-download.ts";
import { deleteFile } from "./files/delete-file.ts";
import { uploadFile } from "./files/upload-file.ts";
import type { Operations } from "./operation.ts";
import { claimFile } from "./ownership/claim-file.ts";
import { setLinkProtection } from "./ownership/set-link-protection.ts";
import { updateShareSettings } from "./ownership/update-share-settings.ts";
import { getHandoff } from "./protection/get-handoff.ts";
import { unlockDownload } from "./protection/unlock-download.ts";
import { getShare } from "./shares/get-share.ts";
import { getHealth } from "./system/get-health.ts";
import { abortMultipart } from "./uploads/abort-multipart.ts";
import { batchPartUrls } from "./uploads/batch-part-urls.ts";
import { completeMultipart } from "./uploads/complete-multipart.ts";
import { getMultipart } from "./uploads/get-multipart.ts";
import { initMultipart } from "./uploads/init-multipart.ts";

/** The list that the compiler holds against the contract. */
export const operations: Operations = {
  uploadFile,
  deleteFile,
  initMultipart,
  batchPartUrls,
  getMultipart,
  completeMultipart,
  abortMultipart,
  getShare,
  authorizeDownload,
  authorizeArchive,
  claimFile,
  setLinkProtection,
  updateShareSettings,
  unlockDownload,
  getHandoff,
  getHealth,
};
