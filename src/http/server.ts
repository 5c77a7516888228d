import { Hono } from "hono";
import type { Logger } from "pino";
import type { Ctx } from "../context.ts";
import type { UploadResult } from "../contract/files.ts";
import { toOpenApi } from "../contract/openapi.ts";
import { clientAddress } from "../domain/address.ts";
import { newUuid } from "../domain/alphabet.ts";
import { AppError } from "../errors.ts";
import type { Peer } from "../runtime/peer.ts";
import { answerError, answerErrorText } from "./answer-error.ts";
import { errorPage, wantsPage } from "./answer-page.ts";
import { createBodyMemory } from "./body-memory.ts";
import { createBodyPace } from "./body-pace.ts";
import { completeUpload } from "./complete-page.ts";
import { countRefusal, countVisit, PAGES } from "./count-visits.ts";
import { receiveForm, receivePut } from "./curl-upload.ts";
import { deliver } from "./deliver.ts";
import { deliverArchive } from "./deliver-archive.ts";
import type { HttpContext, HttpEnv } from "./env.ts";
import { headLength } from "./head-length.ts";
import { toLlmsText } from "./llms.ts";
import { mountContract } from "./mount-contract.ts";
import { createOpenStreams } from "./open-streams.ts";
import { mountPages, uploadedPage } from "./pages.ts";
import { receiveDelegated } from "./receive-delegated.ts";
import { receivePart } from "./receive-part.ts";
import { refuseOtherMethods } from "./refuse-methods.ts";
import { createRequestRates, rateHeaders } from "./request-rates.ts";
import { COMMON_HEADERS, CORS_HEADERS, PREFLIGHT_HEADERS } from "./security.ts";
import { createForwardedWarning } from "./warn-forwarded.ts";

export type HttpHandler = (request: Request, peer: Peer) => Response | Promise<Response>;

