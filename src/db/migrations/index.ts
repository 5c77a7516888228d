import type { Migration } from "../migrate.ts";
import { foundation } from "./0001-foundation.ts";
import { rateWindows } from "./0002-rate-windows.ts";
import { imports } from "./0003-imports.ts";
import { webhooks } from "./0004-webhooks.ts";
import { agents } from "./0005-agents.ts";
import { keptShares } from "./0006-kept-shares.ts";
import { delegations } from "./0007-delegations.ts";
import { foundByIndex } from "./0008-found-by-index.ts";
import { announcedParts } from "./0009-announced-parts.ts";
import { endedPro } from "./0010-ended-pro.ts";
import { fileCounts } from "./0011-file-counts.ts";
import { fairJobs } from "./0012-fair-jobs.ts";
import { proShares } from "./0013-pro-shares.ts";

/** In the order in which they run. Never edit one that has been released: add another. */
export const migrations: readonly Migration[] = [
  foundation,
  rateWindows,
  imports,
  webhooks,
  agents,
  keptShares,
  delegations,
  foundByIndex,
  announcedParts,
  endedPro,
  fileCounts,
  fairJobs,
  proShares,
];
