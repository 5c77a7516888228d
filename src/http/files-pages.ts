import { renderDeletePage } from "../../web/files/delete-page.tsx";
import {
  FILES_PATH,
  type FilesListing,
  type FileView,
  PAGE_SIZE,
  readListQuery,
  toListInput,
  VIEW_COOKIE,
} from "../../web/files/file-views.ts";
import { type FilesPageProps, renderFilesPage } from "../../web/files/files-page.tsx";
import { renderRunPage } from "../../web/files/run-page.tsx";
import type { RequestContext } from "../context.ts";
import { AppError, notFound } from "../errors.ts";
import type { Output } from "../service/contract.ts";
import { foldersContract, listingContract } from "../service/files/contract.ts";
import { operations } from "../service/operations.ts";
import type { HttpContext } from "./env.ts";
import { errorHeaders } from "./http-error.ts";
import { pageContext, searchOf } from "./page-context.ts";
import { readPageForm } from "./read-body.ts";
import { readCookie } from "./request-headers.ts";
import { describeError, redirect, respondPage } from "./respond-page.ts";
import { withPerson } from "./signed-in-page.ts";

type FileItem = Output<"getFile">;

/** `GET /files` and `GET /files/:folderId`: the files of who is signed in. */
export const showFilesPage = (c: HttpContext): Promise<Response> => withPerson(c, (call) => respondFiles(c, call, {}));

/** `POST /files` and `POST /files/:folderId`, by the forms of that page: creates a folder, or asks before a deletion and deletes. */
export const changeFilesPage = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const form = await readPageForm(c, call);
    try {
      switch (form.get("action")) {
        case "createFolder":
          return await createFolder(c, call, form);
        case "askDelete":
          return await askDelete(c, call, form);
        case "delete":
          return await deleteEntry(c, call, form);
        default:
          return redirect(c, 303, ownPath(c));
      }
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return await respondFiles(c, call, { problem: describeError(pageContext(c), error) }, error);
    }
  });

/** `GET /files/get/:fileId`: redirects to the owner's signed URL of the file, which does not count as a download. */
export const downloadOwnFile = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const { url } = await operations.getFile(c.env.ctx, call, { fileId: c.req.param("fileId") ?? "" });
    return redirect(c, 302, url);
  });

/** `GET /files/runs/:runId`: the files of a run. */
export const showRunPage = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const { ctx } = c.env;
    const input = listingContract.listRun.input.parse({ runId: c.req.param("runId"), limit: 500 });
    const { runId, artifacts } = await operations.listRun(ctx, call, input);
    const html = renderRunPage(pageContext(c), { runId, files: artifacts.map(toFileView), nowMs: ctx.now() });
    return await respondPage(c, { html, hasThumbnails: true });
  });

async function createFolder(c: HttpContext, call: RequestContext, form: URLSearchParams): Promise<Response> {
  const input = foldersContract.createFolder.input.safeParse({ name: form.get("name") ?? "", parentId: folderOf(c) });
  if (!input.success) return redirect(c, 303, ownPath(c));
  await operations.createFolder(c.env.ctx, call, input.data);
  return redirect(c, 303, ownPath(c));
}

async function askDelete(c: HttpContext, call: RequestContext, form: URLSearchParams): Promise<Response> {
  const { ctx } = c.env;
  const fileId = form.get("file");
  const id = fileId ?? form.get("folder") ?? "";
  const { name } = fileId === null ? await getFolder(c, call, id) : await operations.getFile(ctx, call, { fileId });
  const html = renderDeletePage(pageContext(c), { kind: fileId === null ? "folder" : "file", id, name, back: ownPath(c) });
  return await respondPage(c, { html });
}

async function getFolder(c: HttpContext, call: RequestContext, id: string): Promise<{ readonly name: string }> {
  const input = listingContract.listFiles.input.safeParse({ folderId: id, limit: 1, includeFolders: false });
  const list = input.success ? await operations.listFiles(c.env.ctx, call, input.data) : undefined;
  const folder = list && "path" in list.data ? list.data.path?.at(-1) : undefined;
  if (!folder) throw notFound("folder", "List your folders to find its ID.", "in your account");
  return folder;
}

async function deleteEntry(c: HttpContext, call: RequestContext, form: URLSearchParams): Promise<Response> {
  const { ctx } = c.env;
  const fileId = form.get("file");
  if (fileId !== null) await operations.deleteFile(ctx, call, { fileId });
  else await operations.deleteFolder(ctx, call, { id: form.get("folder") ?? "" });
  return await respondFiles(c, call, { done: pageContext(c).texts.files.deleted(1) });
}

const folderOf = (c: HttpContext): string | null => c.req.param("folderId") ?? null;

const ownPath = (c: HttpContext): string => {
  const folderId = folderOf(c);
  return folderId === null ? FILES_PATH : `${FILES_PATH}/${encodeURIComponent(folderId)}`;
};

async function respondFiles(
  c: HttpContext,
  call: RequestContext,
  outcome: Pick<FilesPageProps, "done" | "problem">,
  error?: AppError,
): Promise<Response> {
  const { ctx } = c.env;
  const fields = new URLSearchParams(searchOf(c.req.url));
  const query = readListQuery(folderOf(c), fields);
  const pageNumber = Math.max(1, Math.trunc(Number(fields.get("page"))) || 1);
  const input = listingContract.listFiles.input.safeParse({ ...toListInput(query), page: pageNumber, limit: PAGE_SIZE });
  // The path is no folder's ID.
  if (!input.success) throw notFound("folder", "List your folders to find its ID.", "in your account");
  const list = await operations.listFiles(ctx, call, input.data);
  const html = renderFilesPage(pageContext(c), {
    query,
    listing: toListing(list),
    pageNumber,
    view: readCookie(c, VIEW_COOKIE) === "grid" ? "grid" : "table",
    nowMs: ctx.now(),
    maxBytes: ctx.config.tiers[call.actor.tier].fileBytes,
    ...outcome,
  });
  // A script shows the previews of files in the page.
  const previews = new Set(["image", "audio", "video", "pdf", "document"] as const);
  return await respondPage(c, { html, status: error?.status, headers: error && errorHeaders(error), hasThumbnails: true, previews });
}

function toListing(list: Output<"listFiles">): FilesListing {
  if (!("pagination" in list)) throw new Error("A list of a run has no pages.");
  const { files, folders = [], path = [], parents = [] } = list.data;
  return { files: files.map(toFileView), folders, path, parents, total: list.pagination.total };
}

/** Without the fields that the page does not show, and without the signed URL, because the page is compressed. */
function toFileView(file: Omit<FileItem, "scanCoverage" | "preview" | "share" | "madeFrom" | "usedIn">): FileView {
  const { url: _url, shortCode: _shortCode, isAnonymous: _isAnonymous, sha256: _sha256, downloads: _downloads, ...view } = file;
  return view;
}
