import type { RequestContext } from "../../src/context.ts";
import { MAX_PAGE_FORM_FILES } from "../../src/contract/scalars.ts";
import type { AppError } from "../../src/errors.ts";
import { formStream } from "../../src/http/reading/form-stream.ts";
import { readPageForm } from "../../src/http/reading/read-body.ts";
import { queryFields } from "../../src/http/reading/read-input.ts";
import { pageContext } from "../../src/http/responding/page-context.ts";
import { describeError, redirect, respondMessage, respondPage } from "../../src/http/responding/respond-page.ts";
import { respondToRefusals } from "../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import type { UploadResult } from "../../src/service/files/contract.ts";
import { importsContract } from "../../src/service/imports/contract.ts";
import { operations } from "../../src/service/operations.ts";
import { checkUnknown, checkUnknownHeaders, parseInput } from "../../src/service/parse-input.ts";
import { type RequestLink, viewRequestLink } from "../../src/service/requests/sender-view.ts";
import { checkLinkOf } from "../../src/service/requests/submissions.ts";
import type { FormProof } from "../../src/service/requests/uploader.ts";
import { storeForm } from "../../src/service/uploads/upload-form.ts";
import { withVisitor } from "../account/visitor.ts";
import { errorText } from "../site/error-text.ts";
import { type MessageKind, renderMessagePage } from "../site/message-page.tsx";
import type { PageContext } from "../site/page-context.ts";
import { renderLinkPage, renderRequestCodePage } from "./link-page.tsx";
import { linkPath, receiptPath } from "./paths.ts";
import { type FetchedFile, renderReceiptPage } from "./receipt-page.tsx";

// The pages work without scripts: files are sent and removed by forms.

const tokenOf = (c: HttpContext): string => c.req.param("token") ?? "";

/** Handles `GET /r/:token`: shows the request and the uploader (requests, "The page of a link"). */
export async function showRequestLinkPage(c: HttpContext): Promise<Response> {
  const unlockToken = c.req.query("unlockToken");
  const link = await viewRequestLink(c.env.ctx, { requestToken: tokenOf(c), unlockToken });
  return await respondLink(c, link, { unlockToken });
}

/** Handles `POST /r/:token`: receives the code of a request, the files of its form, or the URL of a file. */
export const postRequestLink = (c: HttpContext): Promise<Response> =>
  withVisitor(c, { setsCookie: false }, (call) => {
    const showClosed = () => showRequestLinkPage(c);
    return respondToRefusals(() => (hasFiles(c) ? receiveFiles(c, call) : receiveForm(c, call)), {
      REQUEST_CLOSED: showClosed,
      NOT_FOUND: showClosed,
    });
  });

/** Whether the posted form is one of files. */
const hasFiles = (c: HttpContext): boolean => /^multipart\/form-data\b/i.test(c.req.header("content-type") ?? "");

/** Fields that a form of files cannot set, because the path of its page decides the request and the submission. */
const OF_PATH = new Set(["requestToken", "shareShortId", "shareToken"]);

async function receiveFiles(c: HttpContext, call: RequestContext): Promise<Response> {
  const { unlockToken, ...query } = queryFields(c.env.url.searchParams);
  checkUnknown([], query);
  const token = tokenOf(c);
  const first = await storeFiles(c, call, { unlockToken });
  if (!first?.deletionToken) throw new Error("A form for a request has no receipt.");
  return redirect(c, 303, receiptPath(token, first.shortId, first.deletionToken));
}

/** Stores the files of a form in the request of the path. Resolves to the upload of the first file. */
async function storeFiles(c: HttpContext, call: RequestContext, proof: FormProof): Promise<UploadResult | undefined> {
  const { ctx } = c.env;
  checkUnknownHeaders([], c.req.raw.headers);
  // The settings come from the request, not from the query.
  const read = formStream(c, call, MAX_PAGE_FORM_FILES, { outer: {}, ignored: OF_PATH });
  const request = { requestToken: tokenOf(c), ...proof };
  const [first] = await ctx.uploadBodyLimiter.run({ quotaOwner: call.actor.quotaOwner }, () => storeForm(ctx, call, read, { request }));
  return first;
}

