import assert from "node:assert/strict";
import { createApp } from "../../../src/app.ts";
import { loadConfig } from "../../../src/config/load.ts";
import type { Ctx } from "../../../src/context.ts";
import type { FileRow } from "../../../src/db/schema.ts";
import { type Findings, findMissing, findOrphans } from "../../../src/jobs/cleanup/orphans.ts";
import { type CleanupReport, runCleanup } from "../../../src/jobs/cleanup/run-cleanup.ts";
import { createLogger } from "../../../src/log.ts";

interface Kept {
  readonly dataDir: string;
}

/** Works on a server's database and store from a second process, as the administration commands do; the server may run meanwhile. */
export async function inside<T>({ dataDir }: Kept, work: (ctx: Ctx) => Promise<T>): Promise<T> {
  const { config } = loadConfig({ FILEHOST_DATA: dataDir, FILEHOST_SCANNER: "off", FILEHOST_LOG: "silent" });
  const addresses = {
    siteUrl: "http://localhost",
    baseUrl: "http://localhost/api",
    mcpUrl: "http://localhost",
    contentUrl: "http://localhost",
  };
  await using app = await createApp({ config, addresses, log: createLogger(config.log) });
  return await work(app.ctx);
}

export async function audit(server: Kept): Promise<Findings> {
  return await inside(server, async (ctx) => ({ missing: await toArray(findMissing(ctx)), orphans: await toArray(findOrphans(ctx)) }));
}

export async function cleanUp(server: Kept): Promise<CleanupReport> {
  return await inside(server, (ctx) => runCleanup(ctx, { orphans: true }));
}

/** No row without bytes, ever; and after one cleanup no bytes without a row. */
export async function assertNothingLostOrLeft(server: Kept): Promise<void> {
  assert.deepEqual((await audit(server)).missing, []);
  await cleanUp(server);
  assert.deepEqual(await audit(server), { missing: [], orphans: [] });
}

export async function findFile(server: Kept, fileId: string): Promise<FileRow | undefined> {
  return await inside(server, (ctx) => ctx.db.selectFrom("files").selectAll().where("id", "=", fileId).executeTakeFirst());
}

/** The types of a file's events, in the order in which they were written. */
export async function eventsOf(server: Kept, fileId: string): Promise<readonly { readonly type: string; readonly data: string }[]> {
  return await inside(server, (ctx) =>
    ctx.db.selectFrom("events").select(["type", "data"]).where("file_id", "=", fileId).orderBy("created_at").orderBy("id").execute(),
  );
}

async function toArray<T>(items: AsyncIterable<T>): Promise<T[]> {
  const array: T[] = [];
  for await (const item of items) array.push(item);
  return array;
}