/** The whole HTTP side: contract, byte routes and pages, with what every request has in common. Answers without an end leave with `stop`. */
export function createHttp(ctx: Ctx, stop?: AbortSignal): HttpHandler {
  const app = new Hono<HttpEnv>();
  const apiPath = new URL(ctx.addresses.baseUrl).pathname.replace(/\/$/, "");
  const prefixes = [...new Set(["/api", apiPath])];
  const isApi = (c: HttpContext): boolean => prefixes.some((prefix) => prefix !== "" && c.req.path.startsWith(`${prefix}/`));

  mountHealth(app);
  for (const prefix of prefixes) {
    mountContract(app, ctx, prefix, stop);
    app.get(`${prefix}/agent-openapi.json`, countVisit, (c) => json(c, toOpenApi(ctx.addresses.baseUrl)));
    app.get(`${prefix}/llms.txt`, countVisit, (c) => text(c, toLlmsText(ctx)));
  }
  for (const path of PAGES) app.get(path, countVisit);
  app.get("/health", (c) => app.fetch(new Request(new URL("/api/health", c.req.url)), c.env));
  app.get("/agent-openapi.json", (c) => json(c, toOpenApi(ctx.addresses.baseUrl)));
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
  app.notFound((c) => {
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
  const memory = createBodyMemory(ctx);
  const bodies = { memory, pace: createBodyPace(memory) };
  const warnForwarded = createForwardedWarning(ctx);
  return (request, peer) => {
    if (!/^https?:\/\/[^/]/.test(request.url)) return refuse("The address or the Host header of this request cannot be read.");
    // Limits and quotas count by it: many of them must be neither one client nor none.
    if (peer.address === "") return refuse("Where this request comes from cannot be told: its connection is closed. Connect again.");
    warnForwarded(peer.address, request.headers);
    return handle(ctx, app, request, { peer, rates, streams, bodies });
  };
}

/** One request: its id, its client, its answer's common headers and its line in the log, which names the route but nothing secret. */
async function handle(
  ctx: Ctx,
  app: Hono<HttpEnv>,
  request: Request,
  shared: Pick<HttpEnv["Bindings"], "peer" | "rates" | "streams" | "bodies">,
): Promise<Response> {
  const startedAt = performance.now();
  const requestId = newUuid(ctx.random, ctx.now());
  if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: { ...CORS_HEADERS, ...PREFLIGHT_HEADERS } });
  const address = clientAddress(shared.peer.address, request.headers.get("x-forwarded-for"), ctx.config.trustedProxies);
  let child: Logger | undefined;
  const env: HttpEnv["Bindings"] = {
    ...shared,
    requestId,
    address,
    get log() {
      child ??= ctx.log.child({ requestId });
      return child;
    },
  };
  const response = await fetchHolding(app, request, env);
  const { headers } = response;
  for (const [name, value] of COMMON) headers.set(name, value);
  headers.set("X-Request-Id", requestId);
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

/** The path without what is secret in it: at most its first two segments, or three below the API. */
function routeOf(request: Request): string {
  const segments = new URL(request.url).pathname.split("/");
  return segments.slice(0, segments[1] === "api" ? 4 : 2).join("/");
}

/** Liveness and health, also where a load balancer looks for them. */
function mountHealth(app: Hono<HttpEnv>): void {
  for (const path of ["/health/live", "/api/health/live"]) app.get(path, (c) => json(c, { status: "ok" }));
}

async function deliverOrExplain(ctx: Ctx, c: HttpContext, send: typeof deliver): Promise<Response> {
  try {
    return await send(ctx, c);
  } catch (error) {
    if (wantsPage(c)) return errorPage(ctx, c, error);
    throw error;
  }
}

/** To a delegation's worker: the upload response, whatever it accepts (decisions, "Uploads"). */
async function answerDelegated(ctx: Ctx, c: HttpContext): Promise<Response> {
  return json(c, { success: true, data: await receiveDelegated(ctx, c) });
}

async function answerUpload(ctx: Ctx, c: HttpContext, receive: (ctx: Ctx, c: HttpContext) => Promise<UploadResult>): Promise<Response> {
  try {
    return await toUploadAnswer(ctx, c, await receive(ctx, c));
  } catch (error) {
    if (wantsPage(c)) return errorPage(ctx, c, error);
    if (wantsJson(c)) throw error;
    return answerErrorText(c, error);
  }
}

const wantsJson = (c: HttpContext): boolean => (c.req.header("accept") ?? "").includes("application/json");

/** The link alone for people at a terminal, JSON where it is asked for, a page for a browser's form. */
async function toUploadAnswer(ctx: Ctx, c: HttpContext, upload: UploadResult): Promise<Response> {
  if (wantsPage(c)) return await uploadedPage(ctx, c, upload);
  const headers = new Headers({ "Cache-Control": "no-store" });
  if (upload.claimToken) headers.set("X-Claim-Token", upload.claimToken);
  if (upload.deletionToken) headers.set("X-Deletion-Token", upload.deletionToken);
  if (upload.unlockCode) headers.set("X-Unlock-Code", upload.unlockCode);
  if (upload.handoffUrl) headers.set("X-Handoff-Url", upload.handoffUrl);
  if (wantsJson(c)) {
    headers.set("Content-Type", "application/json");
    return new Response(JSON.stringify({ success: true, data: upload }), { headers });
  }
  headers.set("Content-Type", "text/plain; charset=utf-8");
  return new Response(`${upload.shareUrl}\n`, { headers });
}

const text = (c: HttpContext, body: string): Response =>
  new Response(body, { headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store", ...headLength(c, body) } });

/** What cannot even be looked at: an empty or broken `Host`, for one, makes an address that nothing can be found at. */
function refuse(message: string): Response {
  const error = new AppError("VALIDATION_FAILED", message, { fields: { issues: [{ path: "", message }] } });
  return new Response(JSON.stringify(error.toBody()), {
    status: error.status,
    headers: { ...COMMON_HEADERS, "Content-Type": "application/json" },
  });
}

function json(c: HttpContext, value: unknown): Response {
  const body = JSON.stringify(value);
  return new Response(body, { headers: { "Content-Type": "application/json", "Cache-Control": "no-store", ...headLength(c, body) } });
}
