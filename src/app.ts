import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { createKeyring } from "./auth/secrets.ts";
import { loadSecret } from "./auth/server-secret.ts";
import { openBlobStore } from "./blobs/open.ts";
import type { Config } from "./config/load.ts";
import type { Addresses, Ctx } from "./context.ts";
import type { Db } from "./db/database.ts";
import { findLocalPath } from "./db/local-file.ts";
import { openDatabase } from "./db/open.ts";
import { findSetting, saveSetting } from "./db/settings.ts";
import { AppError } from "./errors.ts";
import type { Logger } from "./log.ts";
import { createSafeFetch } from "./net/safe-fetch.ts";
import { createDeliveryLedger } from "./operations/downloads/delivery-ledger.ts";
import { createAwaitedImports } from "./operations/imports/awaited-imports.ts";
import { createLiveImports } from "./operations/imports/live-imports.ts";
import { listOpenUploads } from "./operations/uploads/space-groups.ts";
import { createTransfers } from "./operations/uploads/transfers.ts";
import { createClamdScanner } from "./scan/clamd.ts";
import { findClamdSocket, parseClamdAddress } from "./scan/clamd-address.ts";
import { createScannerService } from "./scan/service.ts";
import { VERSION } from "./version.ts";

/** Everything that works on the database and the store: what `serve` and the administration commands share. */
export interface App extends AsyncDisposable {
  readonly ctx: Ctx;
  /** Tells the app who runs jobs; without one, jobs wait for a server. */
  onWakeJobs(wake: () => void): void;
}

export interface AppOptions {
  readonly config: Config;
  readonly addresses: Addresses;
  readonly log: Logger;
  /** `existing`: throws NOT_FOUND, and makes nothing, where the database is a file that is not there. */
  readonly database?: "existing" | "create";
}

/** The composition root: opens database, store and scanner and builds the one context. */
export async function createApp({ config, addresses, log, database: wanted = "create" }: AppOptions): Promise<App> {
  if (wanted === "existing") checkThere(config);
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const database = await openDatabase({ url: config.database.url, token: config.database.token, log });
  try {
    const keyring = createKeyring(config.secret ?? (await loadSecret(config.dataDir)));
    const blobs = await openBlobStore(config.storage, { listOpen: () => listOpenUploads(database.db) });
    const scanner = await openScanner(config, database.db);
    const importFetch = createSafeFetch({ allowedNetworks: config.imports.networks, idleTimeoutMs: config.imports.idleMs });
    let wake = (): void => {};
    const base = {
      config,
      addresses,
      blobs,
      scanner,
      keyring,
      log,
      ping: () => database.ping(),
      now: () => Date.now(),
      random: (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes)),
      deliveries: createDeliveryLedger(),
      imports: { fetch: importFetch, live: createLiveImports(Date.now), awaited: createAwaitedImports(Date.now) },
      transfers: createTransfers(),
      wakeJobs: () => wake(),
      instanceId: randomUUID(),
      version: VERSION,
      startedAtMs: Date.now(),
    };
    const ctx: Ctx = { ...base, db: database.db, tx: (work) => database.transaction((db) => work({ ...base, db })) };
    return {
      ctx,
      onWakeJobs(handler) {
        wake = handler;
      },
      async [Symbol.asyncDispose]() {
        await importFetch[Symbol.asyncDispose]();
        await blobs[Symbol.asyncDispose]();
        await database[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
}

function checkThere(config: Config): void {
  const path = findLocalPath(config.database.url);
  if (path === undefined || existsSync(path)) return;
  throw new AppError("NOT_FOUND", `There is no filehost database at ${path}. Name the server's data folder with --data or FILEHOST_DATA.`);
}

async function openScanner(config: Config, db: Db) {
  const limits = {
    load: async () => Number(await findSetting(db, "scanner_window_bytes")) || undefined,
    save: (windowBytes: number) => saveSetting(db, "scanner_window_bytes", String(windowBytes)),
  };
  const create = (address: Parameters<typeof createClamdScanner>[0]["address"]) =>
    createClamdScanner({ address, oversize: config.scanner.oversize, limits });
  return await createScannerService({
    wanted: config.scanner.mode,
    concurrency: config.scanner.concurrency,
    configured: config.scanner.clamd === undefined ? undefined : create(parseClamdAddress(config.scanner.clamd)),
    async find() {
      const address = await findClamdSocket();
      return address && create(address);
    },
    seen: {
      load: async () => (await findSetting(db, "scanner_seen")) !== undefined,
      save: () => saveSetting(db, "scanner_seen", "yes"),
    },
  });
}
