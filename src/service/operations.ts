import { getMe } from "./accounts/get-me.ts";
import { createKey, listKeys, revokeKey, rotateKey } from "./accounts/keys.ts";
import { registerAgent, requestChallenge } from "./accounts/register-agent.ts";
import { deleteMe, deleteUser } from "./administration/delete-account.ts";
import { dropFailedJob, dropFailedJobs, listFailedJobs, retryFailedJob, retryFailedJobs } from "./administration/failed-jobs.ts";
import { listAllFiles, rescanFile, rescanFiles } from "./administration/files.ts";
import { dismissReport, getReport, listReports, takeDownReported } from "./administration/reports.ts";
import { resetPassword } from "./administration/reset-password.ts";
import { restoreTakenDown, takeDownShare } from "./administration/take-down.ts";
import { restoreFile, restoreFiles, takeDownFile, takeDownFiles } from "./administration/take-down-file.ts";
import { updateMe } from "./administration/update-me.ts";
import {
  addUser,
  changeUser,
  createUserResetLink,
  getUserDetails,
  revokeUserKey,
  searchUsers,
  signOutUser,
} from "./administration/users.ts";
import { listAuditLog } from "./audit-log/list-audit-log.ts";
import { createBillingPortal, createUpgradeCheckout } from "./billing/create-upgrade-checkout.ts";
import { authorizeArchive } from "./downloads/authorize-archive.ts";
import { authorizeDownload } from "./downloads/authorize-download.ts";
import { getFile } from "./downloads/get-file.ts";
import { listDownloadEvents } from "./downloads/list-download-events.ts";
import { listShareDownloads } from "./downloads/list-share-downloads.ts";
import { archiveFiles } from "./downloads/own-archive.ts";
import { readShareText } from "./downloads/read-share-text.ts";
import { changeFile, moveFiles } from "./files/change-files.ts";
import { claimFile } from "./files/claim-file.ts";
import { closeShare } from "./files/close-share.ts";
import { createFolders } from "./files/create-folders.ts";
import { deleteFile } from "./files/delete-file.ts";
import { deleteFiles, deleteFolder } from "./files/delete-files.ts";
import { changeFolder, createFolder, listFolders } from "./files/folders.ts";
import { getFileInfo } from "./files/get-file-info.ts";
import { listFileIds, listFiles, listRun, listRuns } from "./files/list-files.ts";
import { previewDeletion } from "./files/preview-deletion.ts";
import { removeFromList, shareAgain } from "./files/share-again.ts";
import { shareFiles } from "./files/share-files.ts";
import { updateShareSettings } from "./files/update-share-settings.ts";
import { importFile } from "./imports/import-file.ts";
import { cancelImport, getImport, watchImport } from "./imports/import-status.ts";
import { initImport } from "./imports/init-import.ts";
import { listNotices, markNoticesRead } from "./notices/list-notices.ts";
import { getNoticeSettings, updateNoticeSettings } from "./notices/notice-settings.ts";
import { disconnectApplication, listApplications } from "./oauth/applications.ts";
import type { Operations } from "./operation.ts";
import { claimPurchase } from "./purchases/claim-purchase.ts";
import { createCheckout } from "./purchases/create-checkout.ts";
import { listSales } from "./purchases/list-sales.ts";
import { refundSale } from "./purchases/refund-sale.ts";
import { listRecipients, removeRecipient } from "./recipients/manage-recipients.ts";
import { sendShare } from "./recipients/send-share.ts";
import { createReport } from "./reports/create-report.ts";
import { createRequest, deleteRequest, listRequests, rotateRequest, updateRequest } from "./requests/manage-requests.ts";
import { getRequest } from "./requests/received-files.ts";
import { getRequestByToken, getSubmission, removeSubmitted } from "./requests/sender-view.ts";
import { openSubmission, unlockRequest } from "./requests/submissions.ts";
import { blockDigests, listBlockedDigests, unblockDigest } from "./scanning/blocklist.ts";
import { connectSeller, getSellerStatus, onboardSeller, openSellerDashboard } from "./selling/connect.ts";
import { getSettings, updateSettings } from "./settings/manage-settings.ts";
import { createShare } from "./shares/create-share.ts";
import { getShare } from "./shares/get-share.ts";
import { listPublicShares } from "./shares/list-public-shares.ts";
import { listShares } from "./shares/list-shares.ts";
import { setLinkProtection } from "./shares/set-link-protection.ts";
import { getHandoff, unlockDownload } from "./shares/unlock-download.ts";
import { confirmTotp, createRecoveryCodes, endTotp, getTotp, resetUserTwoFactor, startTotp } from "./sign-in/authenticator.ts";
import { cancelEmailChange, changeEmail, confirmEmail, getEmail } from "./sign-in/email-change.ts";
import { createInvite, listOpenInvites, revokeInvite } from "./sign-in/manage-invites.ts";
import { disconnect, listConnections } from "./sign-in/oidc/connections.ts";
import { addPasskey, startPasskey } from "./sign-in/passkeys/add-passkey.ts";
import { listPasskeys, removePasskey, renamePasskey } from "./sign-in/passkeys/manage-passkeys.ts";
import { proveWithPasskey, signInWithPasskey, startPasskeyProof, startPasskeySignIn } from "./sign-in/passkeys/use-passkey.ts";
import { requestPasswordReset } from "./sign-in/password-reset.ts";
import { prove } from "./sign-in/prove.ts";
import { changePassword, listSessions, revokeOtherSessions, revokeSession, signOut } from "./sign-in/sessions.ts";
import { signIn } from "./sign-in/sign-in.ts";
import { signInWithCode } from "./sign-in/sign-in-with-code.ts";
import { signUp } from "./sign-in/sign-up.ts";
import { resendVerification, verifyEmail } from "./sign-in/verification.ts";
import { getCapabilities } from "./system/get-capabilities.ts";
import { getHealth } from "./system/get-health.ts";
import { checkInstallation, getOverview } from "./system/get-overview.ts";
import { abortMultipart } from "./uploads/abort-upload.ts";
import { completeMultipart } from "./uploads/complete-multipart.ts";
import { createDelegation } from "./uploads/create-delegation.ts";
import { batchDelegatedPartUrls, completeDelegatedMultipart, completeDelegation } from "./uploads/delegated-parts.ts";
import { initMultipart } from "./uploads/init-multipart.ts";
import { batchPartUrls } from "./uploads/part-urls.ts";
import { uploadBatch } from "./uploads/upload-batch.ts";
import { uploadFile } from "./uploads/upload-stream.ts";
import { getMultipart } from "./uploads/uploaded-parts.ts";
import { listWebhookDeliveries, retryWebhookDelivery, testWebhook } from "./webhooks/deliveries.ts";
import { createWebhook, deleteWebhook, listWebhooks, rotateWebhookSecret, updateWebhook } from "./webhooks/endpoints.ts";

