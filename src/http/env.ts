import type { Context } from "hono";
import type { Logger } from "pino";
import type { Peer } from "../runtime/peer.ts";
import type { OpenStreams } from "./open-streams.ts";
import type { BodyReading } from "./read-body.ts";
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
    readonly bodies: BodyReading;
    /** What the request holds of the memory for bodies until it is answered. */
    held?: Disposable;
    /** Where the caller stands, once that has been counted; told by headers of the answer. */
    rate?: RequestRate;
  };
}

export type HttpContext = Context<HttpEnv>;
