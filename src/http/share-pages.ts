import type { Hono } from "hono";
import { renderMessagePage } from "../../web/message-page.tsx";
import { renderSharePage } from "../../web/share-page.tsx";
import type { ShareAccess } from "../../web/share-view.ts";
import type { Call, Ctx } from "../context.ts";
import { AppError, toAppError } from "../errors.ts";
import { operations } from "../operations/index.ts";
import { checkUnlocked, unlockInvalid } from "../operations/protection/check-unlocked.ts";
import { isDirectEffective } from "../operations/shares/direct.ts";
import { type ShareView, viewDelivery, viewShare } from "../operations/shares/view-share.ts";
import { answerPage, errorPage, redirectPage } from "./answer-page.ts";
import { toCall } from "./call.ts";
import type { HttpContext, HttpEnv } from "./env.ts";
import { isOpened } from "./prefetch.ts";
import { readPageForm } from "./read-body.ts";
import { findSponsoring } from "./sponsoring.ts";
import { type OpenView, toSharePage } from "./to-share-page.ts";
import { type Credentials, describeUnlockProblem, isUnlockProblem, readUnlockCode, UNLOCK_CODE_LENGTH } from "./unlock-problem.ts";

type ClosedKind = Exclude<ShareView["kind"], "open" | "moved">;

/** The pages of shares and private deliveries. Forms do everything, so that all works without scripts and what only looks changes nothing. */
export function mountSharePages(app: Hono<HttpEnv>, ctx: Ctx): void {
  // Links are often copied with a slash at their end.
  app.on("GET", ["/d/:shortId", "/d/:shortId/"], (c) => sharePage(ctx, c));
  app.on("GET", ["/h/:token", "/h/:token/"], (c) => deliveryPage(ctx, c));
  app.post("/d/:shortId/unlock", (c) => answerForm(ctx, c, unlock));
  app.post("/d/:shortId/download", (c) => answerForm(ctx, c, download));
  app.post("/d/:shortId/archive", (c) => answerForm(ctx, c, downloadAll));
  // A form's answer has its address; who asks for that again, without the form, gets the share.
  for (const action of ["unlock", "download", "archive"])
    app.get(`/d/:shortId/${action}`, (c) => redirectPage(ctx, 302, `/d/${encodeURIComponent(c.req.param("shortId"))}`));
}

async function sharePage(ctx: Ctx, c: HttpContext): Promise<Response> {
  const view = await viewShare(ctx, c.req.param("shortId") ?? "");
  if (view.kind !== "open") return await closedPage(ctx, c, view);
  const { share, files } = view;
  const [file] = files;
  if (file && isOpened(c) && file.scan_status === "clean" && (await isDirectEffective(ctx, share))) {
    const { url } = await operations.authorizeDownload(ctx, await toCall(ctx, c, "direct"), { fileId: file.id });
    return redirectPage(ctx, 302, url);
  }
  return await openPage(ctx, c, view, { access: accessOf(view), ready: c.req.query("ready") });
}

/** The page behind a private link: the share unlocked, with the sender's message. */
async function deliveryPage(ctx: Ctx, c: HttpContext): Promise<Response> {
  const token = c.req.param("token") ?? "";
  const view = await viewDelivery(ctx, token);
  if (view.kind === "missing") return await answerPage(ctx, c, { status: 404, html: renderMessagePage({ kind: "noDelivery" }) });
  if (view.kind !== "open") return await closedPage(ctx, c, view);
  const access: ShareAccess = { kind: "unlocked", field: "handoffToken", token };
  return await openPage(ctx, c, view, { access, message: view.share.handoff_message, ready: c.req.query("ready") });
}

interface Sent {
  readonly call: Call;
  readonly view: OpenView;
  readonly form: URLSearchParams;
  readonly credentials: Credentials;
  /** The token of the wait that this page began. */
  readonly ready: string | undefined;
}

/** Reads one of the page's forms and acts on it; what the protection has against it is said on the share's page, beside the form for the code. */
async function answerForm(ctx: Ctx, c: HttpContext, act: (ctx: Ctx, c: HttpContext, sent: Sent) => Promise<Response>): Promise<Response> {
  let credentials: Credentials = {};
  let ready: string | undefined;
  try {
    const call = await toCall(ctx, c, "page");
    const form = await readPageForm(c, call);
    credentials = readCredentials(form);
    ready = form.get("ready") ?? undefined;
    const view = await viewShare(ctx, c.req.param("shortId") ?? "");
    if (view.kind !== "open") return await closedPage(ctx, c, view, 303);
    return await act(ctx, c, { call, view, form, credentials, ready });
  } catch (thrown) {
    const error = toAppError(thrown);
    const view = isUnlockProblem(error) ? await viewShare(ctx, c.req.param("shortId") ?? "") : undefined;
    if (view?.kind !== "open" || view.share.unlock_hash === null) return await errorPage(ctx, c, error);
    const access: ShareAccess = { kind: "locked", ...describeUnlockProblem(error, credentials) };
    return await openPage(ctx, c, view, { access, ready, status: error.status, headers: error.headers });
  }
}

