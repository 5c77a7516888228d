import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApp } from "../../src/app.ts";
import { loadConfig } from "../../src/config/load.ts";
import type { Ctx } from "../../src/context.ts";
import type { JobRow } from "../../src/db/tables/jobs.ts";
import { createLogger } from "../../src/log.ts";
import { toPublicUrls } from "../../src/public-urls.ts";
import type { AnonymousActor } from "../../src/service/accounts/actor.ts";
import type { UploadResult } from "../../src/service/files/contract.ts";
import { createClockWatch } from "../../src/service/maintenance/trusted-time.ts";
import { ensurePair } from "../../src/service/storage/store-pair.ts";
import { uploadStream } from "../../src/service/uploads/upload-stream.ts";

/** The current time, which tests set. */
export interface Clock {
  nowMs: number;
}

export interface TestProcesses extends AsyncDisposable {
  readonly clock: Clock;
  readonly dataDir: string;
  /** The context of each process: one database, one store, one clock, separate ids. */
  readonly ctxs: readonly [Ctx, Ctx];
}

/** Opens two applications, as two processes have, on one new data folder, with more settings in `env`. Neither listens. */
export async function openProcesses(env: Readonly<Record<string, string>> = {}): Promise<TestProcesses> {
  const dataDir = await mkdtemp(join(tmpdir(), "filehost-jobs-"));
  const loaded = loadConfig({ FILEHOST_DATA: dataDir, FILEHOST_SCANNER: "off", FILEHOST_LOG: "silent", FILEHOST_MIN_FREE: "1MB", ...env });
  const open = () => createApp({ loaded, urls: toPublicUrls(loaded.config, 80), log: createLogger(loaded.config.log) });
  const clock = { nowMs: Date.now() };
  const [one, other] = [await open(), await open()];
  // The start of a server does the same.
  await ensurePair(one.ctx);
  return {
    clock,
    dataDir,
    ctxs: [atClock(one.ctx, clock), atClock(other.ctx, clock)],
    async [Symbol.asyncDispose]() {
      await other[Symbol.asyncDispose]();
      await one[Symbol.asyncDispose]();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

function atClock(ctx: Ctx, clock: Clock): Ctx {
  const now = () => clock.nowMs;
  // Time passes as the clock says, unless a test watches its changes.
  const watch = createClockWatch({ db: ctx.db, log: ctx.log, now, elapsed: now, others: [] });
  return { ...ctx, now, clock: watch, transaction: (work) => ctx.transaction((inner) => work({ ...inner, now, clock: watch })) };
}

/** Every job, by its subject. */
export async function readJobs(ctx: Ctx): Promise<Readonly<Record<string, JobRow>>> {
  const rows = await ctx.db.selectFrom("jobs").selectAll().execute();
  return Object.fromEntries(rows.map((row) => [row.subject, row]));
}

const ANONYMOUS: AnonymousActor = { kind: "anonymous", tier: "anonymous", quotaOwner: "anon:192.0.2.7" };

/** Uploads a small file, anonymously. */
export async function uploadSmall(
  ctx: Ctx,
  name: string,
  bytes: Uint8Array<ArrayBuffer> = new TextEncoder().encode(`the bytes of ${name}`),
): Promise<UploadResult> {
  const body = new Blob([bytes]).stream();
  const sent = { name, type: "text/plain", sizeBytes: bytes.length, body, publish: {} };
  return await uploadStream(ctx, { actor: ANONYMOUS }, sent);
}
