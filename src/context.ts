import type { Logger } from "pino";
import type { BlobStore } from "./blobs/store.ts";
import type { Config, LoadedConfig } from "./config/load.ts";
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
  /** Adds a span that was sent. True if the file is complete with it; the download is then removed. */
  addSpan(downloadId: string, span: Span, sizeBytes: number): boolean;
  /** Notes that a response was written and its record is pending. Returns a function to call when it is recorded. */
  addPendingRecord(downloadId: string): () => void;
  /** Resolves when a download has no pending record, after a second at the latest. */
  whenFlushed(downloadId: string): Promise<void>;
}

/** Downloads of shares without a limit that a full disk could not record, in the memory of this server (disk space, "A disk that others fill"). */
export interface UnrecordedDownloads {
  /** Keeps `write`, which records one file, for later. It then has the time of this call. */
  keep(ctx: Pick<Ctx, "now" | "log">, write: (ctx: TransactionCtx) => Promise<unknown>): void;
  /** Records what waits, until the database takes no more. Logs how many records are lost; with `isLast`, what is left is lost too. */
  record(ctx: Ctx, options?: { readonly isLast?: boolean }): Promise<void>;
}

/** What the server knows about its clock. The methods without a promise read no other clock. */
export interface ClockWatch {
  /** Compares the clock with how much time has passed since the last comparison, and with the clocks of other machines. */
  check(): Promise<void>;
  /** Compares the clocks like `check`, and stores the time for the next start. Only servers do. */
  record(): Promise<void>;
  /** The time by which expiry and removal happen: the clock's, unless it is ahead and not trusted yet. */
  trustedNow(): number;
  /** The latest time that it may be. A time that a clock wrote may not be later than that and its term. */
  latestNow(): number;
  /** Undefined if the clock is trusted. */
  doubt(): ClockDoubt | undefined;
  /** Whether the clock was ahead before, so that times which it wrote then are wrong. `perhaps`: or it is behind now. Until `clear`. */
  wasAhead(): "no" | "perhaps" | "yes";
  clear(): void;
}

/** The configuration in force in this process, and how it follows the database. */
export interface RunTimeSettings {
  readonly config: Config;
  /** What the process was started with. */
  readonly loaded: LoadedConfig;
  /** Reads the settings of the database if they have changed. After it, `config` has what was committed before the call. */
  refresh(): Promise<void>;
}

/** A request to an endpoint of the library. */
export interface OAuthRequest {
  readonly path: string;
  /** The person's session. */
  readonly sessionToken?: string | undefined;
  /** Sent as a form, or as JSON. Undefined: a GET. */
  readonly body?: URLSearchParams | object;
}

/** The OAuth library. */
export interface OAuthProvider {
  /** Responds to a request, with all statements in `db`: in a transaction, they take effect together. */
  handle(db: Db, request: OAuthRequest): Promise<Response>;
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
  readonly uploadBodyLimiter: UploadBodyLimiter;
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
  /** Takes back that this call counts as `count` requests more. */
  readonly uncountRequests?: (count: number) => void;
  /** The session of MCP that a caller without a key has opened, which tells it from others of its address. */
  readonly guestSession?: string | undefined;
  /** Set for a write with an `Idempotency-Key`. Only `commitResponse` calls it. */
  readonly saveResponse?: SaveResponse;
}

/** One call of an operation of administrators: of a request, or of a command on this machine. */
export interface AdministratorCall extends Omit<RequestContext, "actor"> {
  readonly actor: Actor | MachineActor;
}
