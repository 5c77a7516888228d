import type { Route } from "../../src/http/routing/env.ts";
import { get, post } from "../../src/http/routing/route.ts";
import { fromExact, linkPage } from "../site/pasted-link.ts";
import { confirmDeletion, deleteByLink } from "./deletion.ts";
import { downloadForProgram } from "./download.ts";
import { showHandoffPage } from "./handoff.ts";
import { postReport, showReportForm } from "./report.ts";
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

/** Routes of share links: the page of a share, its downloads and previews, reports and removal. */
export const shareRoutes: readonly Route[] = [
  ...linkPage("/d", "shortId", showSharePage),
  get("/d/:shortId/card.webp", "request", sendCardImage),
  ...linkPage("/h", "token", showHandoffPage),
  post("/d/:shortId/unlock", "caller", unlockShare),
  get("/d/:shortId/unlock", "refusal", redirectToShare),
  post("/d/:shortId/buy", "caller", buyFromPage),
  get("/d/:shortId/buy", "refusal", redirectToShare),
  post("/d/:shortId/download", "caller", downloadFromPage),
  get("/d/:shortId/download", "caller", fromExact({ folder: "/d", parameter: "shortId", below: "/download" }, downloadForProgram)),
  post("/d/:shortId/bytes", "caller", encryptedBytesForPage),
  get("/d/:shortId/bytes", "refusal", redirectToShare),
  post("/d/:shortId/archive", "caller", downloadArchiveFromPage),
  get("/d/:shortId/archive", "refusal", redirectToShare),
  post("/d/:shortId/preview", "caller", previewOnPage),
  get("/d/:shortId/preview", "refusal", redirectToShare),
  get("/delete/:fileId/:token", "request", confirmDeletion),
  post("/delete/:fileId/:token", "caller", deleteByLink),
  get("/report/:shortId", "request", fromExact({ folder: "/report", parameter: "shortId", below: "" }, showReportForm)),
  post("/report/:shortId", "caller", postReport),
];
