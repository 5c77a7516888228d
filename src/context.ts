import type { Logger } from "pino";
import type { BlobStore } from "./blobs/store.ts";
import type { Config, LoadedConfig } from "./config/load.ts";
import type { Channel } from "./contract/channels.ts";
import type { DatabaseTime, Db, TransactionDb } from "./db/database.ts";
import type { CheckResult } from "./doctor/check-result.ts";
import type { Span } from "./lib/http/range.ts";
import type { Random } from "./lib/secrets/ids.ts";
import type { Keyring } from "./lib/secrets/secrets.ts";
import type { ClockDoubt } from "./lib/system/clock-doubt.ts";
import type { IdentityProvider } from "./net/identity-provider.ts";
import type { SafeFetch } from "./net/safe-fetch.ts";
import type { Payments } from "./pay/payments.ts";
import type { Thumbnails } from "./runtime/runtime.ts";
import type { ScannerService } from "./scan/scanner-service.ts";
import type { Actor, MachineActor } from "./service/accounts/actor.ts";
import type { AwaitedImports } from "./service/imports/awaited-imports.ts";
import type { RunningImports } from "./service/imports/import-progress.ts";
import type { EarlyScans } from "./service/scanning/early-scans.ts";
import type { PasswordHasher } from "./service/shares/password-hasher.ts";
import type { UploadBodyLimiter } from "./service/uploads/upload-body-limiter.ts";

/** Public URLs of the service, from the settings and never from a request. */
export interface PublicUrls {
  readonly siteUrl: string;
  readonly apiUrl: string;
  readonly mcpUrl: string;
  readonly contentUrl: string;
}

/** The recent downloads of this server instance, in memory. */
export interface RecentDownloads {
  /** Adds a sent span. Returns true if it completes the file; the download is then removed. */
  addSpan(downloadId: string, span: Span, sizeBytes: number): boolean;
  /** Notes that a response was written and its record is pending. Returns a function to call after it is recorded. */
  addPendingRecord(downloadId: string): () => void;
  /** Resolves when a download has no pending record, after a second at the latest. */
  whenFlushed(downloadId: string): Promise<void>;
}

/** Downloads of unlimited shares that a full disk could not record, in the memory of this server (disk space, "A disk that others fill"). */
export interface UnrecordedDownloads {
  /** Adds `write`, which records one file later, with the time of this call. */
  keep(ctx: Pick<Ctx, "now" | "log">, write: (ctx: TransactionCtx) => Promise<unknown>): void;
  /** Records the pending downloads until the database refuses one. Logs how many are lost; with `isLast`, the remaining ones are lost too. */
  record(ctx: Ctx, options?: { readonly isLast?: boolean }): Promise<void>;
}

/** The knowledge of the server about its clock. The methods without a promise read no other clock. */
export interface ClockWatch {
  /** Compares the clock with the time that has passed since the last comparison, and with the clocks of other machines. */
  check(): Promise<void>;
  /** Compares the clocks like `check`, and stores the time for the next start. Only servers record it. */
  record(): Promise<void>;
  /** Returns the time for expiry and removal: the clock's time, unless the clock is ahead and not trusted yet. */
  trustedNow(): number;
  /** Returns the latest possible time. A time that a clock wrote may not exceed it by more than its term. */
  latestNow(): number;
  /** Returns the doubt about the clock; undefined if the clock is trusted. */
  doubt(): ClockDoubt | undefined;
  /** Whether the clock was ahead before, so that it wrote wrong times; until `clear`. `perhaps`: or the clock is behind now. */
  wasAhead(): "no" | "perhaps" | "yes";
  clear(): void;
}

/** The configuration that is in effect in this process. It follows the database. */
export interface RunTimeSettings {
  readonly config: Config;
  /** The configuration with which the process was started. */
  readonly loaded: LoadedConfig;
  /** Reads the settings of the database if they have changed. Afterwards, `config` includes all changes that were committed before the call. */
  refresh(): Promise<void>;
}

/** A request to an endpoint of the library. */
export interface OAuthRequest {
  readonly path: string;
  /** The token of the person's session. */
  readonly sessionToken?: string | undefined;
  /** The body, sent as a form, or as JSON; undefined for a GET. */
  readonly body?: URLSearchParams | object;
}

/** The OAuth library. */
export interface OAuthProvider {
  /** Responds to a request, with all statements in `db`: in a transaction, they take effect together. */
  handle(db: Db, request: OAuthRequest): Promise<Response>;
}

