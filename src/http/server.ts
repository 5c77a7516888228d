import { Hono } from "hono";
import type { Logger } from "pino";
import type { Ctx } from "../context.ts";
import type { UploadResult } from "../contract/files.ts";
import { toOpenApi } from "../contract/openapi.ts";
import { clientAddress } from "../domain/address.ts";
import { newUuid } from "../domain/alphabet.ts";
import { AppError, toAppError } from "../errors.ts";
import { toFormAnswer } from "../operations/uploads/store-form.ts";
import type { Peer } from "../runtime/peer.ts";
import { answerError, answerErrorText } from "./answer-error.ts";
import { errorPage, wantsPage } from "./answer-page.ts";
import { createBodyMemory } from "./body-memory.ts";
import { createBodyWatch } from "./body-watch.ts";
import { completeUpload } from "./complete-page.ts";
import { type ConnectionWatch, UNWATCHED } from "./connection-watch.ts";
import { countRefusal, countVisit, PAGES } from "./count-visits.ts";
import { receiveForm, receivePut } from "./curl-upload.ts";
import { deliver } from "./deliver.ts";
import { deliverArchive } from "./deliver-archive.ts";
import type { HttpContext, HttpEnv } from "./env.ts";
import { headLength } from "./head-length.ts";
import { KEEP_ALIVE_SECONDS } from "./idle-times.ts";
import { toLlmsText } from "./llms.ts";
import { mountContract } from "./mount-contract.ts";
import { createOpenStreams } from "./open-streams.ts";
import { mountPages, uploadedPage } from "./pages.ts";
import { receiveDelegated } from "./receive-delegated.ts";
import { receivePart } from "./receive-part.ts";
import { refuseOtherMethods } from "./refuse-methods.ts";
import { createRequestRates, rateHeaders } from "./request-rates.ts";
import { createRouteNames, type RouteNames } from "./route-names.ts";
import { COMMON_HEADERS, CORS_HEADERS, PREFLIGHT_HEADERS } from "./security.ts";
import { warnOfUnknownFields } from "./unknown-fields.ts";
import { createForwardedWarning } from "./warn-forwarded.ts";

export type HttpHandler = (request: Request, peer: Peer) => Response | Promise<Response>;

export interface HttpOptions {
  /** Ends answers without an end. */
  readonly stop?: AbortSignal;
  readonly connections?: ConnectionWatch;
}

/** The whole HTTP side: contract, byte routes and pages, with what every request has in common. */
export function createHttp(ctx: Ctx, { stop, connections = UNWATCHED }: HttpOptions = {}): HttpHandler {
  const app = new Hono<HttpEnv>();
  const apiPath = new URL(ctx.addresses.baseUrl).pathname.replace(/\/$/, "");
  const prefixes = [...new Set(["/api", apiPath])];
  const isApi = (c: HttpContext): boolean => prefixes.some((prefix) => prefix !== "" && c.req.path.startsWith(`${prefix}/`));

  mountHealth(app);
  for (const prefix of prefixes) {
    mountContract(app, ctx, prefix, stop);
    app.get(`${prefix}/agent-openapi.json`, countVisit, (c) => json(c, toOpenApi(ctx.addresses)));
    app.get(`${prefix}/llms.txt`, countVisit, (c) => text(c, toLlmsText(ctx)));
  }
  for (const path of PAGES) app.get(path, countVisit);
  app.get("/health", (c) => app.fetch(new Request(new URL("/api/health", c.req.url)), c.env));
  app.get("/agent-openapi.json", (c) => json(c, toOpenApi(ctx.addresses)));
  app.get("/llms.txt", (c) => text(c, toLlmsText(ctx)));
  app.on(["GET", "HEAD"], ["/dl/:fileId", "/dl/:fileId/:name"], (c) => deliverOrExplain(ctx, c, deliver));
  app.on(["GET", "HEAD"], "/ar/:archive", (c) => deliverOrExplain(ctx, c, deliverArchive));
  app.put("/up/:sessionKey/:partNumber", (c) => receivePart(ctx, c));
  app.put("/de/:token", (c) => answerDelegated(ctx, c));
  mountPages(app, ctx);
  app.on("PUT", ["/", "/:name"], (c) => answerUpload(ctx, c, receivePut));
  app.post("/", (c) => answerUpload(ctx, c, receiveForm));
  app.post("/uploads/complete", (c) => answerUpload(ctx, c, completeUpload));
  refuseOtherMethods(app);
  const ownFolders = new Set(app.routes.map(({ path }) => path.split("/")[1]));
  app.notFound((c) => {
    // `curl -T b.txt {site_url}/a/b.txt`, but not below what this server serves itself. Empty segments do not count.
    const folder = c.req.path.split("/").find((segment) => segment !== "");
    if (c.req.method === "PUT" && !ownFolders.has(folder)) return answerUpload(ctx, c, receivePut);
    const error = countRefusal(
      c,
      new AppError("NOT_FOUND", "There is nothing at this address. The API is described at /agent-openapi.json."),
    );
    return wantsPage(c) ? errorPage(ctx, c, error) : answerError(c, error);
  });
  app.onError((thrown, c) => {
    const error = countRefusal(c, thrown);
    return isApi(c) || !wantsPage(c) ? answerError(c, error) : errorPage(ctx, c, error);
  });

  const rates = createRequestRates(ctx);
  const streams = createOpenStreams(ctx);
  const bodyWatch = createBodyWatch();
  const bodyMemory = createBodyMemory(ctx);
  const routeOf = createRouteNames(app);
  const warnForwarded = createForwardedWarning(ctx);
  return (request, peer) => {
    if (!isAddressed(request))
      return refuse("The address or the Host header of this request cannot be read. Send one Host header with one name.");
    // Limits and quotas count by it: many of them must be neither one client nor none.
    if (peer.address === "") return refuse("Where this request comes from cannot be told: its connection is closed. Connect again.");
    warnForwarded(peer.address, request.headers);
    return handle(ctx, app, request, { bindings: { peer, rates, streams, bodyWatch, bodyMemory }, connections, routeOf });
  };
}

