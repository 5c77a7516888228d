import type { RequestContext } from "../../src/context.ts";
import type { ErrorFields } from "../../src/contract/error-fields.ts";
import { AppError, toAppError } from "../../src/errors.ts";
import { respondFileHeaders } from "../../src/http/bytes/download.ts";
import { respondArchiveHeaders } from "../../src/http/bytes/download-archive.ts";
import { identifyCaller } from "../../src/http/callers/caller.ts";
import { PASSWORD_HEADER, readDownloadAsker, readTextHeader, wantsJson } from "../../src/http/reading/request-headers.ts";
import { respondError, respondErrorText } from "../../src/http/responding/respond-error.ts";
import { redirect } from "../../src/http/responding/respond-page.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { ownerId } from "../../src/service/accounts/actor.ts";
import { getArchive } from "../../src/service/downloads/authorize-archive.ts";
import { getDownloadableFile } from "../../src/service/downloads/authorize-download.ts";
import { operations } from "../../src/service/operations.ts";
import type { FoundShare } from "../../src/service/shares/queries.ts";
import { normalizeUnlockText, unlockKind } from "../../src/service/shares/share-password.ts";
import { isLimited } from "../../src/service/shares/share-state.ts";
import { viewShare } from "../../src/service/shares/view-share.ts";
import { respondClosedText } from "./closed-share.ts";
import type { OpenView } from "./to-share-page.ts";

/**
 * Handles `GET` and `HEAD` of `/d/:shortId/download`: sends the bytes of the share to programs, as one download, and the page to browsers (curl,
 * "Downloads"). An error is one line of text, or JSON, with the status and headers of the operation's error. No other response is a page.
 */
export async function downloadForProgram(c: HttpContext): Promise<Response> {
  const shortId = c.req.param("shortId") ?? "";
  const asker = readDownloadAsker(c);
  if (asker === "person") return redirect(c, 302, `/d/${encodeURIComponent(shortId)}`);
  try {
    if (asker === "preview") throw notForPreviews();
    return await authorize(c, shortId, asker === "known");
  } catch (thrown) {
    const known = toAppError(thrown);
    const error = known.code === "UNLOCK_REQUIRED" ? codeRequired(known.fields) : thrown;
    return wantsJson(c) ? respondError(c, error) : respondErrorText(c, error);
  }
}

async function authorize(c: HttpContext, shortId: string, isKnown: boolean): Promise<Response> {
  const { ctx } = c.env;
  const call = await identifyCaller(c, "terminal");
  const view = await viewShare(ctx, shortId, ownerId(call.actor));
  if (view.kind === "moved") return redirect(c, 302, `/d/${encodeURIComponent(view.shortId)}/download`);
  if (view.kind !== "open") return await respondClosedText(c, view);
  if (!isKnown && isLimited(view.share)) throw notForUnknown(`${ctx.urls.apiUrl}/files/${pathOf(view)}`);
  const credentials = await readUnlockHeader(c, call, view.share);
  return c.req.method === "HEAD" ? await showHeaders(c, call, view, credentials) : await redirectToBytes(c, call, view, credentials);
}

interface Credentials {
  readonly unlockCode?: string;
  readonly unlockToken?: string;
}

/** Reads the code of a share from its header, or exchanges the password in its header for a token, as the operations of downloads require. */
async function readUnlockHeader(c: HttpContext, call: RequestContext, share: FoundShare): Promise<Credentials> {
  const sent = readTextHeader(c, "x-unlock-code") ?? readTextHeader(c, PASSWORD_HEADER);
  if (sent === undefined) return {};
  if (unlockKind(share) !== "password") return { unlockCode: normalizeUnlockText(share, sent) };
  const { unlockToken } = await operations.unlockDownload(c.env.ctx, call, { shortId: share.short_id, unlockCode: sent });
  return { unlockToken };
}

const onlyFile = ({ files: [file, ...others] }: OpenView) => (others.length === 0 ? file : undefined);

/** Returns the path of the operation that downloads the contents of a share. */
function pathOf(view: OpenView): string {
  const file = onlyFile(view);
  return file ? `download/${file.id}` : `share/${view.share.short_id}/archive`;
}

async function redirectToBytes(c: HttpContext, call: RequestContext, view: OpenView, code: Credentials): Promise<Response> {
  const { ctx } = c.env;
  const file = onlyFile(view);
  const { url } = file
    ? await operations.authorizeDownload(ctx, call, { fileId: file.id, ...code })
    : await operations.authorizeArchive(ctx, call, { shortId: view.share.short_id, ...code });
  return redirect(c, 302, url);
}

/** Responds with the headers of the final response to a `GET`, so that programs which send HEAD first expect the right size. Counts no download. */
async function showHeaders(c: HttpContext, call: RequestContext, view: OpenView, code: Credentials): Promise<Response> {
  const { ctx } = c.env;
  const file = onlyFile(view);
  if (file) return await respondFileHeaders(await getDownloadableFile(ctx, call, { fileId: file.id, ...code }));
  return await respondArchiveHeaders(await getArchive(ctx, call, { shortId: view.share.short_id, ...code }));
}

const codeRequired = (fields: ErrorFields): AppError =>
  new AppError(
    "UNLOCK_REQUIRED",
    fields.unlockKind === "password"
      ? "This share is protected. Send its password: -H 'X-Password: PASSWORD'."
      : "This share is protected. Send its code: -H 'X-Unlock-Code: CODE'.",
    { fields },
  );

const notForPreviews = (): AppError =>
  new AppError("NOT_ACCEPTABLE", "Link previews do not get the file. Open the link without /download for its page.");

const notForUnknown = (url: string): AppError =>
  new AppError(
    "NOT_ACCEPTABLE",
    `This share has a limit on downloads, which an unknown program could use up. Use curl, or call GET ${url} from your program.`,
  );
