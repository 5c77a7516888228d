import { pageContext } from "../../src/http/responding/page-context.ts";
import { redirect, respondPage } from "../../src/http/responding/respond-page.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { anonymousActor } from "../../src/service/accounts/authenticate.ts";
import { readLeftStorage } from "../../src/service/accounts/quotas.ts";
import type { UploadResult } from "../../src/service/files/contract.ts";
import { defaultTtlMs } from "../../src/service/shares/expiry.ts";
import { viewShare } from "../../src/service/shares/view-share.ts";
import { deletionUrl } from "../share/deletion.ts";
import { renderHomePage } from "./home-page.tsx";
import { renderUploadedPage } from "./uploaded-page.tsx";

export const showHomePage = async (c: HttpContext): Promise<Response> => await respondPage(c, { html: await toHomePage(c) });

/** Redirects a `GET` of the share target, for example by the links to other languages, to the front page, which receives the shared files. */
export const redirectToHomePage = (c: HttpContext): Response => redirect(c, 302, "/");

/** Shows the share link and the secrets of an upload from the front page's form, which are shown only once. Several uploads have one share. */
export async function showUploadedPage(c: HttpContext, uploads: readonly UploadResult[]): Promise<Response> {
  const { ctx, person } = c.env;
  const [upload] = uploads;
  if (!upload) throw new Error("A form without files was stored.");
  const view = await viewShare(ctx, upload.shortId, person?.actor.userId ?? null);
  const fileId = uploads.length === 1 ? upload.id : upload.shortId;
  const props = {
    ...upload,
    fileId,
    fileCount: uploads.length,
    sizeBytes: uploads.reduce((sum, { size }) => sum + size, 0),
    expiresAtMs: upload.expiresAt === null ? null : Date.parse(upload.expiresAt),
    deletionUrl: upload.deletionToken === undefined ? undefined : deletionUrl(ctx, fileId, upload.deletionToken),
  };
  const html = renderUploadedPage(pageContext(c), { ...props, once: view.kind === "open" && view.share.once === 1 });
  return await respondPage(c, { html, hasSecrets: true });
}

async function toHomePage(c: HttpContext): Promise<string> {
  const { ctx, person, address } = c.env;
  const actor = person?.actor ?? anonymousActor(ctx, address);
  const limits = ctx.config.tiers[actor.tier];
  const accountBytes = ctx.config.tiers.free.fileBytes;
  const { leftBytes, isUsed } = await readLeftStorage(ctx.db, actor, limits);
  return renderHomePage(pageContext(c), {
    siteUrl: ctx.urls.siteUrl,
    limits: {
      fileBytes: limits.fileBytes,
      accountBytes: person === undefined && accountBytes > limits.fileBytes ? accountBytes : undefined,
      retention: { longestMs: limits.retentionMs, isKept: defaultTtlMs(actor.tier, limits) === null },
      leftBytes: isUsed ? leftBytes : undefined,
    },
    acceptsEncrypted: ctx.config.acceptsEncrypted,
    acceptsUploads: ctx.config.anonymousUploads || person !== undefined,
    version: ctx.version,
  });
}