/** The function of every operation; the compiler checks the list against the contract. */
export const operations: Operations = {
  takeDownShare,
  restoreTakenDown,
  listReports,
  getReport,
  dismissReport,
  takeDownReported,
  listAllFiles,
  rescanFile,
  takeDownFile,
  restoreFile,
  rescanFiles,
  takeDownFiles,
  restoreFiles,
  listFailedJobs,
  retryFailedJob,
  retryFailedJobs,
  dropFailedJob,
  dropFailedJobs,
  listBlockedDigests,
  blockDigests,
  unblockDigest,
  uploadFile,
  uploadBatch,
  shareFiles,
  shareAgain,
  removeFromList,
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
  createShare,
  listShares,
  listPublicShares,
  closeShare,
  getShare,
  authorizeDownload,
  authorizeArchive,
  readShareText,
  archiveFiles,
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
  listFileIds,
  listRun,
  listRuns,
  getFile,
  changeFile,
  moveFiles,
  deleteFiles,
  previewDeletion,
  getFileInfo,
  listDownloadEvents,
  listShareDownloads,
  sendShare,
  listRecipients,
  removeRecipient,
  createReport,
  createRequest,
  listRequests,
  getRequest,
  updateRequest,
  deleteRequest,
  rotateRequest,
  getRequestByToken,
  unlockRequest,
  openSubmission,
  getSubmission,
  removeSubmitted,
  listFolders,
  createFolder,
  createFolders,
  changeFolder,
  deleteFolder,
  getMe,
  updateMe,
  deleteMe,
  signUp,
  signIn,
  signInWithCode,
  signOut,
  listNotices,
  markNoticesRead,
  getNoticeSettings,
  updateNoticeSettings,
  changePassword,
  requestPasswordReset,
  resetPassword,
  verifyEmail,
  resendVerification,
  getEmail,
  changeEmail,
  confirmEmail,
  cancelEmailChange,
  prove,
  getTotp,
  startTotp,
  confirmTotp,
  endTotp,
  createRecoveryCodes,
  listPasskeys,
  startPasskey,
  addPasskey,
  renamePasskey,
  removePasskey,
  startPasskeySignIn,
  signInWithPasskey,
  startPasskeyProof,
  proveWithPasskey,
  disconnect,
  listConnections,
  disconnectApplication,
  listApplications,
  listSessions,
  revokeOtherSessions,
  revokeSession,
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
  listSales,
  refundSale,
  createUpgradeCheckout,
  createBillingPortal,
  getCapabilities,
  requestChallenge,
  registerAgent,
  getHealth,
  listAuditLog,
  getOverview,
  checkInstallation,
  getSettings,
  updateSettings,
  createUserResetLink,
  searchUsers,
  addUser,
  getUserDetails,
  changeUser,
  deleteUser,
  signOutUser,
  resetUserTwoFactor,
  revokeUserKey,
  listOpenInvites,
  createInvite,
  revokeInvite,
};
