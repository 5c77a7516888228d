import type { Hono } from "hono";
import { renderDeletionPage } from "../../web/deletion-page.tsx";
import { renderMessagePage } from "../../web/message-page.tsx";
import type { Ctx } from "../context.ts";
import { AppError } from "../errors.ts";
import { viewDeletable } from "../operations/files/view-deletable.ts";
import { operations } from "../operations/index.ts";
import { answerPage, errorPage } from "./answer-page.ts";
import { toCall } from "./call.ts";
import type { HttpContext, HttpEnv } from "./env.ts";

/** The page of a deletion link: a GET asks, its form's POST removes. */
export function mountDeletionPage(app: Hono<HttpEnv>, ctx: Ctx): void {
  app.get("/delete/:fileId/:token", (c) => askFirst(ctx, c));
  app.post("/delete/:fileId/:token", (c) => remove(ctx, c));
}

/** Of an anonymous upload, for its sender. */
export const deletionUrl = (ctx: Pick<Ctx, "addresses">, fileId: string, token: string): string =>
  `${ctx.addresses.siteUrl}${deletionPath(fileId, token)}`;

const deletionPath = (fileId: string, token: string): string => `/delete/${encodeURIComponent(fileId)}/${encodeURIComponent(token)}`;

async function askFirst(ctx: Ctx, c: HttpContext): Promise<Response> {
  const { fileId, token } = wanted(c);
  const file = await viewDeletable(ctx, { fileId, token });
  if (!file) return await noDeletion(ctx, c);
  const html = renderDeletionPage({ ...file, path: deletionPath(fileId, token) });
  return await answerPage(ctx, c, { html, hasSecrets: true });
}

async function remove(ctx: Ctx, c: HttpContext): Promise<Response> {
  try {
    await operations.deleteFile(ctx, await toCall(ctx, c, "page"), wanted(c));
    return await answerPage(ctx, c, { html: renderMessagePage({ kind: "deleted" }) });
  } catch (error) {
    // Unknown, gone or not the token: a person is told the same, and no one learns which.
    const isUnknown = error instanceof AppError && (error.code === "NOT_FOUND" || error.code === "WRONG_TOKEN");
    return await (isUnknown ? noDeletion(ctx, c) : errorPage(ctx, c, error));
  }
}

const wanted = (c: HttpContext) => ({ fileId: c.req.param("fileId") ?? "", token: c.req.param("token") ?? "" });

const noDeletion = (ctx: Ctx, c: HttpContext): Promise<Response> =>
  answerPage(ctx, c, { status: 404, html: renderMessagePage({ kind: "noDeletion" }) });
