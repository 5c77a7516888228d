import type { Context } from "hono";
import type { Logger } from "pino";
import type { Peer } from "../runtime/peer.ts";

/** What every handler can ask of its request. */
export interface HttpEnv {
  Bindings: {
    readonly peer: Peer;
    readonly requestId: string;
    /** The client's own address, as far as trusted proxies vouch for it. */
    readonly address: string;
    readonly log: Logger;
  };
}

export type HttpContext = Context<HttpEnv>;
