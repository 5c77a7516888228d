import { renderMail } from "../web/mail/render-mail.ts";
import type { Ctx } from "./context.ts";
import type { RenderMail } from "./mail/mail-job.ts";

/** Renders mails with the site's name and URL. */
export const mailRenderer =
  (ctx: Pick<Ctx, "config" | "urls">): RenderMail =>
  (mail, language) =>
    renderMail(mail, language, { name: ctx.config.branding.name, url: ctx.urls.siteUrl });
