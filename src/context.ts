import type { Logger } from "pino";
import type { BlobStore } from "./blobs/store.ts";
import type { Config } from "./config/load.ts";
import type { DatabaseTime, Db, TransactionDb } from "./db/database.ts";
import type { CheckResult } from "./doctor/check-result.ts";
import type { Random } from "./lib/ids.ts";
import type { Keyring } from "./lib/secrets.ts";
import type { IdentityProvider } from "./net/identity-provider.ts";
import type { SafeFetch } from "./net/safe-fetch.ts";
import type { Payments } from "./pay/payments.ts";
import type { Thumbnails } from "./runtime/runtime.ts";
import type { ScannerService } from "./scan/scanner-service.ts";
import type { Actor } from "./service/accounts/actor.ts";
import type { RecentDownloads } from "./service/downloads/track-download.ts";
import type { UnrecordedDownloads } from "./service/downloads/unrecorded.ts";
import type { AwaitedImports } from "./service/imports/awaited-imports.ts";
import type { RunningImports } from "./service/imports/import-progress.ts";
import type { ClockWatch } from "./service/maintenance/trusted-time.ts";
import type { OAuthProvider } from "./service/oauth/provider.ts";
import type { RunTimeSettings } from "./service/settings/run-time-settings.ts";
import type { Transfers } from "./service/uploads/transfers.ts";

/** Public URLs of the service, from the settings and never from a request. */
export interface PublicUrls {
  readonly siteUrl: string;
  readonly apiUrl: string;
  readonly mcpUrl: string;
  readonly contentUrl: string;
}

/** Everything that operations and jobs depend on; built once by `app.ts` and passed down. */
export interface Ctx {
  /** The configuration in force. Settings of the database can change it: do not keep parts of it. */
  readonly config: Config;
  readonly settings: RunTimeSettings;
  readonly urls: PublicUrls;
  /** For reads and single statements. */
  readonly db: Db;
  /** Runs `work` in one durable transaction, as `Database.transaction` does. */
  readonly transaction: <T>(work: (ctx: TransactionCtx) => Promise<T>) => Promise<T>;
  /** Rejects if the database does not respond. */
  readonly ping: () => Promise<void>;
  readonly blobs: BlobStore;
  readonly scanner: ScannerService;
  /** Undefined if this server makes no thumbnails. */
  readonly makeThumbnail: Thumbnails["make"] | undefined;
  readonly keyring: Keyring;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** What is known about that clock. */
  readonly clock: ClockWatch;
  /** The clock that all instances share: that of the database server. Undefined if the database is a local file. */
  readonly databaseTime: DatabaseTime | undefined;
  readonly random: Random;
  readonly log: Logger;
  readonly downloads: RecentDownloads;
  readonly unrecorded: UnrecordedDownloads;
  /** How imports fetch, and those that run in this process. */
  readonly imports: { readonly fetch: SafeFetch; readonly running: RunningImports; readonly awaited: AwaitedImports };
  /** Loads and opens the OAuth library at its first use. Before a transaction, not in it. */
  readonly oauth: () => Promise<OAuthProvider>;
  /** Loads the library of the payment platform at its first use. Not in a transaction. Undefined if this server takes no payments. */
  readonly payments: (() => Promise<Payments>) | undefined;
  /** Undefined unless one is configured. */
  readonly identityProvider: IdentityProvider | undefined;
  /** Upload bodies that this process is receiving. */
  readonly transfers: Transfers;
  /** Wakes the job runner. Call it after the transaction that enqueued a job. */
  readonly wakeJobs: () => void;
  /** Identifies this process among those that share the database. */
  readonly instanceId: string;
  /** Runs the checks of `filehost doctor`; undefined for commands. */
  readonly checkInstallation?: (() => Promise<readonly CheckResult[]>) | undefined;
  readonly version: string;
  readonly startedAtMs: number;
  /** Milliseconds since then, whatever the clock says. */
  readonly uptimeMs: () => number;
}

/** A context bound to one transaction, which it cannot nest. It shadows the outer context on purpose. */
export type TransactionCtx = Omit<Ctx, "db" | "transaction" | "oauth" | "payments"> & { readonly db: TransactionDb };

/** Stores the response to a call in the transaction of its effect. `bodyDigest` is the digest of a body that was streamed. */
export type SaveResponse = (ctx: TransactionCtx, output: unknown, bodyDigest?: string) => Promise<void>;

/** One call of an operation: the caller, and facts of the request. */
export interface RequestContext {
  readonly actor: Actor;
  /** The client's IP address, as reported by trusted proxies. */
  readonly address: string;
  /** The channel that events record: `api`, `page`, `direct`, `curl`, `delegation`, `signed` or `archive`. */
  readonly channel: string;
  readonly userAgent: string;
  /** The language of the caller's pages; undefined: not known. */
  readonly language?: string;
  /** Makes this call count as `count` requests in all, or as many as the general rate limit has left. */
  readonly countRequests?: (count: number) => void;
  /** The session of MCP that a caller without a key has opened, which tells it from others of its address. */
  readonly guestSession?: string | undefined;
  /** Set for a write with an `Idempotency-Key`. Only `commitResponse` calls it. */
  readonly saveResponse?: SaveResponse;
}