const readCredentials = (form: URLSearchParams): Credentials => ({
  unlockCode: readUnlockCode(form),
  unlockToken: form.get("unlockToken") ?? undefined,
  handoffToken: form.get("handoffToken") ?? undefined,
  challengeId: form.get("challengeId") ?? undefined,
  nonce: form.get("nonce") ?? undefined,
});

/** The right code opens the page, unlocked; the token that the page then carries opens it again, for as long as it holds. */
async function unlock(ctx: Ctx, c: HttpContext, sent: Sent): Promise<Response> {
  const { view, ready } = sent;
  if (view.share.unlock_hash === null) return redirectPage(ctx, 303, `/d/${view.share.short_id}`);
  return await openPage(ctx, c, view, { ready, ...(await unlocked(ctx, sent)) });
}

/** How whoever sent this stands with the protection: throws what is the matter with the code or token, as a download would. */
async function unlocked(ctx: Ctx, { call, view: { share }, credentials }: Sent): Promise<Pick<OpenPage, "access" | "message">> {
  if (share.unlock_hash === null) return { access: { kind: "open" } };
  const { unlockToken, handoffToken, unlockCode, challengeId, nonce } = credentials;
  if (unlockToken) {
    await checkUnlocked(ctx, call, share, { unlockToken });
    return { access: { kind: "unlocked", field: "unlockToken", token: unlockToken } };
  }
  if (handoffToken) {
    await checkUnlocked(ctx, call, share, { handoffToken });
    return { access: { kind: "unlocked", field: "handoffToken", token: handoffToken }, message: share.handoff_message };
  }
  if (!unlockCode) throw new AppError("UNLOCK_REQUIRED", "Enter the unlock code.");
  // Not a guess, but a slip: it does not count.
  if (unlockCode.length !== UNLOCK_CODE_LENGTH) throw unlockInvalid();
  const { unlockToken: token } = await operations.unlockDownload(ctx, call, { shortId: share.short_id, unlockCode, challengeId, nonce });
  return { access: { kind: "unlocked", field: "unlockToken", token } };
}

/** For whoever asks before the wait is over, the page again with what is left of it: nothing was counted. Undefined for all others. */
async function waitFirst(ctx: Ctx, c: HttpContext, sent: Sent): Promise<Response | undefined> {
  const { wait } = await findSponsoring(ctx, sent.view.share, sent.ready);
  if (wait === undefined || wait.seconds === 0) return undefined;
  const headers = { "Retry-After": String(wait.seconds) };
  return await openPage(ctx, c, sent.view, { ...(await unlocked(ctx, sent)), ready: wait.token, status: 409, headers });
}

async function download(ctx: Ctx, c: HttpContext, sent: Sent): Promise<Response> {
  const { call, view, form, credentials } = sent;
  const wanted = form.get("fileId");
  const file = wanted === null ? view.files[0] : view.files.find(({ id }) => id === wanted);
  if (!file) throw new AppError("NOT_FOUND", "This share has no such file any more. Open the share link again.");
  const early = await waitFirst(ctx, c, sent);
  if (early) return early;
  const { url } = await operations.authorizeDownload(ctx, call, { fileId: file.id, ...credentials });
  return redirectPage(ctx, 303, url);
}

async function downloadAll(ctx: Ctx, c: HttpContext, sent: Sent): Promise<Response> {
  const early = await waitFirst(ctx, c, sent);
  if (early) return early;
  const { call, view, credentials } = sent;
  const { url } = await operations.authorizeArchive(ctx, call, { shortId: view.share.short_id, ...credentials });
  return redirectPage(ctx, 303, url);
}

const accessOf = ({ share }: OpenView): ShareAccess => (share.unlock_hash === null ? { kind: "open" } : { kind: "locked" });

interface OpenPage {
  readonly access: ShareAccess;
  readonly message?: string | null;
  /** The token of a wait that has begun. */
  readonly ready: string | undefined;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

async function openPage(ctx: Ctx, c: HttpContext, view: OpenView, { status, headers, ready, ...look }: OpenPage): Promise<Response> {
  const sponsoring = await findSponsoring(ctx, view.share, ready);
  const html = renderSharePage({ ...toSharePage(ctx, view, look), ...sponsoring });
  return await answerPage(ctx, c, { status, headers, html, framed: sponsoring.sponsored, hasSecrets: look.access.kind === "unlocked" });
}

const STATUS_OF: Readonly<Record<ClosedKind, number>> = {
  missing: 404,
  expired: 404,
  usedUp: 404,
  blocked: 404,
  unavailable: 404,
  damaged: 404,
  takenDown: 451,
};

async function closedPage(ctx: Ctx, c: HttpContext, view: Exclude<ShareView, OpenView>, redirect: 302 | 303 = 302): Promise<Response> {
  if (view.kind === "moved") return redirectPage(ctx, redirect, `/d/${view.shortId}`);
  return await answerPage(ctx, c, { status: STATUS_OF[view.kind], html: renderMessagePage({ kind: view.kind }) });
}
