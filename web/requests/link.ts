import { MAX_PAGE_FORM_FILES } from "../../src/contract/scalars.ts";
import { AppError } from "../../src/errors.ts";
import { identifyCaller } from "../../src/http/callers/caller.ts";
import { formStream } from "../../src/http/reading/form-stream.ts";
import { readPageForm } from "../../src/http/reading/read-body.ts";
import { queryFields } from "../../src/http/reading/read-input.ts";
import { errorHeaders } from "../../src/http/responding/http-error.ts";
import { pageContext } from "../../src/http/responding/page-context.ts";
import { redirect, respondErrorPage, respondPage } from "../../src/http/responding/respond-page.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { operations } from "../../src/service/operations.ts";
import { checkUnknown, checkUnknownHeaders } from "../../src/service/parse-input.ts";
import { type RequestLink, viewRequestLink } from "../../src/service/requests/sender-view.ts";
import { checkLinkOf } from "../../src/service/requests/submissions.ts";
import { storeForm } from "../../src/service/uploads/store-form.ts";
import { type MessageKind, renderMessagePage } from "../site/message-page.tsx";
import { renderLinkPage, renderRequestCodePage } from "./link-page.tsx";
import { linkPath, receiptPath } from "./paths.ts";
import { renderReceiptPage } from "./receipt-page.tsx";

// The pages work without scripts: sending is a form, and so is removing what was sent.

const tokenOf = (c: HttpContext): string => c.req.param("token") ?? "";

/** `GET /r/:token`: shows who asks for what, and the uploader (requests, "The page of a link"). */
export async function showRequestLink(c: HttpContext): Promise<Response> {
  const unlockToken = c.req.query("unlockToken");
  const link = await viewRequestLink(c.env.ctx, { requestToken: tokenOf(c), unlockToken });
  return await respondLink(c, link, unlockToken);
}

/** `POST /r/:token`: the code of a request, or the files of its form. */
export async function receiveAtRequestLink(c: HttpContext): Promise<Response> {
  try {
    const isForm = /^multipart\/form-data\b/i.test(c.req.header("content-type") ?? "");
    return await (isForm ? receiveFiles(c) : receiveCode(c));
  } catch (error) {
    const isClosed = error instanceof AppError && (error.code === "REQUEST_CLOSED" || error.code === "NOT_FOUND");
    return await (isClosed ? showRequestLink(c) : respondErrorPage(c, error));
  }
}

/** Each form of the page is a submission to its request, with its own receipt. */
const OF_OTHERS = new Set(["requestToken", "shareShortId", "shareToken"]);

async function receiveFiles(c: HttpContext): Promise<Response> {
  const { ctx } = c.env;
  const call = await identifyCaller(c, "page");
  // The request has the settings.
  const { unlockToken, ...query } = queryFields(c.env.url.searchParams);
  checkUnknown([], query);
  checkUnknownHeaders([], c.req.raw.headers);
  const read = formStream(c, call, MAX_PAGE_FORM_FILES, { outer: {}, ignored: OF_OTHERS });
  const request = { requestToken: tokenOf(c), unlockToken };
  const [first] = await ctx.transfers.run({ quotaOwner: call.actor.quotaOwner }, () => storeForm(ctx, call, read, { request }));
  if (!first?.deletionToken) throw new Error("A form for a request has no receipt.");
  return redirect(c, 303, receiptPath(request.requestToken, first.shortId, first.deletionToken));
}

async function receiveCode(c: HttpContext): Promise<Response> {
  const token = tokenOf(c);
  const call = await identifyCaller(c, "page");
  const unlockCode = (await readPageForm(c, call)).get("unlockCode") ?? "";
  try {
    const { unlockToken } = await operations.unlockRequest(c.env.ctx, call, { requestToken: token, unlockCode });
    return redirect(c, 303, `${linkPath(token)}?${new URLSearchParams({ unlockToken })}`);
  } catch (error) {
    if (!(error instanceof AppError && (error.code === "UNLOCK_INVALID" || error.code === "RATE_LIMITED"))) throw error;
    const page = pageContext(c);
    const texts = page.texts.receive;
    const problem = error.code === "RATE_LIMITED" ? texts.tooManyCodes : texts.wrongCode;
    const html = renderRequestCodePage(page, { token, problem });
    return await respondPage(c, { html, status: error.status, headers: errorHeaders(error) });
  }
}

