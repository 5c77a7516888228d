import type { RequestContext } from "../../src/context.ts";
import { AppError, invalidField } from "../../src/errors.ts";
import { sendOwnArchivedFiles } from "../../src/http/bytes/download-archive.ts";
import { readPageForm } from "../../src/http/reading/read-body.ts";
import { pageContext } from "../../src/http/responding/page-context.ts";
import { redirect, respondErrorPage, respondPage } from "../../src/http/responding/respond-page.ts";
import { respondToRefusals } from "../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { DAY_MS } from "../../src/lib/text/duration.ts";
import { toNameKeys } from "../../src/lib/text/file-name.ts";
import { formatSize } from "../../src/lib/text/format-size.ts";
import { toIso } from "../../src/lib/text/iso-time.ts";
import type { Output, RequestInput } from "../../src/service/contract.ts";
import { archiveReceived } from "../../src/service/downloads/own-archive.ts";
import { signReceivedFiles } from "../../src/service/downloads/sign-received-files.ts";
import { operations } from "../../src/service/operations.ts";
import { parseInput } from "../../src/service/parse-input.ts";
import { requestsContract } from "../../src/service/requests/contract.ts";
import { withPerson } from "../account/with-person.ts";
import { errorText } from "../site/error-text.ts";
import { readNotify } from "../site/read-notify.ts";
import { parseTypedSize } from "../site/typed-size.ts";
import type { Language } from "../texts/languages.ts";
import { NEW_FOLDER } from "./folder-choice.ts";
import { listFolderPaths } from "./folder-paths.ts";
import { REQUEST_ACTIONS, REQUESTS_PATH, requestPath } from "./paths.ts";
import { type RequestPageProps, renderRequestPage } from "./request-page.tsx";
import { REQUEST_LISTS, renderRequestsPage } from "./requests-page.tsx";

const ROWS = 50;
/** The largest form. It fits the IDs of 1,000 files, which have 36 characters each, and 3 for the encoded comma between them. */
const MAX_FORM_BYTES = 48 * 1024;

/** Handles `GET /requests` (requests, "The pages of the account that asks"). */
export const showRequestsPage = (c: HttpContext): Promise<Response> => withPerson(c, (call) => respondRequests(c, call));

/** Handles `POST /requests`: creates a request. */
export const postNewRequest = (c: HttpContext): Promise<Response> =>
  withPerson(c, (call) => {
    let isEncrypted = false;
    return respondToRefusals(
      async () => {
        const form = await readPageForm(c, call);
        isEncrypted = form.has("encryptTo");
        const input = parseInput(requestsContract.createRequest.input, readSettings(c, form, { isNew: true }));
        const { id, unlockCode } = await operations.createRequest(c.env.ctx, call, input);
        return unlockCode === undefined
          ? redirect(c, 303, `${requestPath(id)}?done=created`)
          : await respondRequest(c, call, id, { done: "created", unlockCode });
      },
      { other: (refusal) => respondRequests(c, call, { refusal, isEncrypted }) },
    );
  });

export const showRequestPage = (c: HttpContext): Promise<Response> =>
  withPerson(c, (call) =>
    respondRequest(c, call, idOf(c), {
      done: DONE.find((name) => name === c.req.query("done")),
      isEdited: c.req.query("edit") !== undefined,
    }),
  );

/** Handles `POST /requests/:id`: changes the settings of a request. */
export const postRequest = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const { ctx } = c.env;
    const id = idOf(c);
    const before = await operations.getRequest(ctx, call, { id });
    return await respondToRefusals(
      async () => {
        const settings = readSettings(c, await readPageForm(c, call), { isNew: false });
        const unchanged = withoutUnchanged(settings, before, pageContext(c).language);
        const input = parseInput(requestsContract.updateRequest.input, { ...settings, ...unchanged, id });
        const { unlockCode } = await operations.updateRequest(ctx, call, input);
        return unlockCode === undefined
          ? redirect(c, 303, `${requestPath(id)}?done=saved`)
          : await respondRequest(c, call, id, { done: "saved", unlockCode });
      },
      {
        NOT_FOUND: (refusal) => respondErrorPage(c, refusal),
        other: (refusal) => respondRequest(c, call, id, { problem: describe(c, refusal) }, refusal),
      },
    );
  });

