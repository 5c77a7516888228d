import { getCapabilities } from "./agents/get-capabilities.ts";
import { registerAgent } from "./agents/register-agent.ts";
import { requestChallenge } from "./agents/request-challenge.ts";
import { authorizeArchive } from "./archives/authorize-archive.ts";
import { createDelegation } from "./delegations/create-delegation.ts";
import { batchDelegatedPartUrls, completeDelegatedMultipart, completeDelegation } from "./delegations/delegated-parts.ts";
import { authorizeDownload } from "./downloads/authorize-download.ts";
import { deleteFile } from "./files/delete-file.ts";
import { uploadFile } from "./files/upload-file.ts";
import { changeFolder } from "./folders/change-folder.ts";
import { createFolder } from "./folders/create-folder.ts";
import { deleteFolder } from "./folders/delete-folder.ts";
import { listFolders } from "./folders/list-folders.ts";
import { cancelImport } from "./imports/cancel-import.ts";
import { getImport } from "./imports/get-import.ts";
import { importFile } from "./imports/import-file.ts";
import { initImport } from "./imports/init-import.ts";
import { watchImport } from "./imports/watch-import.ts";
import { createKey } from "./keys/create-key.ts";
import { getMe } from "./keys/get-me.ts";
import { listKeys } from "./keys/list-keys.ts";
import { revokeKey } from "./keys/revoke-key.ts";
import { rotateKey } from "./keys/rotate-key.ts";
import { getFileInfo } from "./listing/get-file-info.ts";
import { listDownloadEvents } from "./listing/list-download-events.ts";
import { listFiles } from "./listing/list-files.ts";
import { listRun } from "./listing/list-run.ts";
import type { Operations } from "./operation.ts";
import { claimFile } from "./ownership/claim-file.ts";
import { setLinkProtection } from "./ownership/set-link-protection.ts";
import { updateShareSettings } from "./ownership/update-share-settings.ts";
import { getHandoff } from "./protection/get-handoff.ts";
import { unlockDownload } from "./protection/unlock-download.ts";
import { claimPurchase, createCheckout, createUpgradeCheckout } from "./selling/checkout.ts";
import { connectSeller, getSellerStatus, onboardSeller, openSellerDashboard } from "./selling/connect.ts";
import { getShare } from "./shares/get-share.ts";
import { getHealth } from "./system/get-health.ts";
import { abortMultipart } from "./uploads/abort-multipart.ts";
import { batchPartUrls } from "./uploads/batch-part-urls.ts";
import { completeMultipart } from "./uploads/complete-multipart.ts";
import { getMultipart } from "./uploads/get-multipart.ts";
import { initMultipart } from "./uploads/init-multipart.ts";
import { createWebhook } from "./webhooks/create-webhook.ts";
import { deleteWebhook } from "./webhooks/delete-webhook.ts";
import { listWebhookDeliveries } from "./webhooks/list-webhook-deliveries.ts";
import { listWebhooks } from "./webhooks/list-webhooks.ts";
import { retryWebhookDelivery } from "./webhooks/retry-webhook-delivery.ts";
import { rotateWebhookSecret } from "./webhooks/rotate-webhook-secret.ts";
import { testWebhook } from "./webhooks/test-webhook.ts";
import { updateWebhook } from "./webhooks/update-webhook.ts";

/** The list that the compiler holds against the contract. */
export const operations: Operations = {
  uploadFile,
  deleteFile,
  initMultipart,
  batchPartUrls,
  getMultipart,
  completeMultipart,
  abortMultipart,
  importFile,
  initImport,
  getImport,
  watchImport,
  cancelImport,
  getShare,
  authorizeDownload,
  authorizeArchive,
  claimFile,
  setLinkProtection,
  updateShareSettings,
  unlockDownload,
  getHandoff,
  createDelegation,
  batchDelegatedPartUrls,
  completeDelegatedMultipart,
  completeDelegation,
  listWebhooks,
  createWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  testWebhook,
  listWebhookDeliveries,
  retryWebhookDelivery,
  listFiles,
  listRun,
  getFileInfo,
  listDownloadEvents,
  listFolders,
  createFolder,
  changeFolder,
  deleteFolder,
  getMe,
  listKeys,
  createKey,
  revokeKey,
  rotateKey,
  connectSeller,
  getSellerStatus,
  onboardSeller,
  openSellerDashboard,
  createCheckout,
  claimPurchase,
  createUpgradeCheckout,
  getCapabilities,
  requestChallenge,
  registerAgent,
  getHealth,
};