interface Shared {
  readonly bindings: Pick<HttpEnv["Bindings"], "peer" | "rates" | "streams" | "bodyWatch" | "bodyMemory">;
  readonly connections: ConnectionWatch;
  readonly routeOf: RouteNames;
}

/** One request: its id, its client, its answer's common headers and its line in the log, which names the route but nothing secret. */
async function handle(ctx: Ctx, app: Hono<HttpEnv>, request: Request, { bindings, connections, routeOf }: Shared): Promise<Response> {
  const startedAt = performance.now();
  const requestId = newUuid(ctx.random, ctx.now());
  const { peer } = bindings;
  if (request.method === "OPTIONS") {
    peer.setIdleTimeout(KEEP_ALIVE_SECONDS);
    const closing = connections.isScarce && { Connection: "close" };
    return new Response(null, { status: 204, headers: { ...CORS_HEADERS, ...PREFLIGHT_HEADERS, ...closing } });
  }
  const address = clientAddress(peer.address, request.headers.get("x-forwarded-for"), ctx.config.trustedProxies);
  let child: Logger | undefined;
  const env: HttpEnv["Bindings"] = {
    ...bindings,
    requestId,
    address,
    get log() {
      child ??= ctx.log.child({ requestId });
      return child;
    },
  };
  const response = connections.isExhausted && !isHealth(request) ? tooManyConnections() : await fetchHolding(app, request, env);
  peer.setIdleTimeout(env.answerIdleSeconds ?? KEEP_ALIVE_SECONDS);
  const { headers } = response;
  for (const [name, value] of COMMON) headers.set(name, value);
  headers.set("X-Request-Id", requestId);
  if (connections.isScarce) headers.set("Connection", "close");
  if (env.rate) for (const [name, value] of rateHeaders(env.rate, ctx.now())) headers.set(name, value);
  if (ctx.log.isLevelEnabled("info")) {
    ctx.log.info(
      {
        requestId,
        method: request.method,
        route: routeOf(request),
        status: response.status,
        ms: Math.round(performance.now() - startedAt),
      },
      "request",
    );
  }
  return response;
}

/** Gives back the memory of a body that was kept for the answer. */
async function fetchHolding(app: Hono<HttpEnv>, request: Request, env: HttpEnv["Bindings"]): Promise<Response> {
  try {
    return await app.fetch(request, env);
  } finally {
    env.held?.[Symbol.dispose]();
  }
}

const COMMON = Object.entries({ ...COMMON_HEADERS, ...CORS_HEADERS });

/** Whether a request names one host. Bun joins the values of several Host headers with a comma, which no host has. */
function isAddressed(request: Request): boolean {
  return /^https?:\/\/[^/]/.test(request.url) && !/[\s,]/.test(request.headers.get("host") ?? "");
}

/** Asked by those who restart a server that does not answer. */
const isHealth = ({ method, url }: Request): boolean => (method === "GET" || method === "HEAD") && /^[^?]*\/health(?:\/live)?$/.test(url);