/**
 * Removes settings that are unchanged since the form was shown, because the form rounds sizes, and a code stays unless its box is changed. A code
 * must be removed before another one is made.
 */
function withoutUnchanged(settings: ReturnType<typeof readSettings>, before: Output<"getRequest">, language: Language) {
  const change = (bytes: number | null | undefined, current: number | null): number | null | undefined =>
    current !== null && bytes === parseTypedSize(formatSize(current, language), language) ? undefined : bytes;
  return {
    maxBytes: change(settings.maxBytes, before.maxBytes),
    maxFileBytes: change(settings.maxFileBytes, before.maxFileBytes),
    protect: settings.protect === before.unlockRequired ? undefined : settings.protect,
  };
}

/** Handles `POST /requests/:id/:action`. */
export const postRequestAction = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const { ctx } = c.env;
    const id = idOf(c);
    const action = REQUEST_ACTIONS.find((name) => name === c.req.param("action"));
    const form = await readPageForm(c, call, MAX_FORM_BYTES);
    if (action === "close" || action === "reopen") {
      await operations.updateRequest(ctx, call, { id, closed: action === "close" });
      return redirect(c, 303, `${requestPath(id)}?done=${action === "close" ? "closed" : "reopened"}`);
    }
    if (action === "rotate") {
      await operations.rotateRequest(ctx, call, { id });
      return redirect(c, 303, `${requestPath(id)}?done=rotated`);
    }
    if (action === "delete") {
      await operations.deleteRequest(ctx, call, { id });
      return redirect(c, 303, `${REQUESTS_PATH}?done=deleted`);
    }
    const fileIds = form
      .get("fileIds")
      ?.split(",")
      .filter((fileId) => fileId !== "");
    if (action === "download") return redirect(c, 303, await archiveReceived(ctx, call, { requestId: id, fileIds }));
    // The script of the page decrypts these bytes, which its policy allows it to request from this server only.
    if (action === "bytes") return await sendOwnArchivedFiles(c, await archiveReceived(ctx, call, { requestId: id, fileIds }));
    if (action !== "share") throw new AppError("NOT_FOUND", "There is no such page.");
    const { shareUrl } = await operations.shareFiles(ctx, call, { fileIds: fileIds ?? [] });
    return await respondRequest(c, call, id, { sharedUrl: shareUrl });
  });

const idOf = (c: HttpContext): string => c.req.param("id") ?? "";
/** The largest number of days in the form. It exceeds the limit of every request, so that the operation refuses it. */
const MAX_DAYS = 1000;
const DONE = ["created", "saved", "closed", "reopened", "rotated"] as const;

/** Reads the settings of a form. An empty field keeps the default for a new request, and removes the limit of an existing one. */
function readSettings(c: HttpContext, form: URLSearchParams, { isNew }: { readonly isNew: boolean }) {
  const text = (name: string): string | undefined => form.get(name)?.trim() || undefined;
  const { language } = pageContext(c);
  const size = (name: string): number | undefined => {
    const typed = text(name);
    if (typed === undefined) return undefined;
    const bytes = parseTypedSize(typed, language);
    if (bytes === undefined) throw invalidField(name, "Enter a size, such as 500 MB or 2 GB, or nothing.");
    return bytes;
  };
  const days = Math.min(Number(text("days")), MAX_DAYS);
  return {
    title: text("title") ?? "",
    message: form.get("message")?.replaceAll("\r\n", "\n") || (isNew ? undefined : null),
    folderId: readFolder(form.get("folderId")),
    // An empty field is refused: with it, the form asks for encryption, and no script has entered a key.
    encryptTo: isNew ? form.get("encryptTo")?.trim() : undefined,
    maxFiles: text("maxFiles"),
    maxBytes: size("maxBytes"),
    maxFileBytes: size("maxFileBytes") ?? (isNew ? undefined : null),
    ...(days > 0 && { expiresAt: toIso(c.env.ctx.now() + days * DAY_MS) }),
    once: form.has("once"),
    notify: readNotify(form),
    protect: form.has("protect"),
  } satisfies RequestInput<"createRequest">;
}

