import type { RequestContext } from "../../src/context.ts";
import { AppError, invalidField, toAppError } from "../../src/errors.ts";
import { sendSigned } from "../../src/http/bytes/download.ts";
import { sendArchivedFiles } from "../../src/http/bytes/download-archive.ts";
import { identifyCaller } from "../../src/http/callers/caller.ts";
import { readPageForm } from "../../src/http/reading/read-body.ts";
import { pageContext } from "../../src/http/responding/page-context.ts";
import { redirect, respondErrorPage } from "../../src/http/responding/respond-page.ts";
import { respondToRefusals } from "../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { isInFolder, pathInShare } from "../../src/lib/text/relative-path.ts";
import { operations } from "../../src/service/operations.ts";
import { findWrongLength, normalizeUnlockText, unlockKind } from "../../src/service/shares/share-password.ts";
import { getSponsoring } from "../../src/service/shares/sponsoring.ts";
import { checkUnlocked, unlockInvalid } from "../../src/service/shares/unlock.ts";
import { findPurchaseToken, hasLeft, readPaid } from "../selling/buyer.ts";
import type { OfferProblem } from "../selling/sale-view.ts";
import { leaveToCheckout, OFFER_PROBLEMS, showEndedPurchase } from "../selling/share-sale.ts";
import { showClosedShare } from "./closed-share.ts";
import { readListRequest, WHOLE_SHIPMENT } from "./file-listing.ts";
import { redirectToShare } from "./share.ts";
import type { ShareAccess } from "./share-page-props.ts";
import { OPEN_ACCESS, readShareView, toLockedAccess, toUnlockedAccess } from "./share-request.ts";
import { type OpenShareOptions, showOpenShare } from "./show-open-share.ts";
import type { OpenView } from "./to-share-page.ts";
import { describeUnlockProblem, isUnlockProblem, type SentCredentials } from "./unlock-problem.ts";

/** Handles `POST /d/:shortId/unlock`. */
export const postUnlock = (c: HttpContext): Promise<Response> => handleForm(c, unlock);

/** Handles `POST /d/:shortId/buy`: shows a page that redirects to the payment platform. */
export const postPurchase = (c: HttpContext): Promise<Response> => handleForm(c, buy);

/** Handles `POST /d/:shortId/download`: redirects to the file's signed URL. */
export const postDownload = (c: HttpContext): Promise<Response> => handleForm(c, download);

/**
 * Handles `POST /d/:shortId/bytes`: sends an encrypted file, or all chosen files of a share, to the script of the page, which decrypts them
 * (encryption, "On the page"). The bytes come from this server, because the page's policy allows no request to the content URL or the store.
 */
export const postEncryptedBytes = (c: HttpContext): Promise<Response> => handleForm(c, sendEncrypted, MAX_SELECTION_BYTES);

/** Handles `POST /d/:shortId/archive`: redirects to the archive's signed URL. */
export const postArchive = (c: HttpContext): Promise<Response> => handleForm(c, downloadFiles, MAX_SELECTION_BYTES);

/**
 * Handles `POST /d/:shortId/preview`: shows the share with the preview of one file, for pages where only the form has the token of an unlocked share.
 */
export const postPreview = (c: HttpContext): Promise<Response> => handleForm(c, showPreview);

/** The largest form of a selection, which fits the IDs of 10,000 files. */
const MAX_SELECTION_BYTES = 256 * 1024;

/** A submitted form of a share's page. */
interface Submission {
  readonly call: RequestContext;
  readonly view: OpenView;
  readonly form: URLSearchParams;
  readonly credentials: SentCredentials & { readonly purchaseToken?: string | undefined };
  /** The token of the wait that the page started. */
  readonly waitToken: string | undefined;
}