/** The dependencies of operations and jobs; built once by `app.ts` and passed down. */
export interface Ctx {
  /** The configuration in effect. Settings of the database can change it, so do not keep parts of it. */
  readonly config: Config;
  readonly settings: RunTimeSettings;
  readonly urls: PublicUrls;
  /** The database, for reads and single statements. */
  readonly db: Db;
  /** Runs `work` in one durable transaction, like `Database.transaction`. */
  readonly transaction: <T>(work: (ctx: TransactionCtx) => Promise<T>) => Promise<T>;
  /** Checks the database. Rejects if it does not respond. */
  readonly ping: () => Promise<void>;
  readonly blobs: BlobStore;
  readonly scanner: ScannerService;
  readonly earlyScans: EarlyScans;
  /** Makes a thumbnail. Undefined if this server makes none. */
  readonly makeThumbnail: Thumbnails["make"] | undefined;
  readonly keyring: Keyring;
  /** Returns the time in milliseconds since 1970. */
  readonly now: () => number;
  /** The knowledge about the clock of `now`. */
  readonly clock: ClockWatch;
  /** The shared clock of all instances, which is the database server's. Undefined if the database is a local file. */
  readonly databaseTime: DatabaseTime | undefined;
  readonly random: Random;
  readonly log: Logger;
  readonly downloads: RecentDownloads;
  readonly unrecorded: UnrecordedDownloads;
  /** The fetch of imports, and the imports that run in this process. */
  readonly imports: { readonly fetch: SafeFetch; readonly running: RunningImports; readonly awaited: AwaitedImports };
  /** Loads and opens the OAuth library at its first use. Must be called before a transaction, not in it. */
  readonly oauth: () => Promise<OAuthProvider>;
  /** Loads the library of the payment platform at its first use. Must not be called in a transaction. Undefined if this server takes no payments. */
  readonly payments: (() => Promise<Payments>) | undefined;
  /** The provider of OpenID Connect; undefined unless one is configured. */
  readonly identityProvider: IdentityProvider | undefined;
  /** Upload bodies that this process is receiving. */
  readonly uploadBodyLimiter: UploadBodyLimiter;
  /** Hashes passwords of shares. Must not be called in a transaction. */
  readonly passwordHasher: PasswordHasher;
  /** Wakes the job runner. Must be called after the transaction that enqueued a job. */
  readonly wakeJobs: () => void;
  /** The ID of this process, which is unique among the processes of one database. */
  readonly instanceId: string;
  /** Runs the checks of `filehost doctor`; undefined for commands. */
  readonly checkInstallation?: (() => Promise<readonly CheckResult[]>) | undefined;
  readonly version: string;
  readonly startedAtMs: number;
  /** Returns the milliseconds since the start, independent of the clock. */
  readonly uptimeMs: () => number;
}

/** A context bound to one transaction, which it cannot nest. It shadows the outer context on purpose. */
export type TransactionCtx = Omit<Ctx, "db" | "transaction" | "oauth" | "payments" | "passwordHasher"> & { readonly db: TransactionDb };

/** Stores the response to a call in the transaction of its effect. `bodyDigest` is the digest of a body that was streamed. */
export type SaveResponse = (ctx: TransactionCtx, output: unknown, bodyDigest?: string) => Promise<void>;

/** One call of an operation: the caller, and facts of the request. */
export interface RequestContext {
  readonly actor: Actor;
  /** The client's IP address, as reported by trusted proxies. */
  readonly address: string;
  readonly channel: Channel;
  readonly userAgent: string;
  /** The language of the caller's pages; undefined if it is not known. */
  readonly language?: string;
  /** Makes this call count as `count` requests in total, or as the remaining requests of the general rate limit. */
  readonly countRequests?: (count: number) => void;
  /** Reverts the counting of `count` additional requests. */
  readonly uncountRequests?: (count: number) => void;
  /** The session of MCP that a caller without a key has opened, which distinguishes callers with the same address. */
  readonly guestSession?: string | undefined;
  /** Saves the response of a write with an `Idempotency-Key`. Only `commitResponse` calls it. */
  readonly saveResponse?: SaveResponse;
}

/** One call of an administrators' operation, by a request or by a command on this machine. */
export interface AdministratorCall extends Omit<RequestContext, "actor"> {
  readonly actor: Actor | MachineActor;
}
