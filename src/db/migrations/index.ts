import type { Migration } from "../migrate.ts";
import { initialSchema } from "./0001-schema.ts";
import { shipmentsOfAnyone } from "./0002-shipments-of-anyone.ts";
import { thumbnails } from "./0003-thumbnails.ts";
import { reports } from "./0004-reports.ts";
import { filesByPath } from "./0005-files-by-path.ts";
import { signIn } from "./0006-sign-in.ts";
import { proof } from "./0007-proof.ts";
import { mail } from "./0008-mail.ts";
import { shareLists } from "./0009-share-lists.ts";
import { fileLists } from "./0010-file-lists.ts";
import { requests } from "./0011-requests.ts";
import { auditLog } from "./0012-audit-log.ts";
import { secondFactors } from "./0013-second-factors.ts";
import { publicShares } from "./0014-public-shares.ts";
import { notices } from "./0015-notices.ts";
import { fileStates } from "./0016-file-states.ts";
import { deletedAccounts } from "./0017-deleted-accounts.ts";
import { providerFlows } from "./0018-provider-flows.ts";
import { blocklist } from "./0019-blocklist.ts";
import { blockedFiles } from "./0020-blocked-files.ts";
import { ownerArchives } from "./0021-owner-archives.ts";
import { moderation } from "./0022-moderation.ts";
import { runTimeSettings } from "./0023-run-time-settings.ts";
import { linkCreators } from "./0024-link-creators.ts";
import { passkeys } from "./0025-passkeys.ts";
import { sentNames } from "./0026-sent-names.ts";
import { failedJobs } from "./0027-failed-jobs.ts";
import { emailChanges } from "./0028-email-changes.ts";
import { requestNotices } from "./0029-request-notices.ts";
import { runs } from "./0030-runs.ts";
import { submissions } from "./0031-submissions.ts";
import { claimedAddresses } from "./0032-claimed-addresses.ts";
import { factorSessions } from "./0033-factor-sessions.ts";
import { arrivals } from "./0034-arrivals.ts";
import { provedAddresses } from "./0035-proved-addresses.ts";
import { mcpSessions } from "./0036-mcp-sessions.ts";
import { oauth } from "./0037-oauth.ts";
import { mcpCancellations } from "./0038-mcp-cancellations.ts";
import { mcpQuestions } from "./0039-mcp-questions.ts";
import { consents } from "./0040-consents.ts";
import { deviceCodes } from "./0041-device-codes.ts";
import { applicationAudit } from "./0042-application-audit.ts";
import { unusedClients } from "./0043-unused-clients.ts";
import { encryptedFiles } from "./0044-encrypted-files.ts";
import { selling } from "./0045-selling.ts";
import { paymentReadings } from "./0046-payment-readings.ts";
import { purchaseGrants } from "./0047-purchase-grants.ts";
import { saleThumbnails } from "./0048-sale-thumbnails.ts";
import { grantBudgets } from "./0049-grant-budgets.ts";
import { awaitedSubscriptions } from "./0050-awaited-subscriptions.ts";
import { purchaseIndexes } from "./0051-purchase-indexes.ts";
import { repeatedSecrets } from "./0052-repeated-secrets.ts";
import { purchaseSessions } from "./0053-purchase-sessions.ts";
import { unknownBlobs } from "./0056-unknown-blobs.ts";

/** In the order in which they run. Never edit a released one: add another. */
export const migrations: readonly Migration[] = [
  initialSchema,
  shipmentsOfAnyone,
  thumbnails,
  reports,
  filesByPath,
  signIn,
  proof,
  mail,
  shareLists,
  fileLists,
  requests,
  auditLog,
  secondFactors,
  publicShares,
  notices,
  fileStates,
  deletedAccounts,
  providerFlows,
  blocklist,
  blockedFiles,
  ownerArchives,
  moderation,
  runTimeSettings,
  linkCreators,
  passkeys,
  sentNames,
  failedJobs,
  emailChanges,
  requestNotices,
  runs,
  submissions,
  claimedAddresses,
  factorSessions,
  arrivals,
  provedAddresses,
  mcpSessions,
  oauth,
  mcpCancellations,
  mcpQuestions,
  consents,
  deviceCodes,
  applicationAudit,
  unusedClients,
  encryptedFiles,
  selling,
  paymentReadings,
  purchaseGrants,
  saleThumbnails,
  grantBudgets,
  awaitedSubscriptions,
  purchaseIndexes,
  repeatedSecrets,
  purchaseSessions,
  unknownBlobs,
];
