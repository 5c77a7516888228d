import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { runtime } from "#runtime";
import { createApp } from "./app.ts";
import type { Config, LoadedConfig } from "./config/load.ts";
import type { Ctx } from "./context.ts";
import { type FolderLock, LOCK_CHECK_MS, lockFolder } from "./db/folder-lock.ts";
import { findLocalPath } from "./db/local-file.ts";
import type { CheckResult } from "./doctor/check-result.ts";
import { explainError } from "./doctor/error-messages.ts";
import { AppError, systemCode } from "./errors.ts";
import { toErrorResponse } from "./http/responding/http-error.ts";
import { TRANSFER_IDLE_SECONDS, watchConnections } from "./http/routing/connection-watch.ts";
import { reclaimLeases, reclaimLeasesIfDead, registerInstance } from "./jobs/instances.ts";
import { startJobRunner } from "./jobs/runner.ts";
import { startSchedule } from "./jobs/schedule.ts";
import { withTimeout } from "./lib/concurrency/with-timeout.ts";
import { describeMemory, memoryLimit } from "./lib/system/memory-plan.ts";
import { readOpenFileLimits } from "./lib/system/open-files.ts";
import { receiveUncaughtErrors } from "./lib/system/uncaught-errors.ts";
import { createLogger, type Logger } from "./log.ts";
import { createMailJob } from "./mail/mail-job.ts";
import { createMailer } from "./mail/mailer.ts";
import { mailRenderer } from "./mail-renderer.ts";
import { toPublicUrls } from "./public-urls.ts";
import type { RunningServer } from "./runtime/runtime.ts";
import { createHttp, type HttpHandler } from "./server.ts";
import { accountRemovalJob } from "./service/administration/account-removal-job.ts";
import { adjustSubscriptionJob } from "./service/billing/adjust-subscription-job.ts";
import { withdrawalJob } from "./service/files/withdraw.ts";
import { importJob } from "./service/imports/run-import.ts";
import { noticeJob } from "./service/notices/notice-job.ts";
import { refundJob } from "./service/purchases/refund-job.ts";
import { recipientMails } from "./service/recipients/mail-outcome.ts";
import { recipientsJob } from "./service/recipients/recipients-job.ts";
import { awaitedBlockJob } from "./service/scanning/awaited-blocks.ts";
import { blockJob } from "./service/scanning/block-files.ts";
import { scanJob } from "./service/scanning/scan-job.ts";
import { schedule } from "./service/schedule.ts";
import { offerSetUp } from "./service/sign-in/invites.ts";
import { passwordResetJob } from "./service/sign-in/password-reset.ts";
import { openStorePair } from "./service/storage/store-pair.ts";
import { HEALTH_TIMEOUT_MS } from "./service/system/get-health.ts";
import { thumbnailJob } from "./service/thumbnails/thumbnail-job.ts";
import { startDispatcher } from "./service/webhooks/dispatcher.ts";
import { createWebhookJob } from "./service/webhooks/webhook-job.ts";
import { createWebhookSender } from "./service/webhooks/webhook-sender.ts";

const DRAIN_TIMEOUT_MS = 30_000;
/** The longest time that a request waits for the start to finish. */
const START_TIMEOUT_MS = 10_000;
/** The interval of checks for stopped instances, whose leases are then reclaimed. */
const DEAD_INSTANCE_CHECK_MS = 2_000;
/** The interval of checks whether another process changed settings of the database (configuration, "Settings in the database"). */
const SETTINGS_CHECK_MS = 1_000;

/** The interval of checks of the space in the database for a full disk. */
const RESERVE_CHECK_MS = 60_000;

export interface ServiceOptions {
  /** Runs when the server has started, with the URL on which it listens, and the URL of the site. */
  readonly onListening?: (url: string, siteUrl: string) => Promise<void>;
}

/**
 * Serves until `stop` fires, then drains: stops accepting, finishes running requests and jobs within a timeout, and returns leased jobs to
 * the queue.
 */
