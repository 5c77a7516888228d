import assert from "node:assert/strict";
import { sql } from "kysely";
import { createApp } from "../../../../src/app.ts";
import { loadConfig } from "../../../../src/config/load.ts";
import type { Ctx } from "../../../../src/context.ts";
import type { FileRow } from "../../../../src/db/tables/files.ts";
import { acquireScheduleRun } from "../../../../src/jobs/queue.ts";
import { createLogger } from "../../../../src/log.ts";
import { toPublicUrls } from "../../../../src/public-urls.ts";
import { type AuditReport, audit as auditStore } from "../../../../src/service/maintenance/audit.ts";
import type { CleanupReport } from "../../../../src/service/maintenance/run-cleanup.ts";
import { cleanUp as cleanUpStore } from "../../../../src/service/maintenance/run-cleanup.ts";
import type { TestServer } from "../../../support/server.ts";
import { until } from "../../../support/until.ts";
import { withDatabase } from "./state.ts";

interface DataFolder {
  readonly dataDir: string;
}

/** Runs `work` on a server's database and store like an administration command. The server may be running. */
export async function withServerContext<T>({ dataDir }: DataFolder, work: (ctx: Ctx) => Promise<T>): Promise<T> {
  return await withApp({ FILEHOST_DATA: dataDir, FILEHOST_SCANNER: "off" }, work);
}

/** Calls `work` with a context like `withServerContext`, with all settings of the server. */
export const withConfiguredContext = <T>({ env }: Pick<TestServer, "env">, work: (ctx: Ctx) => Promise<T>): Promise<T> =>
  withApp(env, work);

async function withApp<T>(env: Readonly<Record<string, string>>, work: (ctx: Ctx) => Promise<T>): Promise<T> {
  const loaded = loadConfig({ ...env, FILEHOST_LOG: "silent" });
  await using app = await createApp({ loaded, urls: toPublicUrls(loaded.config, 80), log: createLogger(loaded.config.log) });
  return await work(app.ctx);
}

/** Runs `filehost audit`, whose exit code must be 1 exactly when it finds something. */
export async function audit(server: Pick<TestServer, "run">): Promise<AuditReport> {
  const { code, stdout, stderr } = await server.run(["audit", "--json"]);
  assert.ok(code === 0 || code === 1, stderr);
  const findings: AuditReport = JSON.parse(stdout);
  assert.equal(code, findings.missing.length + findings.orphans.length > 0 ? 1 : 0);
  return findings;
}

/** Runs `filehost cleanup --orphans` for all orphans, including new ones. */
export async function cleanUp(server: Pick<TestServer, "run">): Promise<CleanupReport> {
  const { code, stdout, stderr } = await server.run(["cleanup", "--orphans", "--yes", "--json"]);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

/** Asserts that no row lacks its bytes, and that one cleanup removes all orphans. Runs in this process, because the commands take longer to start. */
export async function assertNothingLostOrLeft({ env }: Pick<TestServer, "env">): Promise<void> {
  await withApp(env, async (ctx) => {
    assert.deepEqual((await auditStore(ctx)).missing, []);
    await cleanUpStore(ctx, { dryRun: false, orphans: "all" });
    assert.deepEqual(await auditStore(ctx), { missing: [], orphans: [] });
  });
}

/** Prevents a server from running its scheduled cleanups, so that a test sees expired objects before a cleanup ends them. */
export const holdScheduledCleanup = (server: DataFolder): Promise<void> => holdSchedule(server, ["cleanup", "orphans"]);

/** Prevents a server from running scheduled work. */
export async function holdSchedule(server: DataFolder, names: readonly string[]): Promise<void> {
  await withDatabase(server, async (db) => {
    for (const name of names) {
      // A time in the future would not work, because the server would correct it.
      await acquireScheduleRun(db, name, Date.now());
      await sql`CREATE TRIGGER IF NOT EXISTS ${sql.table(`hold_${name}`)} BEFORE UPDATE ON schedule_runs
        WHEN NEW.name = ${sql.lit(name)} BEGIN SELECT RAISE(IGNORE); END`.execute(db);
    }
  });
}

export async function findFile(server: DataFolder, fileId: string): Promise<FileRow | undefined> {
  return await withServerContext(server, (ctx) => ctx.db.selectFrom("files").selectAll().where("id", "=", fileId).executeTakeFirst());
}

/** Waits until a blocked file is in quarantine, after the change of its status; resolves to its row. */
export async function waitForQuarantine(server: DataFolder, fileId: string): Promise<FileRow> {
  return await until("the file is in quarantine", async () => {
    const file = await findFile(server, fileId);
    return file?.blob_state === "quarantined" ? file : undefined;
  });
}

/** Lists the types and data of a file's events, oldest first. */
export async function eventsOf(server: DataFolder, fileId: string): Promise<readonly { readonly type: string; readonly data: string }[]> {
  return await withServerContext(server, (ctx) =>
    ctx.db.selectFrom("events").select(["type", "data"]).where("file_id", "=", fileId).orderBy("created_at").orderBy("id").execute(),
  );
}
