import { runtime } from "#runtime";
import { toAddresses } from "./addresses.ts";
import { createApp } from "./app.ts";
import type { Config, LoadedConfig } from "./config/load.ts";
import type { Ctx } from "./context.ts";
import { LEASE_MS, removeInstance, renewInstance } from "./db/instances.ts";
import { AppError } from "./errors.ts";
import { startDispatcher } from "./events/dispatcher.ts";
import { watchConnections } from "./http/connection-watch.ts";
import { TRANSFER_IDLE_SECONDS } from "./http/idle-times.ts";
import { createHttp, type HttpHandler } from "./http/server.ts";
import { describeInstance } from "./instance.ts";
import { startSchedule } from "./jobs/cron.ts";
import { freeDeadLeases, freeTheDead } from "./jobs/free-the-dead.ts";
import { importJob } from "./jobs/import-job.ts";
import { startJobRunner } from "./jobs/runner.ts";
import { scanJob } from "./jobs/scan-job.ts";
import { schedule } from "./jobs/schedule.ts";
import { createWebhookJob } from "./jobs/webhook-job.ts";
import { createWebhookSender } from "./jobs/webhook-sender.ts";
import { createLogger } from "./log.ts";
import { readOpenFileLimits } from "./open-files.ts";
import type { RunningServer } from "./runtime/runtime.ts";

const GRACE_MS = 30_000;
/** How long a request waits for the start to end. */
const START_PATIENCE_MS = 10_000;
/** How often a server looks whether another has died: what that one held is to be taken over soon. */
const LOOK_FOR_DEAD_MS = 2_000;

export interface ServeOptions {
  /** Called with the address at which it listens, once it answers there. */
  readonly onListening?: (url: string) => Promise<void>;
}

/** Serves until `stop` fires, then drains: stops accepting, finishes what runs within a grace time, puts leased jobs back. */
export async function serve({ config, warnings }: LoadedConfig, stop: AbortSignal, { onListening }: ServeOptions = {}): Promise<void> {
  const log = createLogger(config.log);
  for (const warning of warnings) log.warn(warning);
  const started = Promise.withResolvers<HttpHandler>();
  let handler = whenStarted(started.promise);
  const server = await listen(config, (request, peer) => handler(request, peer));
  const address = `http://${config.listen.hostname.includes(":") ? `[${config.listen.hostname}]` : config.listen.hostname}:${server.port}`;
  await using app = await createApp({ config, log, addresses: toAddresses(config, server.port) });
  const { ctx } = app;
  const instance = describeInstance(ctx.instanceId);
  await renewInstance(ctx.db, instance, ctx.now());
  await freeDeadLeases(ctx);
  const heartbeat = setInterval(() => {
    renewInstance(ctx.db, instance, ctx.now()).catch((error: unknown) => log.error({ err: error }, "renewing the lease failed"));
  }, LEASE_MS / 3);
  await using sendWebhook = createWebhookSender({ networks: config.webhookNetworks, version: ctx.version });
  const jobs = startJobRunner(ctx, [scanJob, importJob, createWebhookJob(sendWebhook)]);
  const dispatcher = startDispatcher(ctx, { onDeliveries: jobs.wake });
  app.onWakeJobs(() => {
    jobs.wake();
    dispatcher.wake();
  });
  const funeral = setInterval(() => {
    freeTheDead(ctx)
      .then((hasFreed) => hasFreed && jobs.wake())
      .catch((error: unknown) => log.error({ err: error }, "looking for servers that have died failed"));
  }, LOOK_FOR_DEAD_MS);
  const cron = startSchedule(ctx, schedule);
  using connections = watchConnections(server, { limit: config.connections, openFiles: readOpenFileLimits(), log });
  handler = createHttp(ctx, { stop, connections });
  started.resolve(handler);
  warn(ctx.scanner.mode, config, log);
  // It serves all the same: a store that is away comes back by itself.
  ctx.blobs.check().catch((error: unknown) => log.error({ err: error }, "the file store does not work"));
  learnOfStore(ctx, stop);
  log.info({ url: address, site: ctx.addresses.siteUrl, version: ctx.version }, "listening");
  await onListening?.(address);

  await aborted(stop);
  log.info("stopping: finishing what runs");
  await Promise.all([server.stop(GRACE_MS), jobs.drain(GRACE_MS), dispatcher.stop(), cron.stop()]);
  clearInterval(heartbeat);
  clearInterval(funeral);
  await removeInstance(ctx.db, ctx.instanceId);
  log.info("stopped");
}

/** Who comes during the start waits for its end: the port is open before anything behind it is. */
function whenStarted(started: Promise<HttpHandler>): HttpHandler {
  return async (request, peer) => {
    const patience = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => patience.resolve(undefined), START_PATIENCE_MS);
    const handler = await Promise.race([started, patience.promise]);
    clearTimeout(timer);
    if (handler) return await handler(request, peer);
    const error = new AppError("UNAVAILABLE", "The server is starting. Try again in a moment.", { headers: { "Retry-After": "1" } });
    return Response.json(error.toBody(), { status: error.status, headers: error.headers });
  };
}

async function listen({ listen: { hostname, port } }: Config, fetch: HttpHandler): Promise<RunningServer> {
  try {
    return await runtime.serve({ hostname, port, idleTimeoutSeconds: TRANSFER_IDLE_SECONDS, fetch });
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? REFUSALS[String(error.code)] : undefined;
    if (reason === undefined) throw error;
    throw new AppError("UNAVAILABLE", `Cannot listen on ${hostname}:${port}: ${reason}`, { cause: error });
  }
}

/** Why an operating system does not give an address, and what to do. */
const REFUSALS: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program does. Stop it, or choose another port with --listen or FILEHOST_LISTEN.",
  EADDRNOTAVAIL: "this machine has no such address. Choose another with --listen or FILEHOST_LISTEN.",
  EACCES: "this user may not. Choose a port above 1023 with --listen or FILEHOST_LISTEN.",
};

/** In the background: until it is known, everything works, if slower. */
function learnOfStore({ blobs, log }: Ctx, stop: AbortSignal): void {
  blobs
    .learn?.(stop, (error) =>
      log.warn({ err: error }, "the file store does not say yet which way parts are to take: through this server, until it does"),
    )
    .then((learnt) => learnt && (learnt.isAsWished ? log.info(learnt.text) : log.warn(learnt.text)))
    .catch((error: unknown) => log.error({ err: error }, "trying what the file store can do failed"));
}

/** Resolves when the signal fires, or at once where it did during the start. */
function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

function warn(scannerMode: string, config: LoadedConfig["config"], log: ReturnType<typeof createLogger>): void {
  if (scannerMode === "none")
    log.warn(
      "NOTHING IS SCANNED FOR MALWARE: no clamd was found. Install clamav-daemon, or set FILEHOST_CLAMD; FILEHOST_SCANNER=off says that this is meant",
    );
  if (scannerMode === "off") log.warn("NOTHING IS SCANNED FOR MALWARE: FILEHOST_SCANNER is off");
  const isLoopback = ["127.0.0.1", "::1", "localhost"].includes(config.listen.hostname);
  if (!isLoopback && config.siteUrl === undefined)
    log.warn(
      "FILEHOST_URL IS NOT SET: links will name localhost, which works on this machine alone. Set it to the public address of this site",
    );
}
