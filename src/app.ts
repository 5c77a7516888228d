import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { runtime } from "#runtime";
import { openBlobStore } from "./blobs/open-store.ts";
import type { BlobStore } from "./blobs/store.ts";
import type { Config, LoadedConfig } from "./config/load.ts";
import { describeReplacedSecret, loadSecret } from "./config/server-secret.ts";
import type { Ctx, OAuthProvider, PublicUrls } from "./context.ts";
import { PROVIDER_CALLBACK_PATH } from "./contract/endpoints.ts";
import { DATABASE_TIME, type Database, type Db } from "./db/database.ts";
import { findLocalPath } from "./db/local-file.ts";
import { openDatabase } from "./db/open.ts";
import { confirmSecret, findSecretChecks } from "./db/secret-checks.ts";
import { findServerState, saveServerState } from "./db/server-state.ts";
import { AppError, InstallationError, systemCode, toInstallationError } from "./errors.ts";
import { createKeyring, type Keyring } from "./lib/secrets/secrets.ts";
import { elapsedMs } from "./lib/system/elapsed.ts";
import type { Logger } from "./log.ts";
import { createIdentityProvider } from "./net/identity-provider.ts";
import { createSafeFetch } from "./net/safe-fetch.ts";
import type { Payments } from "./pay/payments.ts";
import { findClamdSocket, parseClamdAddress } from "./scan/clamd/address.ts";
import { createClamdScanner } from "./scan/clamd/clamd-scanner.ts";
import { createScannerService } from "./scan/scanner-service.ts";
import { createRecentDownloads } from "./service/downloads/track-download.ts";
import { createUnrecordedDownloads } from "./service/downloads/unrecorded-downloads.ts";
import { createAwaitedImports } from "./service/imports/awaited-imports.ts";
import { createRunningImports } from "./service/imports/import-progress.ts";
import { createClockWatch, type OtherClock } from "./service/maintenance/trusted-time.ts";
import { createEarlyScans } from "./service/scanning/early-scans.ts";
import { encryptStoredCheckoutIds } from "./service/selling/encrypt-checkout-ids.ts";
import { openRunTimeSettings } from "./service/settings/run-time-settings.ts";
import { createPasswordHasher } from "./service/shares/password-hasher.ts";
import { listOpenUploads } from "./service/uploads/space-groups.ts";
import { createUploadBodyLimiter } from "./service/uploads/upload-body-limiter.ts";
import { VERSION } from "./version.ts";

/** The parts that `serve` and the administration commands share. */
export interface App extends AsyncDisposable {
  readonly ctx: Ctx;
  /** Sets the function that `ctx.wakeJobs` calls. Without it, jobs wait for a server. */
  onWakeJobs(wake: () => void): void;
  /** Keeps the reserve of the database, as `Database` describes. */
  keepReserve(): Promise<void>;
}

export interface AppOptions {
  readonly loaded: LoadedConfig;
  readonly urls: PublicUrls;
  readonly log: Logger;
  /** The condition of the database. `existing` throws NOT_FOUND, and creates nothing, if its file is missing. */
  readonly database?: "existing" | "create";
  /** The secret. `known`, the default, throws InstallationError if the database was used with another. */
  readonly secret?: "known" | "any";
  /** Whether to keep space inside the database for a full disk. */
  readonly keepsReserve?: boolean;
  /** Whether to keep the log of the database, as `openDatabase` describes. */
  readonly keepsLog?: boolean;
  /** The checks of the installation, as `Ctx` describes. */
  readonly checkInstallation?: Ctx["checkInstallation"];
}

