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

/** How a request counts against the general request rate. */
export type RateClass =
  /** It counts for its address, before the handler runs. */
  | "request"
  /** It counts for the caller, once the handler knows who that is: see `identifyCaller`. */
  | "caller"
  /** It counts only if it fails. */
  | "refusal"
  /** It never counts. */
  | "uncounted";

export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** A Hono path: `:name` is a parameter. */
  readonly path: string;
  readonly rate: RateClass;
  readonly handle: (c: HttpContext) => Response | Promise<Response>;
  /** A GET of browsers alone: for other clients the path has none. */
  readonly isForBrowsers?: boolean;
  /** A GET with an effect, such as counting a download, so HEAD is refused. */
  readonly refusesHead?: boolean;
}

/** How the site looks, and what was made from it. */
export interface Branding {
  readonly site: Site;
  /** Path of the logo, and the image. */
  readonly logo: { readonly path: string; readonly asset: Asset } | undefined;
  /** Pages that show this site. */
  readonly keptPages: PageCache;
}

/** What middleware provides to every handler, as `c.env`. */
export interface HttpEnv {
  Bindings: {
    /** On the pages of administrators, that of `asAdministrator`. */
    ctx: Ctx;
    readonly peer: Peer;
    readonly requestId: string;
    /** The request's URL. `c.req.path` is its decoded path, for matching only. */
    readonly url: URL;
    /** Whether the request is for the host that serves the bytes of files alone. It has no credentials. */
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
    /** The branding in force, which may have changed since the request began. */
    readonly branding: () => Branding;
    readonly site: Site;
    readonly keptPages: PageCache;
    /** Fires when the server shuts down: event streams close. */
    readonly stop: AbortSignal | undefined;
    /** The matching route; undefined before routing and if no route matches. */
    route?: Route;
    /** Who is signed in by the request's cookie; undefined before it is looked up and if nobody is. */
    person?: SignedIn | undefined;
    /** Whether the request was sent with the token of an application, which errors then tell what to do. */
    hasAccessToken?: boolean;
    /** What the navigation of the administration counts; undefined outside of it. */
    adminCounts?: PageContext["adminCounts"];
    /** Idle timeout of the connection while the response is sent; 0: none. Undefined: the keep-alive timeout. */
    responseIdleSeconds?: number;
    /** The request's body in memory, released after the response. */
    bufferedBody?: Disposable;
    /** The caller's rate after this request was counted, for the response's headers. */
    rate?: RequestRate;
  };
}
