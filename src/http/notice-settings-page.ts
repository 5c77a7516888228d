import { renderNoticeSettingsPage } from "../../web/settings/notices-page.tsx";
import type { RequestContext } from "../context.ts";
import { operations } from "../service/operations.ts";
import type { HttpContext } from "./env.ts";
import { pageContext } from "./page-context.ts";
import { readPageForm } from "./read-body.ts";
import { respondPage } from "./respond-page.ts";
import { withPerson } from "./signed-in-page.ts";

/** `GET /settings/notices`. */
export const showNoticeSettings = (c: HttpContext): Promise<Response> => withPerson(c, (call) => respondSettings(c, call));

/** `POST /settings/notices`, by that page's form, which sends what is checked. */
export const saveNoticeSettings = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const form = await readPageForm(c, call);
    const { ctx } = c.env;
    await operations.updateNoticeSettings(ctx, call, {
      downloaded: form.has("downloaded"),
      arrived: form.has("arrived"),
      expiring: form.has("expiring"),
      ...(ctx.config.mail && { byMail: form.has("byMail") }),
    });
    return await respondSettings(c, call, pageContext(c).texts.notices.saved);
  });

async function respondSettings(c: HttpContext, call: RequestContext, done?: string): Promise<Response> {
  const { ctx } = c.env;
  const settings = await operations.getNoticeSettings(ctx, call, {});
  const { owner } = await operations.getMe(ctx, call, {});
  const email = ctx.config.mail && (owner.email ?? undefined);
  return await respondPage(c, { html: renderNoticeSettingsPage(pageContext(c), { settings, email, done }) });
}