async function receiveForm(c: HttpContext, call: RequestContext): Promise<Response> {
  const form = await readPageForm(c, call);
  return form.has("url") ? await receiveUrl(c, call, form) : await receiveCode(c, call, form);
}

/** Begins to import a file into a new submission, whose receipt shows the progress. */
async function receiveUrl(c: HttpContext, call: RequestContext, form: URLSearchParams): Promise<Response> {
  const { ctx } = c.env;
  const token = tokenOf(c);
  const unlockToken = c.req.query("unlockToken");
  const url = form.get("url") ?? "";
  const sender = { senderName: form.get("senderName")?.trim() || undefined };
  return await respondToRefusals(
    async () => {
      // The import itself begins a submission, but not one that needs a code.
      const opened =
        unlockToken === undefined ? undefined : await operations.openSubmission(ctx, call, { requestToken: token, ...sender, unlockToken });
      const target = opened ? { shareShortId: opened.shortId, shareToken: opened.shareToken } : sender;
      const input = parseInput(importsContract.initImport.input, { url, requestToken: token, ...target });
      const job = await operations.initImport(ctx, call, input);
      const { shortId = "", deletionToken = "" } = opened ?? job;
      const query = new URLSearchParams({ import: job.jobId, secret: job.jobSecret });
      return redirect(c, 303, `${receiptPath(token, shortId, deletionToken)}?${query}`);
    },
    {
      other: async (refusal) => {
        const link = await viewRequestLink(ctx, { requestToken: token, unlockToken });
        const problem = describeError(pageContext(c), refusal);
        return await respondLink(c, link, { unlockToken, refused: { url, problem, refusal } });
      },
    },
  );
}

async function receiveCode(c: HttpContext, call: RequestContext, form: URLSearchParams): Promise<Response> {
  const token = tokenOf(c);
  const unlockCode = form.get("unlockCode") ?? "";
  const page = pageContext(c);
  const refuse = (problem: string) => async (refusal: AppError) => {
    const link = await viewRequestLink(c.env.ctx, { requestToken: token });
    if (link.kind !== "known") return await respondLink(c, link, {});
    return await respondPage(c, { html: renderRequestCodePage(page, { token, from: link.view.from, problem }), refusal });
  };
  return await respondToRefusals(
    async () => {
      const { unlockToken } = await operations.unlockRequest(c.env.ctx, call, { requestToken: token, unlockCode });
      return redirect(c, 303, `${linkPath(token)}?${new URLSearchParams({ unlockToken })}`);
    },
    { UNLOCK_INVALID: refuse(page.texts.receive.wrongCode), RATE_LIMITED: refuse(page.texts.receive.tooManyCodes) },
  );
}

/** The pages that explain why no files can be sent. */
const MESSAGE_OF = {
  unknown: "noRequest",
  unavailable: "requestUnavailable",
  closed: "requestClosed",
  expired: "requestExpired",
  usedUp: "requestUsedUp",
  full: "requestFull",
} as const satisfies Readonly<Record<string, MessageKind>>;

interface ShownLink {
  readonly unlockToken?: string | undefined;
  /** The URL that was refused, with the reason. */
  readonly refused?: { readonly url: string; readonly problem: string; readonly refusal: AppError };
}

async function respondLink(c: HttpContext, link: RequestLink, { unlockToken, refused }: ShownLink): Promise<Response> {
  const { ctx } = c.env;
  const page = pageContext(c);
  const token = tokenOf(c);
  if (link.kind !== "known") return await respondPage(c, { status: 404, html: renderMessagePage(page, { kind: MESSAGE_OF[link.kind] }) });
  const { view } = link;
  if (view.state !== "open") return await respondPage(c, { status: 404, html: renderMessagePage(page, { kind: MESSAGE_OF[view.state] }) });
  const { from, title } = view;
  if (title === null || from === null) return await respondPage(c, { html: renderRequestCodePage(page, { token, from }) });
  const html = renderLinkPage(page, {
    ...view,
    token,
    unlockToken: view.unlockRequired ? unlockToken : undefined,
    from,
    title,
    expiresAtMs: Date.parse(view.expiresAt),
    nowMs: ctx.now(),
    siteUrl: ctx.urls.siteUrl,
    isScanned: ctx.scanner.mode === "clamd",
    refused,
  });
  return await respondPage(c, { html, refusal: refused?.refusal, hasSecrets: true });
}

