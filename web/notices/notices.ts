import { pageContext } from "../../src/http/responding/page-context.ts";
import { redirect, respondPage } from "../../src/http/responding/respond-page.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { openNotice } from "../../src/service/notices/list-notices.ts";
import { operations } from "../../src/service/operations.ts";
import { withPerson } from "../account/with-person.ts";
import { renderNoticesPage } from "./notices-page.tsx";
import { NOTICES_PATH } from "./paths.ts";

export const showNoticesPage = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const { ctx } = c.env;
    const page = Number(/^\d{1,6}$/.exec(c.req.query("page") ?? "")?.[0] ?? 1) || 1;
    const { notices, unread, pagination } = await operations.listNotices(ctx, call, { page });
    const html = renderNoticesPage(pageContext(c), {
      notices,
      unread,
      pageNumber: page,
      pageCount: pagination.totalPages,
      nowMs: ctx.now(),
    });
    return await respondPage(c, { html });
  });

/** Handles `GET /notices/:id`: marks the notice as read, and leads to the page about its subject. */
export const showNotice = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => redirect(c, 303, await openNotice(c.env.ctx, call, c.req.param("id") ?? "")));

/** Handles `POST /notices`: marks all as read. */
export const postNotices = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    await operations.markNoticesRead(c.env.ctx, call, {});
    return redirect(c, 303, NOTICES_PATH);
  });