/** Opens database, store and scanner, and builds the context, as the composition root. */
export async function createApp({
  loaded,
  urls,
  log,
  database: mode = "create",
  secret = "known",
  keepsReserve,
  keepsLog,
  checkInstallation,
}: AppOptions): Promise<App> {
  const { config } = loaded;
  if (mode === "existing") checkDatabaseExists(config);
  await makeDataFolder(config.dataDir);
  const database = await openDatabase({ url: config.database.url, token: config.database.token, log, keepsReserve, keepsLog });
  try {
    const settings = await openRunTimeSettings({ loaded, db: database.db, log });
    const keyring = await openKeyring(config, database.db, secret);
    const store = await openBlobStore(config.storage, { listOpen: () => listOpenUploads(database.db) });
    const scanner = await openScanner(config, database.db);
    const earlyScans = createEarlyScans({
      scanner,
      isEnabled: config.scanner.scansEarly,
      processors: availableParallelism(),
      now: elapsedMs,
    });
    const blobs = earlyScans.watch(store);
    const importFetch = createSafeFetch({ allowedNetworks: config.imports.networks, idleTimeoutMs: config.imports.idleMs });
    let wake = (): void => {};
    const startedAtMs = elapsedMs();
    const base = {
      settings,
      urls,
      blobs,
      scanner,
      earlyScans,
      makeThumbnail: config.thumbnails ? runtime.thumbnails?.make : undefined,
      keyring,
      log,
      ping: () => database.ping(),
      now: () => Date.now(),
      clock: createClockWatch({ db: database.db, log, now: Date.now, elapsed: elapsedMs, others: otherClocks(database, blobs) }),
      databaseTime: database.hasOwnClock ? DATABASE_TIME : undefined,
      random: (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes)),
      downloads: createRecentDownloads(),
      unrecorded: createUnrecordedDownloads(),
      imports: { fetch: importFetch, running: createRunningImports(Date.now), awaited: createAwaitedImports(Date.now) },
      identityProvider: config.oidc && createIdentityProvider({ ...config.oidc, redirectUri: urls.siteUrl + PROVIDER_CALLBACK_PATH }),
      uploadBodyLimiter: createUploadBodyLimiter(),
      passwordHasher: createPasswordHasher(),
      wakeJobs: () => wake(),
      checkInstallation,
      instanceId: randomUUID(),
      version: VERSION,
      startedAtMs: Date.now(),
      uptimeMs: () => elapsedMs() - startedAtMs,
    };
    let oauth: Promise<OAuthProvider> | undefined;
    let payments: Promise<Payments> | undefined;
    const { payments: paymentSettings } = config;
    const ctx: Ctx = {
      ...base,
      get config() {
        return settings.config;
      },
      db: database.db,
      transaction: (work) => database.transaction((db) => work({ ...base, config: settings.config, db })),
      oauth() {
        oauth ??= import("./service/oauth/provider.ts").then(({ openOAuthProvider }) => openOAuthProvider(ctx));
        return oauth;
      },
      payments:
        paymentSettings &&
        (() => {
          payments ??= import("./pay/stripe.ts").then(({ openStripe }) => openStripe(paymentSettings));
          return payments;
        }),
    };
    await encryptStoredCheckoutIds(ctx);
    return {
      ctx,
      onWakeJobs(handler) {
        wake = handler;
      },
      keepReserve: async () => await database.keepReserve?.(),
      async [Symbol.asyncDispose]() {
        await importFetch[Symbol.asyncDispose]();
        earlyScans.stop();
        await blobs[Symbol.asyncDispose]();
        await database[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
}

/** Lists the clocks of other machines on which this server depends. */
function otherClocks({ hasOwnClock, db }: Database, blobs: BlobStore): readonly OtherClock[] {
  const readDatabaseTime = async () => (await db.selectNoFrom(DATABASE_TIME.as("ms")).executeTakeFirst())?.ms;
  const readStoreTime = blobs.readTime?.bind(blobs);
  return [
    ...(hasOwnClock ? [{ name: "database server", isCostly: false, read: readDatabaseTime }] : []),
    ...(readStoreTime ? [{ name: "file store", isCostly: true, read: readStoreTime }] : []),
  ];
}

/** Throws InstallationError for a file that exists, but cannot be used by this user. */
function checkDatabaseExists(config: Config): void {
  const path = findLocalPath(config.database.url);
  if (path === undefined) return;
  try {
    statSync(path);
  } catch (error) {
    if (!["ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "")) throw toInstallationError(`The database ${path}`, error);
    throw new AppError("NOT_FOUND", `No filehost database was found at ${path}. Set --data or FILEHOST_DATA to the server's data folder.`);
  }
}

async function makeDataFolder(dir: string): Promise<void> {
  const path = resolve(dir);
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw toInstallationError(`The data folder ${path}`, error);
  }
}

async function openScanner(config: Config, db: Db) {
  const storedSize = {
    load: async () => Number(await findServerState(db, "scanner_window_bytes")) || undefined,
    save: (windowBytes: number) => saveServerState(db, "scanner_window_bytes", String(windowBytes)),
  };
  const create = (address: Parameters<typeof createClamdScanner>[0]["address"]) =>
    createClamdScanner({ address, oversize: config.scanner.oversize, storedSize });
  return await createScannerService({
    wanted: config.scanner.mode,
    concurrency: config.scanner.concurrency,
    configured: config.scanner.clamd === undefined ? undefined : create(parseClamdAddress(config.scanner.clamd)),
    async find() {
      const address = await findClamdSocket();
      return address && create(address);
    },
    seen: {
      load: async () => (await findServerState(db, "scanner_seen")) !== undefined,
      save: () => saveServerState(db, "scanner_seen", "yes"),
    },
  });
}

/** Throws InstallationError if the secret is missing or replaced (configuration, "The server's secret"), unless `secret` is `any`. */
async function openKeyring(config: Config, db: Db, secret: "known" | "any"): Promise<Keyring> {
  const isUsed = async () => secret === "known" && ((await findSecretChecks(db)).length > 0 || (await hasShares(db)));
  const keyring = createKeyring(config.secret ?? (await loadSecret(config.dataDir, isUsed)));
  if (secret === "any" || (await confirmSecret(db, keyring.check))) return keyring;
  const { problem, fix } = describeReplacedSecret(config.dataDir, config.secret !== undefined);
  throw new InstallationError(`${problem}. ${fix}`);
}

/** Whether links exist that the secret of the server has signed, also of a version that recorded no check value. */
const hasShares = async (db: Db): Promise<boolean> =>
  (await db.selectFrom("shares").select("short_id").limit(1).executeTakeFirst()) !== undefined;
