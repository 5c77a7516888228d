import { notFound } from "../../src/errors.ts";
import { readCookie } from "../../src/http/reading/request-headers.ts";
import { pageContext } from "../../src/http/responding/page-context.ts";
import { redirect, respondPage } from "../../src/http/responding/respond-page.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { requireUser } from "../../src/service/accounts/actor.ts";
import { readLeftStorage } from "../../src/service/accounts/quotas.ts";
import type { Output } from "../../src/service/contract.ts";
import { listingContract } from "../../src/service/files/listing-contract.ts";
import { countRuns } from "../../src/service/files/listing-queries.ts";
import { operations } from "../../src/service/operations.ts";
import { withPerson } from "../account/with-person.ts";
import {
  type FilesListing,
  type FileView,
  hasOtherLinks,
  PAGE_SIZE,
  readListQuery,
  shownFilePath,
  toListInput,
  VIEW_COOKIE,
} from "./file-views.ts";
import { renderFilesPage } from "./files-page.tsx";

/** Handles `GET /files` and `GET /files/:folderId`: shows the files of the signed-in account. */
export const showFilesPage = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const { ctx } = c.env;
    const fields = new URLSearchParams(c.env.url.search);
    const query = readListQuery(c.req.param("folderId") ?? null, fields);
    const pageNumber = Math.max(1, Math.trunc(Number(fields.get("page"))) || 1);
    const input = listingContract.listFiles.input.safeParse({ ...toListInput(query), page: pageNumber, limit: PAGE_SIZE });
    // The path contains no ID of a folder.
    if (!input.success) throw notFound("folder", "List your folders to find its ID.", "in your account");
    const list = await operations.listFiles(ctx, call, input.data);
    const limits = ctx.config.tiers[call.actor.tier];
    const { leftBytes, isUsed } = await readLeftStorage(ctx.db, call.actor, limits);
    const html = renderFilesPage(pageContext(c), {
      query,
      listing: toListing(list),
      pageNumber,
      view: readCookie(c, VIEW_COOKIE) === "grid" ? "grid" : "table",
      nowMs: ctx.now(),
      maxBytes: limits.fileBytes,
      leftBytes: isUsed ? leftBytes : undefined,
      accountId: requireUser(call.actor).userId,
      hasRuns: (await countRuns(ctx.db, requireUser(call.actor).userId)) > 0,
    });
    // A script shows these kinds of previews in the page.
    const previews = new Set(["image", "audio", "video", "pdf", "document"] as const);
    return await respondPage(c, { html, hasThumbnails: true, previews });
  });

/** Handles `GET /files/get/:fileId`: redirects to the owner's signed URL of the file, which does not count as a download. */
export const downloadOwnFile = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const { url } = await operations.getFile(c.env.ctx, call, { fileId: c.req.param("fileId") ?? "" });
    return redirect(c, 302, url);
  });

/** Handles `GET /files/details/:fileId`: redirects to the list of the file's folder, where the script shows the file. */
export const showFile = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const { id, folderId } = await operations.getFile(c.env.ctx, call, { fileId: c.req.param("fileId") ?? "" });
    return redirect(c, 302, shownFilePath(folderId, id));
  });

function toListing(list: Output<"listFiles">): FilesListing {
  if (!("pagination" in list)) throw new Error("A list of a run has no pages.");
  const { files, folders = [], path = [], parents = [] } = list.data;
  return { files: files.map(toFileView), folders, path, parents, total: list.pagination.total };
}

/** Removes the fields that the page does not show, and the signed URL, because the page is compressed. */
export function toFileView(file: Output<"changeFile">): FileView {
  const { url: _url, shortCode: _shortCode, isAnonymous: _isAnonymous, sha256: _sha256, downloads: _downloads, ...view } = file;
  return { ...view, links: hasOtherLinks(file) ? file.links : [] };
}
