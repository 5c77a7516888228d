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
];