/** Reads a form of the page and runs `act`. Problems with the code or token are shown on the share's page. */
async function handleForm(
  c: HttpContext,
  act: (c: HttpContext, submission: Submission) => Promise<Response>,
  maxBytes?: number,
): Promise<Response> {
  let credentials: SentCredentials = {};
  let waitToken: string | undefined;
  try {
    const call = await identifyCaller(c, "page");
    const form = await readPageForm(c, call, maxBytes);
    credentials = readCredentials(form);
    waitToken = form.get("ready") ?? undefined;
    const view = await readShareView(c);
    if (view.kind !== "open") return (await showEndedPurchase(c, view)) ?? (await showClosedShare(c, view, 303));
    const chosen = form.get("fileId");
    const fileIds = chosen === null ? view.files.map(({ id }) => id) : [chosen];
    const purchaseToken = await findPurchaseToken(c, call, { share: view.share, fileIds });
    return await act(c, { call, view, form, credentials: { ...credentials, purchaseToken }, waitToken });
  } catch (thrown) {
    const error = toAppError(thrown);
    if (error.code === "PAYMENT_REQUIRED") return redirectToShare(c, 303);
    const view = isUnlockProblem(error, credentials) ? await readShareView(c) : undefined;
    if (view?.kind !== "open" || view.share.unlock_hash === null) return await respondErrorPage(c, error);
    const access: ShareAccess = {
      ...toLockedAccess(view),
      ...describeUnlockProblem(pageContext(c).texts.unlock, error, { sent: credentials, share: view.share }),
    };
    return await showOpenShare(c, view, { access, waitToken, request: WHOLE_SHIPMENT, refusal: error });
  }
}

const readCredentials = (form: URLSearchParams): SentCredentials => ({
  unlockCode: form.get("unlockCode") ?? undefined,
  unlockToken: form.get("unlockToken") ?? undefined,
  handoffToken: form.get("handoffToken") ?? undefined,
  challengeId: form.get("challengeId") ?? undefined,
  nonce: form.get("nonce") ?? undefined,
});

/** Shows the unlocked page for a valid code or token. The page's forms carry a token until it expires. */
async function unlock(c: HttpContext, submission: Submission): Promise<Response> {
  const { view, waitToken, form } = submission;
  if (view.share.unlock_hash === null) return redirect(c, 303, `/d/${view.share.short_id}`);
  return await showOpenShare(c, view, { waitToken, request: readListRequest(form), ...(await checkAccess(c, submission)) });
}

/** Checks the submitted code or token. Throws the same errors as a download. */
async function checkAccess(
  c: HttpContext,
  { call, view, credentials }: Submission,
): Promise<Pick<OpenShareOptions, "access" | "handoffMessage">> {
  const { ctx } = c.env;
  const { share } = view;
  if (share.unlock_hash === null || credentials.purchaseToken !== undefined) return { access: OPEN_ACCESS };
  const { unlockToken, handoffToken, challengeId, nonce } = credentials;
  const unlockCode = normalizeUnlockText(share, credentials.unlockCode ?? "");
  if (unlockToken) {
    await checkUnlocked(ctx, call, share, { unlockToken });
    return { access: toUnlockedAccess(view, "unlockToken", unlockToken) };
  }
  if (handoffToken) {
    await checkUnlocked(ctx, call, share, { handoffToken });
    return { access: toUnlockedAccess(view, "handoffToken", handoffToken), handoffMessage: share.handoff_message };
  }
  if (!unlockCode) throw new AppError("UNLOCK_REQUIRED", "Enter the code.");
  if (findWrongLength(share, unlockCode)) throw unlockInvalid(unlockKind(share));
  const { unlockToken: token } = await operations.unlockDownload(ctx, call, { shortId: share.short_id, unlockCode, challengeId, nonce });
  return { access: toUnlockedAccess(view, "unlockToken", token) };
}

/** Shows the page with the remaining wait, before any download is counted; undefined if the wait has ended. */
async function requireWait(c: HttpContext, submission: Submission): Promise<Response | undefined> {
  const { wait } = await getSponsoring(c.env.ctx, submission.view.share, submission.waitToken);
  if (wait === undefined || wait.seconds === 0) return undefined;
  const headers = { "Retry-After": String(wait.seconds) };
  return await showOpenShare(c, submission.view, {
    ...(await checkAccess(c, submission)),
    waitToken: wait.token,
    request: readListRequest(submission.form),
    status: 409,
    headers,
  });
}

/** Redirects to the checkout that this browser has left, or to a new one. Shows problems on the share's page, in place of the button. */
async function buy(c: HttpContext, submission: Submission): Promise<Response> {
  const { view, call, form, credentials } = submission;
  const { share } = view;
  const fileIds = view.files.map(({ id }) => id);
  const [paid] = await readPaid(c, share, fileIds);
  // The page of a buyer has a download. For a limited share, a used download can be bought again.
  if (share.price_cents === null || (paid && hasLeft(paid, fileIds))) return redirectToShare(c, 303);
  const { purchaseToken: _, ...codes } = credentials;
  const { access, handoffMessage } = await checkAccess(c, { ...submission, credentials: codes });
  const show = (problem: OfferProblem, refusal?: AppError) =>
    showOpenShare(c, view, {
      ...{ access, handoffMessage, problem, waitToken: undefined, request: WHOLE_SHIPMENT },
      refusal,
    });
  if (form.has("priceCents") && form.get("priceCents") !== String(share.price_cents)) return await show("changed");
  const unlocked = access.kind === "unlocked" ? { [access.field]: access.token } : {};
  return await respondToRefusals(() => leaveToCheckout(c, call, share, unlocked), {
    other: (refusal) => {
      const problem = OFFER_PROBLEMS[refusal.code];
      if (problem === undefined) throw refusal;
      return show(problem, refusal);
    },
  });
}

