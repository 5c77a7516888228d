import type { Logger } from "pino";
import type { Keyring } from "./auth/secrets.ts";
import type { BlobStore } from "./blobs/store.ts";
import type { Config } from "./config/load.ts";
import type { Db } from "./db/database.ts";
import type { Actor } from "./domain/actor.ts";
import type { Random } from "./domain/alphabet.ts";
import type { SafeFetch } from "./net/safe-fetch.ts";
import type { DeliveryLedger } from "./operations/downloads/delivery-ledger.ts";
import type { AwaitedImports } from "./operations/imports/awaited-imports.ts";
import type { LiveImports } from "./operations/imports/live-imports.ts";
import type { Transfers } from "./operations/uploads/transfers.ts";
import type { ScannerService } from "./scan/service.ts";

/** Where the service is reached; none of it comes from a request. */
export interface Addresses {
  readonly siteUrl: string;
  readonly baseUrl: string;
  readonly mcpUrl: string;
  readonly contentUrl: string;
}

/** What operations and jobs work with: built once by `app.ts`, handed down. */
export interface Ctx {
  readonly config: Config;
  readonly addresses: Addresses;
  /** Reads, and single statements; within `tx`, everything of that transaction. */
  readonly db: Db;
  /** One durable transaction: see `Database.transaction`. */
  readonly tx: <T>(work: (ctx: TxCtx) => Promise<T>) => Promise<T>;
  /** Rejects where the database does not answer. */
  readonly ping: () => Promise<void>;
  readonly blobs: BlobStore;
  readonly scanner: ScannerService;
  readonly keyring: Keyring;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly random: Random;
  readonly log: Logger;
  readonly deliveries: DeliveryLedger;
  /** What imports fetch with, and those that run here. */
  readonly imports: { readonly fetch: SafeFetch; readonly live: LiveImports; readonly awaited: AwaitedImports };
  /** The bodies of uploads that this process receives. */
  readonly transfers: Transfers;
  /** Tells the runner that a job may be due. Call it after the transaction that wrote the job. */
  readonly wakeJobs: () => void;
  /** Names this process among those that share the database. */
  readonly instanceId: string;
  readonly version: string;
  readonly startedAtMs: number;
}

/** A context bound to one transaction; the outer one is out of reach on purpose. */
export type TxCtx = Omit<Ctx, "tx">;

/** One call of an operation: who makes it, and what is known of the request. */
export interface Call {
  readonly actor: Actor;
  readonly requestId: string;
  /** The client's own address, as far as trusted proxies vouch for it. */
  readonly address: string;
  /** Which road: `api`, `page`, `curl`. */
  readonly route: string;
  readonly userAgent: string;
  /** Has a call that turns out to ask for much count as so many requests in all, as far as the general rate has them left. */
  readonly countRequests?: (count: number) => void;
  /**
   * Keeps the answer of a write in the transaction of its effect, where the caller sent an `Idempotency-Key`: a server that is killed
   * then does not do it twice. `bodyDigest` where the body was a stream.
   */
  readonly remember?: (ctx: TxCtx, answer: unknown, bodyDigest?: string) => Promise<void>;
}
