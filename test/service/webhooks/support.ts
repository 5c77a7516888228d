import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApp } from "../../../src/app.ts";
import { loadConfig } from "../../../src/config/load.ts";
import type { Ctx } from "../../../src/context.ts";
import type { WebhookDeliveryRow, WebhookEndpointRow } from "../../../src/db/tables/events.ts";
import type { JobRow } from "../../../src/db/tables/jobs.ts";
import type { JobKind } from "../../../src/jobs/job.ts";
import { leaseJobs } from "../../../src/jobs/queue.ts";
import { newSecret, newUuid } from "../../../src/lib/secrets/ids.ts";
import { createLogger } from "../../../src/log.ts";
import { parseNetwork } from "../../../src/net/networks.ts";
import type { FileEvent } from "../../../src/service/events/contract.ts";
import { insertEvent } from "../../../src/service/events/outbox.ts";
import { dispatchEvents } from "../../../src/service/webhooks/dispatcher.ts";
import { WEBHOOK_JOB } from "../../../src/service/webhooks/enqueue-endpoint-job.ts";
import { insertEndpoint } from "../../../src/service/webhooks/queries.ts";
import { createWebhookJob } from "../../../src/service/webhooks/webhook-job.ts";
import { createWebhookSender, type WebhookSender } from "../../../src/service/webhooks/webhook-sender.ts";
import { makeAuthority, startReceiver, type TestAuthority, type WebhookReceiver } from "../../support/webhook-receiver.ts";

export const LOOPBACK = parseNetwork("127.0.0.0/8") ?? assert.fail();

/** A real database with a clock that tests advance. */
export interface Workshop extends AsyncDisposable {
  readonly ctx: Ctx;
  readonly clock: { nowMs: number };
}

export async function openWorkshop(): Promise<Workshop> {
  const folder = await mkdtemp(join(tmpdir(), "filehost-webhooks-"));
  const loaded = loadConfig({ FILEHOST_DATA: join(folder, "data"), FILEHOST_SCANNER: "off", FILEHOST_LOG: "silent" });
  const site = "http://localhost";
  const urls = { siteUrl: site, apiUrl: `${site}/api`, mcpUrl: site, contentUrl: site };
  const app = await createApp({ loaded, urls, log: createLogger(loaded.config.log) });
  const clock = { nowMs: Date.parse("2030-01-01T00:00:00Z") };
  const now = (): number => clock.nowMs;
  // The middle of the jitter: pauses are those of the table.
  const random = (bytes: number): Uint8Array => (bytes === 1 ? Uint8Array.of(128) : crypto.getRandomValues(new Uint8Array(bytes)));
  const ctx: Ctx = {
    ...app.ctx,
    now,
    random,
    transaction: (work) => app.ctx.transaction((transaction) => work({ ...transaction, now, random })),
  };
  return {
    ctx,
    clock,
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

export async function addUser({ db, random, now }: Ctx): Promise<string> {
  const id = newUuid(random, now());
  const times = { created_at: now(), updated_at: now() };
  await db
    .insertInto("users")
    .values({ id, name: "A person", email: `${id}@example.org`, ...times })
    .execute();
  return id;
}

export interface AddedEndpoint {
  readonly id: string;
  readonly ownerId: string;
  readonly secret: string;
}

export async function addEndpoint(
  ctx: Ctx,
  { ownerId, url, events = ["file.ready"] }: { ownerId: string; url: string; events?: FileEvent[] },
): Promise<AddedEndpoint> {
  const secret = newSecret(ctx.random, "whsec_");
  const id = newUuid(ctx.random, ctx.now());
  const times = { created_at: ctx.now(), updated_at: ctx.now() };
  await insertEndpoint(ctx.db, {
    id,
    owner_id: ownerId,
    url,
    events: JSON.stringify(events),
    secret: ctx.keyring.encrypt(secret),
    ...times,
  });
  return { id, ownerId, secret };
}

/** A sender of webhooks to receivers on this machine, whose certificates `authority` signs. */
export interface Sending extends AsyncDisposable {
  readonly authority: TestAuthority;
  readonly sender: WebhookSender;
  readonly kind: JobKind<Ctx>;
}

export async function startSending(): Promise<Sending> {
  const authority = await makeAuthority();
  const sender = createWebhookSender({ networks: [LOOPBACK], version: "1", ca: [authority.ca] });
  return {
    authority,
    sender,
    kind: createWebhookJob(sender),
    async [Symbol.asyncDispose]() {
      await sender[Symbol.asyncDispose]();
      await authority[Symbol.asyncDispose]();
    },
  };
}

/** A workshop with one endpoint and its receiver. */
export interface Posting extends Workshop, AddedEndpoint {
  readonly receiver: WebhookReceiver;
}

/** Opens a posting with due deliveries of `events` events. */
export async function openPosting({ authority }: Sending, events = 1): Promise<Posting> {
  const receiver = await startReceiver(authority);
  const workshop = await openWorkshop();
  const { ctx } = workshop;
  const endpoint = await addEndpoint(ctx, { ownerId: await addUser(ctx), url: `${receiver.url}/hook?a=1` });
  for (let n = 0; n < events; n++) await happen(ctx, endpoint.ownerId);
  assert.equal(await dispatchAll(ctx), events);
  return {
    ...workshop,
    ...endpoint,
    receiver,
    async [Symbol.asyncDispose]() {
      await workshop[Symbol.asyncDispose]();
      await receiver[Symbol.asyncDispose]();
    },
  };
}

/** Emits an event of a file of that owner. Resolves to the event's ID. */
export async function happen(ctx: Ctx, ownerId: string | null, type: FileEvent = "file.ready"): Promise<string> {
  const id = newUuid(ctx.random, ctx.now());
  const file = {
    id: "file0000file0000",
    short_id: "abcdefgh",
    owner_id: ownerId,
    name: "a.txt",
    size_bytes: 3,
    content_type: "text/plain",
  };
  await ctx.transaction((ctx) => insertEvent(ctx.db, { id, type, file, nowMs: ctx.now() }));
  return id;
}

/** Dispatches all events. Resolves to the number of deliveries. */
export async function dispatchAll(ctx: Ctx): Promise<number> {
  let all = 0;
  for (;;) {
    const { events, deliveries } = await dispatchEvents(ctx);
    all += deliveries;
    if (events === 0) return all;
  }
}

/** Leases an endpoint's job as the runner does; undefined if none is due. */
export async function claim(ctx: Ctx): Promise<JobRow | undefined> {
  const [job] = await leaseJobs(ctx.db, { kind: WEBHOOK_JOB, limit: 1, holder: ctx.instanceId, nowMs: ctx.now(), leaseMs: 30_000 });
  return job;
}

/** Runs the endpoint's job once if it is due. Resolves to whether it was. */
export async function runDue(ctx: Ctx, kind: JobKind<Ctx>): Promise<boolean> {
  const job = await claim(ctx);
  if (!job) return false;
  assert.deepEqual(await kind.run(ctx, job, new AbortController().signal), { kind: "done" });
  return true;
}

export const listJobs = (ctx: Ctx): Promise<JobRow[]> => ctx.db.selectFrom("jobs").selectAll().where("kind", "=", WEBHOOK_JOB).execute();

export async function deliveries(ctx: Ctx, endpointId: string): Promise<WebhookDeliveryRow[]> {
  return await ctx.db.selectFrom("webhook_deliveries").selectAll().where("endpoint_id", "=", endpointId).orderBy("id").execute();
}

export async function endpointRow(ctx: Ctx, id: string): Promise<WebhookEndpointRow> {
  return await ctx.db.selectFrom("webhook_endpoints").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
}
