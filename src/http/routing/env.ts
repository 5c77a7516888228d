import type { Context } from "hono";
import type { Logger } from "pino";
import type { Asset } from "../../../web/site/assets.ts";
import type { PageContext, Site } from "../../../web/site/page-context.ts";
import type { Ctx } from "../../context.ts";
import type { Peer } from "../../runtime/runtime.ts";
import type { SignedIn } from "../../service/accounts/sessions.ts";
import type { OpenStreams } from "../callers/open-streams.ts";
import type { RequestRate, RequestRates } from "../callers/request-rates.ts";
import type { BodyMemory } from "../reading/body-memory.ts";
import type { BodyWatch } from "../reading/body-watch.ts";
import type { PageCache } from "../responding/page-cache.ts";

export type HttpContext = Context<HttpEnv>;

/** The class by which a request counts in the general request rate. */
export type RateClass =
  /** The request counts for its address, before the handler runs. */
  | "request"
  /** The request counts for the caller, once the handler has identified it with `identifyCaller`. */
  | "caller"
  /** The request counts only if it fails. */
  | "refusal"
  /** The request never counts. */
  | "uncounted";

export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path in Hono's syntax: `:name` is a parameter. */
  readonly path: string;
  readonly rate: RateClass;
  readonly handle: (c: HttpContext) => Response | Promise<Response>;
  /** Whether only browsers can use this GET. For other clients the path has no GET. */
  readonly isForBrowsers?: boolean;
  /** Whether this GET has an effect, such as counting a download, so that HEAD is refused. */
  readonly refusesHead?: boolean;
}

/** The appearance of the site, and the assets and pages derived from it. */
export interface Branding {
  readonly site: Site;
  /** The path of the logo, and the image. */
  readonly logo: { readonly path: string; readonly asset: Asset } | undefined;
  /** Cached pages of this site. */
  readonly pageCache: PageCache;
}

/** The environment that middleware provides to every handler, as `c.env`. */
export interface HttpEnv {
  Bindings: {
    /** The context; on the pages of administrators, the one of `asAdministrator`. */
    ctx: Ctx;
    readonly peer: Peer;
    readonly requestId: string;
    /** The request's URL. `c.req.path` is its decoded path, for matching only. */
    readonly url: URL;
    /** Whether the request is for the host that serves only the bytes of files and reads no credentials. */
    readonly isContentHost: boolean;
    /** The client's IP address, from `X-Forwarded-For` or `Forwarded` if a trusted proxy sent it. */
    readonly address: string;
    readonly log: Logger;
    readonly rates: RequestRates;
    /** Rates of `/mcp/guest`. */
    readonly guestRates: RequestRates;
    /** Rates of the endpoints and documents of OAuth. */
    readonly oauthRates: RequestRates;
    readonly streams: OpenStreams;
    readonly bodyWatch: BodyWatch;
    readonly bodyMemory: BodyMemory;
    /** Returns the current branding, which may have changed since the request began. */
    readonly branding: () => Branding;
    readonly site: Site;
    readonly pageCache: PageCache;
    /** Fires when the server shuts down, and closes event streams. */
    readonly stop: AbortSignal | undefined;
    /** The matching route; undefined before routing and if no route matches. */
    route?: Route;
    /** The person whom the request's cookie signs in; undefined before the look-up and if nobody is signed in. */
    person?: SignedIn | undefined;
    /** Whether the request was sent with an application's access token, so that errors tell the application how to continue. */
    hasAccessToken?: boolean;
    /** The counts in the navigation of the administration; undefined outside of it. */
    adminCounts?: PageContext["adminCounts"];
    /** Idle timeout of the connection while the response is sent; 0 for none; undefined for the keep-alive timeout. */
    responseIdleSeconds?: number;
    /** The request's body in memory, released after the response. */
    bufferedBody?: Disposable;
    /** The caller's rate after this request was counted, for the response's headers. */
    rate?: RequestRate;
  };
}
