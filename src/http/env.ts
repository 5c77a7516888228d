import type { Context } from "hono";
import type { Logger } from "pino";
import type { Peer } from "../runtime/peer.ts";
import type { BodyMemory } from "./body-memory.ts";
import type { BodyWatch } from "./body-watch.ts";
import type { OpenStreams } from "./open-streams.ts";
import type { RequestRate, RequestRates } from "./request-rates.ts";

/** What every handler can ask of its request. */
export interface HttpEnv {
  Bindings: {
    readonly peer: Peer;
    readonly requestId: string;
    /** The client's own address, as far as trusted proxies vouch for it. */
    readonly address: string;
    readonly log: Logger;
    readonly rates: RequestRates;
    readonly streams: OpenStreams;
    readonly bodyWatch: BodyWatch;
    readonly bodyMemory: BodyMemory;
    /** Seconds of silence after which the connection is closed once the answer begins; 0: never. Undefined where it is sent at once. */
    answerIdleSeconds?: number;
    /** What the request holds of the memory for bodies until it is answered. */
    held?: Disposable;
    /** Where the caller stands, once that has been counted; told by headers of the answer. */
    rate?: RequestRate;
  };
}

export type HttpContext = Context<HttpEnv>;
