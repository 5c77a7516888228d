import type { Hono } from "hono";
import { assets } from "../../web/assets.ts";
import { renderHomePage } from "../../web/home-page.tsx";
import { type MessageKind, renderMessagePage } from "../../web/message-page.tsx";
import { renderSharePage } from "../../web/share-page.tsx";
import { renderUploadedPage } from "../../web/uploaded-page.tsx";
import type { Ctx } from "../context.ts";
import type { UploadResult } from "../contract/files.ts";
import { AppError, type ErrorCode, toAppError } from "../errors.ts";
import { classifyClient } from "../operations/downloads/client-class.ts";
import { operations } from "../operations/index.ts";
import { isDirectEffective } from "../operations/shares/direct.ts";
import { type ShareView, viewShare } from "../operations/shares/view-share.ts";
import { toCall } from "./call.ts";
import type { HttpContext, HttpEnv } from "./env.ts";
import { readBody } from "./read-body.ts";
import { COMMON_HEADERS, pageHeaders } from "./security.ts";

const MAX_FORM_BYTES = 16 * 1024;

/** The pages for people, their assets and robots.txt. */
export function mountPages(app: Hono<HttpEnv>, ctx: Ctx): void {
  app.get("/", (c) => page(ctx, c, 200, homePage(ctx)));
  app.get("/d/:shortId", (c) => sharePage(ctx, c, c.req.param("shortId")));
  app.post("/d/:shortId/download", (c) => startDownload(ctx, c));
  app.get("/robots.txt", () => text("User-agent: *\nDisallow: /\n"));
  for (const [path, asset] of assets) {
    app.get(
      path,
      () =>
        new Response(asset.body, {
          headers: { ...COMMON_HEADERS, "Content-Type": asset.type, "Cache-Control": "public, max-age=31536000, immutable" },
        }),
    );
  }
}

/** What a browser's form gets for its upload: the link and the secrets, this once. */
export function uploadedPage(ctx: Ctx, c: HttpContext, upload: UploadResult): Response {
  const props = {
    ...upload,
    fileId: upload.id,
    sizeBytes: upload.size,
    expiresAtMs: upload.expiresAt === null ? null : Date.parse(upload.expiresAt),
  };
  return page(ctx, c, 200, renderUploadedPage({ ...props, once: new URL(c.req.url).searchParams.get("once") === "true" }));
}

const MESSAGE_OF: Partial<Record<ErrorCode, MessageKind>> = {
  NOT_FOUND: "missing",
  SCAN_BLOCKED: "blocked",
  SCAN_PENDING: "notReady",
  SIGNATURE_INVALID: "badAddress",
  RATE_LIMITED: "tooManyRequests",
  TAKEN_DOWN: "takenDown",
  UNAVAILABLE: "busy",
  INTERNAL: "error",
};

/** Any error as a page that says what to do. */
export function errorPage(ctx: Ctx, c: HttpContext, thrown: unknown): Response {
  const error = toAppError(thrown);
  const kind = MESSAGE_OF[error.code] ?? "refused";
  const detail = kind === "error" ? undefined : error.message;
  if (error.status >= 500) c.env.log.error({ err: error.cause ?? error }, "request failed");
  return page(
    ctx,
    c,
    error.status,
    renderMessagePage({ kind, detail, requestId: kind === "error" ? c.env.requestId : undefined }),
    error.headers,
  );
}

/** Whether the one who asks reads pages rather than JSON or lines of text. */
export const wantsPage = (c: HttpContext): boolean => (c.req.header("accept") ?? "").includes("text/html");

function homePage(ctx: Ctx): string {
  const { fileBytes, retentionMs } = ctx.config.tiers.anonymous;
  return renderHomePage({
    siteUrl: ctx.addresses.siteUrl,
    limits: { fileBytes, retentionMs },
    scannerNote: ctx.scanner.mode === "clamd" ? undefined : "This server does not check files for malware.",
    uploadsOpen: ctx.config.anonymousUploads,
    version: ctx.version,
  });
}

const STATUS_OF: Readonly<Record<Exclude<ShareView["kind"], "open" | "moved">, number>> = {
  missing: 404,
  expired: 404,
  usedUp: 404,
  blocked: 404,
  takenDown: 451,
};

async function sharePage(ctx: Ctx, c: HttpContext, shortId: string): Promise<Response> {
  const view = await viewShare(ctx, shortId);
  if (view.kind === "moved") return redirect(ctx, 302, `/d/${view.shortId}`);
  if (view.kind !== "open") return page(ctx, c, STATUS_OF[view.kind], renderMessagePage({ kind: view.kind }));
  const { share, files } = view;
  const [file] = files;
  if (file && opensDownload(c) && file.scan_status === "clean" && (await isDirectEffective(ctx, share))) {
    const { url } = await operations.authorizeDownload(ctx, await toCall(ctx, c, "direct"), { fileId: file.id });
    return redirect(ctx, 302, url);
  }
  const html = renderSharePage({
    shortId,
    name: share.name,
    expiresAtMs: share.expires_at,
    nowMs: ctx.now(),
    once: share.once === 1,
    files: files.map((file) => ({
      id: file.id,
      name: file.name,
      sizeBytes: file.blob_state === "uploading" && file.size_bytes === 0 ? null : file.size_bytes,
      contentType: file.content_type,
      sha256: file.sha256,
      downloadsLeft: share.max_downloads === null ? null : share.max_downloads - file.download_count,
      uploading: file.blob_state === "uploading",
      scanStatus: file.scan_status,
      scanReason: file.scan_reason,
      scanCoverage: file.scan_coverage,
    })),
  });
  return page(ctx, c, 200, html);
}

/** Whether opening the page is a visit: looks ahead, previews and HEADs download nothing. */
function opensDownload(c: HttpContext): boolean {
  const isAhead = [c.req.header("sec-purpose"), c.req.header("purpose"), c.req.header("x-moz")].some((value) =>
    value?.includes("prefetch"),
  );
  return c.req.method === "GET" && !isAhead && classifyClient(c.req.header("user-agent") ?? "") !== "bot";
}

/** The download button: a POST, so that nothing that only looks counts as a download. */
async function startDownload(ctx: Ctx, c: HttpContext): Promise<Response> {
  try {
    const call = await toCall(ctx, c, "page");
    const form = new URLSearchParams(new TextDecoder().decode(await readBody(c.req.raw, MAX_FORM_BYTES)));
    const view = await viewShare(ctx, c.req.param("shortId") ?? "");
    if (view.kind === "moved") return redirect(ctx, 303, `/d/${view.shortId}`);
    if (view.kind !== "open") return page(ctx, c, STATUS_OF[view.kind], renderMessagePage({ kind: view.kind }));
    const file = view.files.find((candidate) => candidate.id === form.get("fileId")) ?? (form.has("fileId") ? undefined : view.files[0]);
    if (!file) throw new AppError("NOT_FOUND", "This share has no such file. Open the share link again.");
    const { url } = await operations.authorizeDownload(ctx, call, { fileId: file.id });
    return redirect(ctx, 303, url);
  } catch (error) {
    return errorPage(ctx, c, error);
  }
}

const redirect = (ctx: Ctx, status: 302 | 303, location: string): Response =>
  new Response(null, { status, headers: { ...pageHeaders(ctx), Location: location } });

function page(ctx: Ctx, c: HttpContext, status: number, html: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(c.req.method === "HEAD" ? null : html, { status, headers: { ...pageHeaders(ctx), ...headers } });
}

const text = (body: string): Response =>
  new Response(body, { headers: { ...COMMON_HEADERS, "Content-Type": "text/plain; charset=utf-8" } });