export async function serve(loaded: LoadedConfig, stop: AbortSignal, { onListening }: ServiceOptions = {}): Promise<void> {
  const { config, warnings } = loaded;
  const log = createLogger(config.log);
  for (const warning of warnings) log.warn(warning);
  using _hangUp = ignoreHangUp(log);
  using lock = await lockDataFolder(config, log);
  using _lockWatch = lock && watchLock(lock, config.dataDir, log);
  const started = Promise.withResolvers<HttpHandler>();
  let handler = whenStarted(started.promise);
  const server = await listen(config, (request, peer) => handler(request, peer));
  const url = `http://${config.listen.hostname.includes(":") ? `[${config.listen.hostname}]` : config.listen.hostname}:${server.port}`;
  await using app = await createApp({
    loaded,
    log,
    urls: toPublicUrls(config, server.port),
    keepsReserve: true,
    keepsLog: true,
    checkInstallation: installationCheck(loaded),
  });
  const { ctx } = app;
  const unregister = await registerInstance(ctx);
  await reclaimLeases(ctx);
  await using sendWebhook = createWebhookSender({ networks: config.webhookNetworks, version: ctx.version });
  await using mailer = config.mail && createMailer(config.mail);
  const mailJob = createMailJob(mailer, mailRenderer(ctx), recipientMails);
  const jobs = startJobRunner(ctx, [
    scanJob,
    blockJob,
    awaitedBlockJob,
    withdrawalJob,
    importJob,
    thumbnailJob,
    createWebhookJob(sendWebhook),
    passwordResetJob,
    noticeJob,
    recipientsJob,
    mailJob,
    accountRemovalJob,
    refundJob,
    adjustSubscriptionJob,
  ]);
  const dispatcher = startDispatcher(ctx, { onDeliveries: jobs.wake });
  app.onWakeJobs(() => {
    jobs.wake();
    dispatcher.wake();
  });
  const deadInstanceTimer = setInterval(() => {
    reclaimLeasesIfDead(ctx)
      .then((hasReclaimed) => hasReclaimed && jobs.wake())
      .catch((error: unknown) => log.error({ err: error }, "reclaiming the leases of stopped instances failed"));
  }, DEAD_INSTANCE_CHECK_MS);
  const settingsTimer = setInterval(() => {
    ctx.settings.refresh().catch((error: unknown) => log.error({ err: error }, "reading the settings of the database failed"));
  }, SETTINGS_CHECK_MS);
  // The comparison runs in the background, because a store that does not respond must not delay the start. A cleanup compares the clocks itself.
  ctx.clock.record().catch((error: unknown) => log.error({ err: error }, "comparing the clocks failed"));
  const reserveTimer = setInterval(() => {
    app.keepReserve().catch((error: unknown) => log.error({ err: error }, "keeping room in the database for a full disk failed"));
  }, RESERVE_CHECK_MS);
  const runningSchedule = startSchedule(ctx, schedule);
  using connections = watchConnections(server, { limit: config.connections, openFiles: readOpenFileLimits(), log });
  handler = createHttp(ctx, { stop, connections });
  const pairing = openStorePair(ctx).catch((error: unknown) => log.error({ err: error }, "reading the mark of the file store failed"));
  // The pairing ends before the first upload, because the remains of a crashed upload would look like the bytes of another database. A bucket must
  // not delay the start.
  if (ctx.blobs.kind === "disk") await pairing;
  started.resolve(handler);
  // An error before this line ends the start.
  using _uncaughtErrors = receiveUncaughtErrors(({ error, kind }) => log.error({ err: error }, `${kind}; the server keeps running`));
  logMemory(log);
  logWarnings(ctx.scanner.mode, config, log);
  // A failed check is not fatal, because a store may become available later.
  ctx.blobs.check().catch((error: unknown) => log.error({ reason: explainError(error) }, "file store unavailable"));
  detectStoreCapabilities(ctx, stop);
  log.info({ url, site: ctx.urls.siteUrl, version: ctx.version }, "listening");
  // The server already serves requests, so a failure does not end it.
  await offerSetUp(ctx).catch((error: unknown) =>
    log.error({ err: error }, "the link to create the administrator's account could not be made; restart the server for another try"),
  );
  await onListening?.(url, ctx.urls.siteUrl);

  await whenAborted(stop);
  log.info("shutting down; draining requests");
  await Promise.all([server.stop(DRAIN_TIMEOUT_MS), jobs.drain(DRAIN_TIMEOUT_MS), dispatcher.stop(), runningSchedule.stop()]);
  clearInterval(deadInstanceTimer);
  clearInterval(settingsTimer);
  clearInterval(reserveTimer);
  await ctx.unrecorded.record(ctx, { isLast: true });
  await unregister();
  log.info("stopped");
}

/**
 * Refuses a second server on a data folder that has bytes or the database (storage, "One server"). A server whose store and database are both
 * elsewhere starts with a warning. Throws CONFLICT.
 */
async function lockDataFolder({ dataDir, database, storage }: Config, log: Logger): Promise<FolderLock | undefined> {
  let lock: FolderLock | undefined;
  try {
    lock = await lockFolder(dataDir);
  } catch (error) {
    // The next step opens the folder, and names what is in its place.
    if (!(await stat(dataDir).catch(() => undefined))?.isDirectory()) return undefined;
    log.warn({ reason: explainError(error) }, "the data folder cannot be locked: make sure that no other server uses it");
    return undefined;
  }
  if (lock) return lock;
  const path = findLocalPath(database.url);
  const hasDatabase = path !== undefined && dirname(path) === resolve(dataDir);
  if (storage.kind === "disk" || hasDatabase)
    throw new AppError(
      "CONFLICT",
      `Another server uses the data folder ${dataDir}. Stop it, or set --data or FILEHOST_DATA to another folder.${hasDatabase ? "" : " Servers that share a database need one store too: FILEHOST_STORAGE=s3."}`,
    );
  log.warn({ folder: dataDir }, "another server uses this data folder. Set FILEHOST_DATA to a folder for each");
  return undefined;
}

