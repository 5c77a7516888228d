import { sql } from "kysely";
import type { Ctx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { findContentHost } from "../../net/content-host.ts";
import { ANONYMOUS_QUOTA_PREFIX, USER_PREFIX } from "../accounts/actor.ts";
import type { AdministratorOperation, Operation } from "../operation.ts";
import { countBlocks } from "../scanning/blocklist.ts";
import { countFailures } from "./count-failures.ts";
import { checkHealth } from "./get-health.ts";
import type { Overview } from "./overview-contract.ts";
import { listHistory, sumFailures } from "./record-figures.ts";
import { findUnknownClientAddress } from "./unknown-client-address.ts";

/** `GET /admin/overview`: returns the state of the server, for administrators. */
export const getOverview: AdministratorOperation<"getOverview"> = async (ctx) => {
  const [health, freeBytes, usage, accounts, jobs, failures, blockedDigests, unknownClientAddress] = await Promise.all([
    checkHealth(ctx),
    findFreeBytes(ctx),
    sumUsage(ctx.db, ctx.now()),
    countAccounts(ctx.db),
    countJobsByKind(ctx.db),
    countFailures(ctx.db),
    countBlocks(ctx.db),
    findUnknownClientAddress(ctx),
  ]);
  const usedBytes = usage.reduce((sum, { usedBytes }) => sum + usedBytes, 0);
  const { signUp } = ctx.config;
  return {
    health,
    storage: { freeBytes, usage },
    accounts,
    signUp,
    jobs,
    failures,
    blockedDigests,
    warnings: [...listWarnings(ctx, health), ...(unknownClientAddress === undefined ? [] : (["unknown_client_address"] as const))],
    unknownClientAddress: unknownClientAddress ?? null,
    days: await listHistory(ctx, { usedBytes, failures: sumFailures(failures) }),
  };
};

/** `POST /admin/checks`: runs the checks of `filehost doctor`. */
export const checkInstallation: Operation<"checkInstallation"> = async (ctx) => {
  if (ctx.checkInstallation === undefined)
    throw new AppError("UNAVAILABLE", "This process cannot check the installation. Run `filehost doctor`.");
  const results = await ctx.checkInstallation();
  return { ok: results.every(({ status }) => status !== "fail"), results: [...results] };
};

async function findFreeBytes({ blobs }: Ctx): Promise<number | null> {
  try {
    return (await blobs.check()).freeBytes ?? null;
  } catch {
    // The health of the store reports the reason.
    return null;
  }
}

/** Sums the storage by the current tier of its account. Agents, which share quotas, count as free. */
async function sumUsage(db: Db, nowMs: number): Promise<Overview["storage"]["usage"]> {
  const rows = await db
    .selectFrom("quotas")
    .leftJoin("users", (join) => join.on("quotas.owner", "=", sql<string>`${USER_PREFIX} || users.id`))
    .select(
      sql<"anonymous" | "free" | "pro">`CASE WHEN quotas.owner LIKE ${`${ANONYMOUS_QUOTA_PREFIX}%`} THEN 'anonymous'
        WHEN users.tier = 'pro' AND (users.pro_until IS NULL OR users.pro_until > ${nowMs}) THEN 'pro' ELSE 'free' END`.as("tier"),
    )
    .select(({ fn }) => [fn.sum<number>("used_bytes").as("usedBytes"), fn.sum<number>("file_count").as("files")])
    .groupBy("tier")
    .execute();
  return (["anonymous", "free", "pro"] as const).map((tier) => rows.find((row) => row.tier === tier) ?? { tier, usedBytes: 0, files: 0 });
}

async function countAccounts(db: Db): Promise<Overview["accounts"]> {
  const rows = await db
    .selectFrom("users")
    .select(["role", sql<number>`disabled_at IS NOT NULL`.as("is_disabled")])
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("deleted_at", "is", null)
    .groupBy(["role", "is_disabled"])
    .execute();
  const sum = (matches: (row: (typeof rows)[number]) => boolean): number =>
    rows.filter(matches).reduce((total, { count }) => total + count, 0);
  return {
    people: sum(({ role }) => role !== "agent"),
    administrators: sum(({ role, is_disabled }) => role === "admin" && is_disabled === 0),
    agents: sum(({ role }) => role === "agent"),
    disabled: sum(({ is_disabled }) => is_disabled === 1),
  };
}

async function countJobsByKind(db: Db): Promise<Overview["jobs"]> {
  const rows = await db
    .selectFrom("jobs")
    .select("kind")
    .select(({ fn }) => [
      fn.countAll<number>().as("waiting"),
      fn.count<number>("failed_at").as("failing"),
      fn.min("created_at").as("oldest"),
    ])
    .groupBy("kind")
    .orderBy("kind")
    .execute();
  return rows.map(({ kind, waiting, failing, oldest }) => ({ kind, waiting, failing, oldestAt: toIso(oldest) }));
}

function listWarnings({ config, urls }: Ctx, { checks }: Overview["health"]): Overview["warnings"] {
  return [
    ...(urls.siteUrl.startsWith("https:") ? [] : (["no_tls"] as const)),
    ...(checks.scanner.mode === "clamd" ? [] : (["no_scanner"] as const)),
    ...(config.mail === undefined ? (["no_mail"] as const) : []),
    ...(findContentHost(urls) === undefined ? (["no_content_url"] as const) : []),
  ];
}
