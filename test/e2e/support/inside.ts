import assert from "node:assert/strict";
import { toAddresses } from "../../../src/addresses.ts";
import { createApp } from "../../../src/app.ts";
import { loadConfig } from "../../../src/config/load.ts";
import type { Ctx } from "../../../src/context.ts";
import type { FileRow } from "../../../src/db/tables/files.ts";
import type { CleanupReport } from "../../../src/jobs/cleanup/run-cleanup.ts";
import { createLogger } from "../../../src/log.ts";
import type { Findings } from "../../../src/operations/admin/audit.ts";
import type { TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";

interface Kept {
  readonly dataDir: string;
}

/** Works on a server's database and store as a second process does, like the administration commands; the server may run meanwhile. */
export async function inside<T>({ dataDir }: Kept, work: (ctx: Ctx) => Promise<T>): Promise<T> {
  const { config } = loadConfig({ FILEHOST_DATA: dataDir, FILEHOST_SCANNER: "off", FILEHOST_LOG: "silent" });
  await using app = await createApp({ config, addresses: toAddresses(config, 80), log: createLogger(config.log) });
  return await work(app.ctx);
}

/** What `filehost audit` finds; it exits with 1 where that is anything. */
export async function audit(server: Pick<TestServer, "run">): Promise<Findings> {
  const { code, stdout, stderr } = await server.run(["audit", "--json"]);
  assert.ok(code === 0 || code === 1, stderr);
  const findings: Findings = JSON.parse(stdout);
  assert.equal(code, findings.missing.length + findings.orphans.length > 0 ? 1 : 0);
  return findings;
}

/** `filehost cleanup`. */
export async function cleanUp(server: Pick<TestServer, "run">): Promise<CleanupReport> {
  const { code, stdout, stderr } = await server.run(["cleanup", "--json"]);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

/** No row without bytes, ever; and after one cleanup no bytes without a row. */
export async function assertNothingLostOrLeft(server: Pick<TestServer, "run">): Promise<void> {
  assert.deepEqual((await audit(server)).missing, []);
  await cleanUp(server);
  assert.deepEqual(await audit(server), { missing: [], orphans: [] });
}

export async function findFile(server: Kept, fileId: string): Promise<FileRow | undefined> {
  return await inside(server, (ctx) => ctx.db.selectFrom("files").selectAll().where("id", "=", fileId).executeTakeFirst());
}

/** Waits until a file that was blocked is in quarantine, which is after its status says so; resolves to its row. */
export async function putAside(server: Kept, fileId: string): Promise<FileRow> {
  return await until("it is put aside", async () => {
    const file = await findFile(server, fileId);
    return file?.blob_state === "quarantined" ? file : undefined;
  });
}

/** The types of a file's events, in the order in which they were written. */
export async function eventsOf(server: Kept, fileId: string): Promise<readonly { readonly type: string; readonly data: string }[]> {
  return await inside(server, (ctx) =>
    ctx.db.selectFrom("events").select(["type", "data"]).where("file_id", "=", fileId).orderBy("created_at").orderBy("id").execute(),
  );
}