/** The page that says why no files can be sent. */
const MESSAGE_OF = {
  unknown: "noRequest",
  unavailable: "requestUnavailable",
  closed: "requestClosed",
  expired: "requestExpired",
  usedUp: "requestUsedUp",
  full: "requestFull",
} as const satisfies Readonly<Record<string, MessageKind>>;

async function respondLink(c: HttpContext, link: RequestLink, unlockToken: string | undefined): Promise<Response> {
  const { ctx } = c.env;
  const page = pageContext(c);
  const token = tokenOf(c);
  if (link.kind !== "known") return await respondPage(c, { status: 404, html: renderMessagePage(page, { kind: MESSAGE_OF[link.kind] }) });
  const { view } = link;
  if (view.state !== "open") return await respondPage(c, { status: 404, html: renderMessagePage(page, { kind: MESSAGE_OF[view.state] }) });
  const { from, title } = view;
  if (from === null || title === null) return await respondPage(c, { html: renderRequestCodePage(page, { token }) });
  const html = renderLinkPage(page, {
    ...view,
    token,
    unlockToken: view.unlockRequired ? unlockToken : undefined,
    from,
    title,
    expiresAtMs: Date.parse(view.expiresAt),
    siteUrl: ctx.urls.siteUrl,
    isScanned: ctx.scanner.mode === "clamd",
  });
  return await respondPage(c, { html, hasSecrets: true });
}

const submissionOf = (c: HttpContext) => ({ shortId: c.req.param("shortId") ?? "", deletionToken: c.req.param("deletionToken") ?? "" });

/** `GET /r/:token/:shortId/:deletionToken`: what a sender has sent (requests, "The page of a link"). */
export async function showReceipt(c: HttpContext): Promise<Response> {
  try {
    const { ctx } = c.env;
    const call = await identifyCaller(c, "page");
    const token = tokenOf(c);
    await checkLinkOf(ctx, { requestToken: token, ...submissionOf(c) });
    const { files, isOpen, from, ...named } = await operations.getSubmission(ctx, call, submissionOf(c));
    const link = await viewRequestLink(ctx, { requestToken: token });
    const { shortId, deletionToken } = submissionOf(c);
    const path = receiptPath(token, shortId, deletionToken);
    const canAdd = link.kind === "known" && (link.view.state === "open" || (link.view.once && link.view.state === "usedUp"));
    const html = renderReceiptPage(pageContext(c), { ...named, token, path, from, files, isOpen, canAdd });
    return await respondPage(c, { html, hasSecrets: true });
  } catch (error) {
    return await respondReceiptError(c, error);
  }
}

/** `POST /r/:token/:shortId/:deletionToken`: removes one file, or all. */
export async function removeByReceipt(c: HttpContext): Promise<Response> {
  try {
    const call = await identifyCaller(c, "page");
    await checkLinkOf(c.env.ctx, { requestToken: tokenOf(c), ...submissionOf(c) });
    const fileId = (await readPageForm(c, call)).get("fileId") || undefined;
    await operations.removeSubmitted(c.env.ctx, call, { ...submissionOf(c), fileId });
    const { shortId, deletionToken } = submissionOf(c);
    return redirect(c, 303, receiptPath(tokenOf(c), shortId, deletionToken));
  } catch (error) {
    return await respondReceiptError(c, error);
  }
}

async function respondReceiptError(c: HttpContext, error: unknown): Promise<Response> {
  if (!(error instanceof AppError)) return await respondErrorPage(c, error);
  if (error.code === "NOT_FOUND")
    return await respondPage(c, { status: 404, html: renderMessagePage(pageContext(c), { kind: "noRequest" }) });
  if (error.code === "REQUEST_CLOSED")
    return await respondPage(c, { status: 409, html: renderMessagePage(pageContext(c), { kind: "requestClosed" }) });
  return await respondErrorPage(c, error);
}