/** Nothing of the request is read, and its connection is closed. */
function tooManyConnections(): Response {
  const error = new AppError("UNAVAILABLE", "The server has too many connections. Try again in a moment.", {
    headers: { "Retry-After": "5", Connection: "close" },
  });
  return Response.json(error.toBody(), { status: error.status, headers: { "Cache-Control": "no-store", ...error.headers } });
}

/** Liveness and health, also where a load balancer looks for them. */
function mountHealth(app: Hono<HttpEnv>): void {
  for (const path of ["/health/live", "/api/health/live"]) app.get(path, (c) => json(c, { status: "ok" }));
}

async function deliverOrExplain(ctx: Ctx, c: HttpContext, send: typeof deliver): Promise<Response> {
  try {
    return await send(ctx, c);
  } catch (error) {
    if (wantsPage(c)) return await errorPage(ctx, c, error);
    throw error;
  }
}

/** To a delegation's worker: the upload response, whatever it accepts (decisions, "Uploads"). */
async function answerDelegated(ctx: Ctx, c: HttpContext): Promise<Response> {
  return json(c, { success: true, data: await receiveDelegated(ctx, c) });
}

type ReceiveUpload = (ctx: Ctx, c: HttpContext) => Promise<UploadResult | readonly UploadResult[]>;

async function answerUpload(ctx: Ctx, c: HttpContext, receive: ReceiveUpload): Promise<Response> {
  const response = await receiveAndAnswer(ctx, c, receive);
  const warning = warnOfUnknownFields(new URL(c.req.url).searchParams);
  if (warning !== undefined) response.headers.set("X-Filehost-Warning", warning);
  return response;
}

async function receiveAndAnswer(ctx: Ctx, c: HttpContext, receive: ReceiveUpload): Promise<Response> {
  try {
    return await toUploadAnswer(ctx, c, [await receive(ctx, c)].flat());
  } catch (thrown) {
    const error = countRefusal(c, toAppError(thrown));
    if (wantsPage(c)) return await errorPage(ctx, c, error);
    return wantsJson(c) ? answerError(c, error) : answerErrorText(c, error);
  }
}

const wantsJson = (c: HttpContext): boolean => (c.req.header("accept") ?? "").includes("application/json");

/** Headers that carry the secrets of uploads; of several uploads in the order of their links, with commas between. */
const TOKEN_HEADERS = {
  claimToken: "X-Claim-Token",
  deletionToken: "X-Deletion-Token",
  unlockCode: "X-Unlock-Code",
  handoffUrl: "X-Handoff-Url",
} as const satisfies Partial<Record<keyof UploadResult, string>>;

/** The links alone, a line each, for people at a terminal; JSON where it is asked for, a page for a browser's form, which has one file. */
async function toUploadAnswer(ctx: Ctx, c: HttpContext, uploads: readonly UploadResult[]): Promise<Response> {
  const [first] = uploads;
  if (wantsPage(c) && first) return await uploadedPage(ctx, c, first);
  const headers = new Headers({ "Cache-Control": "no-store" });
  for (const [field, header] of Object.entries(TOKEN_HEADERS) as [keyof typeof TOKEN_HEADERS, string][]) {
    const values = uploads.flatMap((upload) => upload[field] ?? []);
    if (values.length > 0) headers.set(header, values.join(", "));
  }
  if (wantsJson(c)) {
    headers.set("Content-Type", "application/json");
    return new Response(JSON.stringify(toFormAnswer(uploads)), { headers });
  }
  headers.set("Content-Type", "text/plain; charset=utf-8");
  return new Response(uploads.map(({ shareUrl }) => `${shareUrl}\n`).join(""), { headers });
}

const text = (c: HttpContext, body: string): Response =>
  new Response(body, { headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store", ...headLength(c, body) } });

/** What cannot even be looked at: an empty or broken `Host`, for one, makes an address that nothing can be found at. */
function refuse(message: string): Response {
  const error = new AppError("VALIDATION_FAILED", message, { fields: { issues: [{ path: "", message }] } });
  return new Response(JSON.stringify(error.toBody()), {
    status: error.status,
    headers: { ...COMMON_HEADERS, "Content-Type": "application/json", Connection: "close" },
  });
}

function json(c: HttpContext, value: unknown): Response {
  const body = JSON.stringify(value);
  return new Response(body, { headers: { "Content-Type": "application/json", "Cache-Control": "no-store", ...headLength(c, body) } });
}
