import type { RequestContext } from "../../../src/context.ts";
import { readPageForm } from "../../../src/http/reading/read-body.ts";
import { pageContext } from "../../../src/http/responding/page-context.ts";
import { respondPage } from "../../../src/http/responding/respond-page.ts";
import type { HttpContext } from "../../../src/http/routing/env.ts";
import { operations } from "../../../src/service/operations.ts";
import { withPerson } from "../../account/with-person.ts";
import { renderNoticeSettingsPage } from "./notice-settings-page.tsx";

export const showNoticeSettingsPage = (c: HttpContext): Promise<Response> => withPerson(c, (call) => respondSettings(c, call));

/** Handles `POST /settings/notices`, whose form sends the checked boxes. */
export const postNoticeSettings = (c: HttpContext): Promise<Response> =>
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