const submissionOf = (c: HttpContext) => ({ shortId: c.req.param("shortId") ?? "", deletionToken: c.req.param("deletionToken") ?? "" });

/** Handles `GET /r/:token/:shortId/:deletionToken`: shows the files that a sender has sent (requests, "The page of a link"). */
export const showReceiptPage = (c: HttpContext): Promise<Response> =>
  withReceipt(c, async (call) => {
    const { ctx } = c.env;
    const token = tokenOf(c);
    const { files, isOpen, from } = await operations.getSubmission(ctx, call, submissionOf(c));
    const link = await viewRequestLink(ctx, { requestToken: token });
    const { shortId, deletionToken } = submissionOf(c);
    const path = receiptPath(token, shortId, deletionToken);
    const canAdd = link.kind === "known" && (link.view.state === "open" || (link.view.once && link.view.state === "usedUp"));
    const add = canAdd ? { ...link.view, siteUrl: ctx.urls.siteUrl, isScanned: ctx.scanner.mode === "clamd" } : undefined;
    const isEncrypted = link.kind === "known" && link.view.encryptTo !== null;
    const page = pageContext(c);
    const fetched = await findFetched(c, call, page);
    const html = renderReceiptPage(page, {
      token,
      shortId,
      path,
      siteUrl: ctx.urls.siteUrl,
      from,
      files,
      isOpen,
      isEncrypted,
      add,
      fetched,
    });
    return await respondPage(c, { html, hasSecrets: true });
  });

/** Returns the state of the import that the URL of a receipt names; undefined without one, and if it is unknown. */
async function findFetched(c: HttpContext, call: RequestContext, page: PageContext): Promise<FetchedFile | undefined> {
  const { import: jobId, secret } = c.req.query();
  if (jobId === undefined) return undefined;
  return await respondToRefusals(
    async (): Promise<FetchedFile | undefined> => {
      const { status, percent, error, errorCode } = await operations.getImport(c.env.ctx, call, { jobId, secret });
      if (status === "queued" || status === "importing") return { state: "running", percent };
      if (status === "completed") return { state: "completed" };
      const text = errorText(page.texts.errors, page.language, { errorCode: errorCode ?? "" }) ?? error ?? "";
      return { state: "failed", problem: text };
    },
    { NOT_FOUND: async () => undefined },
  );
}

/** Handles `POST /r/:token/:shortId/:deletionToken`: adds the files of a form, or removes one file, or all. */
export const postReceipt = (c: HttpContext): Promise<Response> =>
  withReceipt(c, async (call) => {
    const receipt = submissionOf(c);
    if (hasFiles(c)) {
      checkUnknown([], queryFields(c.env.url.searchParams));
      await storeFiles(c, call, { receipt });
    } else {
      const fileId = (await readPageForm(c, call)).get("fileId") || undefined;
      await operations.removeSubmitted(c.env.ctx, call, { ...receipt, fileId });
    }
    return redirect(c, 303, receiptPath(tokenOf(c), receipt.shortId, receipt.deletionToken));
  });

/** Responds for a receipt of the request in the path. Shows an error page if there is none, or if its request is closed. */
const withReceipt = (c: HttpContext, work: (call: RequestContext) => Promise<Response>): Promise<Response> =>
  withVisitor(c, { setsCookie: false }, (call) =>
    respondToRefusals(
      async () => {
        await checkLinkOf(c.env.ctx, { requestToken: tokenOf(c), ...submissionOf(c) });
        return await work(call);
      },
      {
        NOT_FOUND: () => respondMessage(c, { kind: "noRequest", status: 404 }),
        WRONG_TOKEN: () => respondMessage(c, { kind: "noRequest", status: 404 }),
        REQUEST_CLOSED: () => respondMessage(c, { kind: "requestClosed", status: 409 }),
      },
    ),
  );