/** Locks the data folder anew if its lock file is removed or replaced while the server runs, and logs that. */
function watchLock(lock: FolderLock, folder: string, log: Logger): Disposable {
  let isChecking = false;
  let problem: string | undefined;
  const check = async (): Promise<string | undefined> => {
    const state = await lock.renew();
    if (state === "renewed") log.warn({ folder }, "the lock file of the data folder was removed or replaced; locked it again");
    return state === "lost"
      ? "the lock file of the data folder was removed, and another server uses the folder now. Stop one of them"
      : undefined;
  };
  const timer = setInterval(async () => {
    if (isChecking) return;
    isChecking = true;
    const found = await check().catch((error: unknown) => `the data folder cannot be locked again: ${explainError(error)}`);
    isChecking = false;
    if (found !== undefined && found !== problem) log.error({ folder }, found);
    problem = found;
  }, LOCK_CHECK_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Ignores SIGHUP, which a closed terminal sends and which would end the process. */
function ignoreHangUp(log: Logger): Disposable {
  const ignore = (): void => log.info("SIGHUP ignored: restart the server to apply settings");
  process.on("SIGHUP", ignore);
  return { [Symbol.dispose]: () => void process.off("SIGHUP", ignore) };
}

/** Delays requests until the start has finished, because the port opens before the database and the store are ready. */
function whenStarted(started: Promise<HttpHandler>): HttpHandler {
  return async (request, peer) => {
    const isHealth = /\/health(?:\/live)?$/.test(URL.parse(request.url)?.pathname ?? "");
    const handler = await withTimeout(started, isHealth ? HEALTH_TIMEOUT_MS : START_TIMEOUT_MS, () => undefined);
    if (handler) return await handler(request, peer);
    return toErrorResponse(new AppError("UNAVAILABLE", "The server is starting. Try again in a moment.", { retryAfterSeconds: 1 }));
  };
}

async function listen({ listen: { hostname, port } }: Config, fetch: HttpHandler): Promise<RunningServer> {
  try {
    return await runtime.serve({ hostname, port, idleTimeoutSeconds: TRANSFER_IDLE_SECONDS, fetch });
  } catch (error) {
    const reason = LISTEN_ERRORS[systemCode(error) ?? ""] ?? "the address cannot be used. Write an IP address of this machine and a port.";
    throw new AppError("UNAVAILABLE", `Cannot listen on ${hostname}:${port}: ${reason}`, { cause: error });
  }
}

/** Reasons why an operating system refuses to listen on an address, with the fix. */
const LISTEN_ERRORS: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program already listens there. Stop it, or choose another port with --listen or FILEHOST_LISTEN.",
  EADDRNOTAVAIL: "this machine does not have that address. Choose another with --listen or FILEHOST_LISTEN.",
  EACCES: "permission denied. Choose a port above 1023 with --listen or FILEHOST_LISTEN.",
};

/** Detects the capabilities of the store in the background. Until they are known, everything works, but slower. */
function detectStoreCapabilities({ blobs, log }: Ctx, stop: AbortSignal): void {
  blobs
    .detectCapabilities?.(stop, (error) => log.warn({ err: error }, "store capabilities unknown; proxying parts until they are detected"))
    .then((capabilities) => capabilities && (capabilities.matchesSetting ? log.info(capabilities.text) : log.warn(capabilities.text)))
    .catch((error: unknown) => log.error({ err: error }, "detecting the store's capabilities failed"));
}

/** Resolves when the signal fires, or immediately if it has fired. */
function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

function logMemory(log: Logger): void {
  const { detail, fix } = describeMemory(memoryLimit);
  const text = `memory: ${detail}`;
  if (fix === undefined) log.info(text);
  else log.warn(`${text}. ${fix}`);
}

function logWarnings(scannerMode: string, config: LoadedConfig["config"], log: ReturnType<typeof createLogger>): void {
  if (scannerMode === "none")
    log.warn(
      "Malware scanning is off: no clamd was found. Install clamav-daemon or set FILEHOST_CLAMD; FILEHOST_SCANNER=off removes this warning",
    );
  if (scannerMode === "off") log.warn("Malware scanning is off: FILEHOST_SCANNER is off");
  const isLoopback = ["127.0.0.1", "::1", "localhost"].includes(config.listen.hostname);
  if (!isLoopback && config.siteUrl === undefined)
    log.warn("FILEHOST_URL is not set: links use localhost and work only on this machine. Set it to the public URL of this site");
}

/** Returns a function that runs the checks of `filehost doctor`. Simultaneous calls share one run. */
function installationCheck(loaded: LoadedConfig): () => Promise<CheckResult[]> {
  let running: Promise<CheckResult[]> | undefined;
  return () => {
    running ??= import("./doctor/run-checks.ts")
      .then(({ runChecks }) => runChecks(loaded))
      .finally(() => {
        running = undefined;
      });
    return running;
  };
}