async function download(c: HttpContext, submission: Submission): Promise<Response> {
  const { id: fileId } = chosenFile(submission);
  const { call, credentials } = submission;
  const waiting = await requireWait(c, submission);
  if (waiting) return waiting;
  const { url } = await operations.authorizeDownload(c.env.ctx, call, { fileId, ...credentials });
  return redirect(c, 303, url);
}

async function sendEncrypted(c: HttpContext, submission: Submission): Promise<Response> {
  const { form } = submission;
  return await (form.has("all") || form.has("selected") ? sendAllEncrypted : sendOneEncrypted)(c, submission);
}

async function sendOneEncrypted(c: HttpContext, submission: Submission): Promise<Response> {
  const { id: fileId, is_encrypted } = chosenFile(submission);
  // All other files are sent only from the content URL.
  if (is_encrypted === 0) throw fileGone();
  const { call, credentials } = submission;
  const waiting = await requireWait(c, submission);
  if (waiting) return waiting;
  const { url } = await operations.authorizeDownload(c.env.ctx, call, { fileId, ...credentials });
  return await sendSigned(c, { fileId, url });
}

/** Sends the chosen files, of which at least one in the share is encrypted. The others are needed for the same ZIP. */
async function sendAllEncrypted(c: HttpContext, submission: Submission): Promise<Response> {
  const { share, files } = submission.view;
  if (!files.some(({ is_encrypted }) => is_encrypted === 1)) throw fileGone();
  const url = await authorizeFiles(c, submission);
  return url instanceof Response ? url : await sendArchivedFiles(c, { shortId: share.short_id, url });
}

function chosenFile({ form, view: { files } }: Submission): OpenView["files"][number] {
  const fileId = form.get("fileId");
  const file = fileId === null ? files[0] : files.find(({ id }) => id === fileId);
  if (!file) throw fileGone();
  return file;
}

const fileGone = (): AppError => new AppError("NOT_FOUND", "This file is no longer in the share. Open the share link again.");

async function showPreview(c: HttpContext, submission: Submission): Promise<Response> {
  const { view, form, waitToken } = submission;
  const options = { waitToken, request: WHOLE_SHIPMENT, fileId: form.get("fileId") ?? undefined };
  return await showOpenShare(c, view, { ...options, ...(await checkAccess(c, submission)) });
}

async function downloadFiles(c: HttpContext, submission: Submission): Promise<Response> {
  const url = await authorizeFiles(c, submission);
  return url instanceof Response ? url : redirect(c, 303, url);
}

/** Counts the downloads of the chosen files, and resolves to the signed URL of their archive; or to the page with the remaining wait. */
async function authorizeFiles(c: HttpContext, submission: Submission): Promise<string | Response> {
  const waiting = await requireWait(c, submission);
  if (waiting) return waiting;
  const { call, view, credentials } = submission;
  const fileIds = selectedFiles(submission);
  const { url } = await operations.authorizeArchive(c.env.ctx, call, { shortId: view.share.short_id, fileIds, ...credentials });
  return url;
}

/** Returns the IDs of the files that the form selects, alone or by folder; undefined for all. Throws VALIDATION_FAILED if none is selected. */
function selectedFiles({ view, form }: Submission): string | undefined {
  if (!form.has("selected")) return undefined;
  const ids = new Set(form.getAll("select").flatMap((list) => list.split(",")));
  const folders = form.getAll("selectFolder");
  const isSelected = (path: string): boolean => folders.some((folder) => isInFolder(path, folder));
  const selected = view.files.filter(
    (file) => ids.has(file.id) || isSelected(pathInShare({ name: file.name, relativePath: file.relative_path })),
  );
  if (selected.length === 0) throw invalidField("select", "Select at least one file.");
  return selected.map(({ id }) => id).join(",");
}
