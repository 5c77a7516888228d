import type { Route } from "../../src/http/routing/env.ts";
import { get, post } from "../../src/http/routing/route.ts";
import { linkRoutes, withPastedLinks } from "../site/link-routes.ts";
import { postDeletion, showDeletionPage } from "./deletion.ts";
import { downloadForProgram } from "./download.ts";
import { showHandoffPage } from "./handoff.ts";
import { sendPreviewedBytes, showDecryptedFrame } from "./preview.ts";
import { postReport, showReportFormPage } from "./report.ts";
import { redirectToShare, showSharePage } from "./share.ts";
import { postArchive, postDownload, postEncryptedBytes, postPreview, postPurchase, postUnlock } from "./share-forms.ts";
import { sendCardImage } from "./thumbnail.ts";

/** Routes of share links: the page of a share, its downloads and previews, reports and removal. */
export const shareRoutes: readonly Route[] = withPastedLinks(
  ["/d", "/h", "/report"],
  [
    ...linkRoutes("/d/:shortId", showSharePage),
    get("/d/:shortId/card.webp", "request", sendCardImage),
    ...linkRoutes("/h/:token", showHandoffPage),
    post("/d/:shortId/unlock", "caller", postUnlock),
    get("/d/:shortId/unlock", "refusal", redirectToShare),
    post("/d/:shortId/buy", "caller", postPurchase),
    get("/d/:shortId/buy", "refusal", redirectToShare),
    post("/d/:shortId/download", "caller", postDownload),
    get("/d/:shortId/download", "caller", downloadForProgram),
    post("/d/:shortId/bytes", "caller", postEncryptedBytes),
    get("/d/:shortId/bytes", "refusal", redirectToShare),
    get("/d/:shortId/encrypted/:fileId", "uncounted", sendPreviewedBytes),
    get("/decrypted-preview", "uncounted", showDecryptedFrame),
    post("/d/:shortId/archive", "caller", postArchive),
    get("/d/:shortId/archive", "refusal", redirectToShare),
    post("/d/:shortId/preview", "caller", postPreview),
    get("/d/:shortId/preview", "refusal", redirectToShare),
    get("/delete/:fileId/:token", "request", showDeletionPage),
    post("/delete/:fileId/:token", "caller", postDeletion),
    get("/report/:shortId", "request", showReportFormPage),
    post("/report/:shortId", "caller", postReport),
  ],
);
