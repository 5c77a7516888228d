import type { Ctx } from "../../src/context.ts";
import { pageContext } from "../../src/http/responding/page-context.ts";
import { respondPage } from "../../src/http/responding/respond-page.ts";
import { respondToRefusals } from "../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { findDeletable } from "../../src/service/files/delete-file.ts";
import { operations } from "../../src/service/operations.ts";
import { withVisitor } from "../account/visitor.ts";
import { renderMessagePage } from "../site/message-page.tsx";
import { renderDeletionPage } from "./deletion-page.tsx";

/** Returns the deletion link of an anonymous upload. */
export const deletionUrl = (ctx: Pick<Ctx, "urls">, fileId: string, token: string): string =>
  `${ctx.urls.siteUrl}${deletionPath(fileId, token)}`;

const deletionPath = (fileId: string, token: string): string => `/delete/${encodeURIComponent(fileId)}/${encodeURIComponent(token)}`;

/** Handles `GET /delete/:fileId/:token`: shows a form that asks whether to delete the file. */
export async function showDeletionPage(c: HttpContext): Promise<Response> {
  const { fileId, token } = readParameters(c);
  const file = await findDeletable(c.env.ctx, { fileId, token });
  if (!file) return await noDeletion(c);
  const html = renderDeletionPage(pageContext(c), { ...file, path: deletionPath(fileId, token) });
  return await respondPage(c, { html, hasSecrets: true });
}

/** Handles `POST /delete/:fileId/:token`: deletes the file. The page does not reveal whether the file exists or the token is wrong. */
export const postDeletion = (c: HttpContext): Promise<Response> =>
  withVisitor(c, { setsCookie: false }, (call) =>
    respondToRefusals(
      async () => {
        await operations.deleteFile(c.env.ctx, call, readParameters(c));
        return await respondPage(c, { html: renderMessagePage(pageContext(c), { kind: "deleted" }) });
      },
      { NOT_FOUND: () => noDeletion(c), WRONG_TOKEN: () => noDeletion(c) },
    ),
  );

const readParameters = (c: HttpContext) => ({ fileId: c.req.param("fileId") ?? "", token: c.req.param("token") ?? "" });

const noDeletion = (c: HttpContext): Promise<Response> =>
  respondPage(c, { status: 404, html: renderMessagePage(pageContext(c), { kind: "noDeletion" }) });
