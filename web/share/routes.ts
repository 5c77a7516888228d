import type { Route } from "../../src/http/routing/env.ts";
import { get, post } from "../../src/http/routing/route.ts";
import { confirmDeletion, deleteByLink } from "./deletion.ts";
import { downloadForProgram } from "./download.ts";
import { showHandoffPage } from "./handoff.ts";
import { sendReport, showReportForm } from "./report.ts";
import { redirectToShare, showSharePage } from "./share.ts";
import {
  buyFromPage,
  downloadArchiveFromPage,
  downloadFromPage,
  encryptedBytesForPage,
  previewOnPage,
  unlockShare,
} from "./share-forms.ts";
import { sendCardImage } from "./thumbnail.ts";

/** What a link shows: the page of a share, its downloads and previews, reports and removal. Links are often copied with a slash at the end. */
export const shareRoutes: readonly Route[] = [
  get("/d/:shortId", "request", showSharePage),
  get("/d/:shortId/", "request", showSharePage),
  get("/d/:shortId/card.webp", "request", sendCardImage),
  get("/h/:token", "request", showHandoffPage),
  get("/h/:token/", "request", showHandoffPage),
  post("/d/:shortId/unlock", "caller", unlockShare),
  get("/d/:shortId/unlock", "refusal", redirectToShare),
  post("/d/:shortId/buy", "caller", buyFromPage),
  get("/d/:shortId/buy", "refusal", redirectToShare),
  post("/d/:shortId/download", "caller", downloadFromPage),
  get("/d/:shortId/download", "caller", downloadForProgram),
  post("/d/:shortId/bytes", "caller", encryptedBytesForPage),
  get("/d/:shortId/bytes", "refusal", redirectToShare),
  post("/d/:shortId/archive", "caller", downloadArchiveFromPage),
  get("/d/:shortId/archive", "refusal", redirectToShare),
  post("/d/:shortId/preview", "caller", previewOnPage),
  get("/d/:shortId/preview", "refusal", redirectToShare),
  get("/delete/:fileId/:token", "request", confirmDeletion),
  post("/delete/:fileId/:token", "caller", deleteByLink),
  get("/report/:shortId", "request", showReportForm),
  post("/report/:shortId", "caller", sendReport),
];