/** Reads the choice of a folder. Without one, a new request gets a folder of its own, and an existing one keeps its folder. */
function readFolder(choice: string | null): string | null | undefined {
  if (choice === null || choice === NEW_FOLDER) return undefined;
  return choice === "" ? null : choice;
}

function describe(c: HttpContext, error: AppError): string {
  const { texts, language } = pageContext(c);
  return errorText(texts.errors, language, { ...error.fields, errorCode: error.code }) ?? error.message;
}

/** The refusal of a new request. */
interface RefusedRequest {
  readonly refusal: AppError;
  /** Whether its form asked for encryption. */
  readonly isEncrypted: boolean;
}

async function respondRequests(c: HttpContext, call: RequestContext, refused?: RefusedRequest): Promise<Response> {
  const refusal = refused?.refusal;
  const page = Math.max(1, Number.parseInt(c.req.query("page") ?? "1", 10) || 1);
  const list = REQUEST_LISTS.find((name) => name === c.req.query("state")) ?? "open";
  const { data, counts, pagination } = await operations.listRequests(c.env.ctx, call, { state: list, page, limit: ROWS });
  const html = renderRequestsPage(pageContext(c), {
    list,
    requests: data,
    counts,
    folders: await listFolderPaths(c, call),
    nowMs: c.env.ctx.now(),
    canEncrypt: c.env.ctx.config.acceptsEncrypted,
    isEncrypted: refused?.isEncrypted ?? false,
    nextPage: page < pagination.totalPages ? page + 1 : undefined,
    done: c.req.query("done") === "deleted" ? "deleted" : undefined,
    problem: refusal && describe(c, refusal),
  });
  return await respondPage(c, { html, refusal, hasLinks: true });
}

/** Sorts files by name as lists of files do. Files that a sender sends together arrive in any order. */
function inOrderOfNames<File extends { readonly name: string }>(files: readonly File[]): File[] {
  const keys = new Map(files.map((file) => [file, toNameKeys(file.name).name_order]));
  const keyOf = (file: File): string => keys.get(file) ?? "";
  return files.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0));
}

type Shown = Pick<RequestPageProps, "done" | "unlockCode" | "sharedUrl" | "isEdited" | "problem">;

async function respondRequest(c: HttpContext, call: RequestContext, id: string, shown: Shown, refusal?: AppError): Promise<Response> {
  const { submissions: received, ...request } = await operations.getRequest(c.env.ctx, call, { id });
  const paths =
    request.encryptTo === null
      ? undefined
      : await signReceivedFiles(c.env.ctx, call, { requestId: id, limit: received.flatMap(({ files }) => files).length });
  const submissions = received.map(({ files, ...submission }) => ({
    ...submission,
    files: inOrderOfNames(files).map((file) => ({ ...file, bytesPath: paths?.get(file.id) })),
  }));
  const html = renderRequestPage(pageContext(c), {
    request,
    submissions,
    folders: await listFolderPaths(c, call),
    nowMs: c.env.ctx.now(),
    ...shown,
  });
  // The service worker saves large files in a frame.
  const hasThumbnails = submissions.some(({ files }) => files.some(({ thumbnailUrl }) => thumbnailUrl !== null));
  return await respondPage(c, { html, refusal, hasSecrets: true, hasFrame: request.encryptTo !== null, hasThumbnails });
}
