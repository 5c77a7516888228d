import { renderMail } from "../web/mail/render-mail.ts";
import type { Ctx } from "./context.ts";
import type { RenderMail } from "./mail/mail-job.ts";

/** Renders mails with the site's name and URL. */
export const mailRenderer =
  ({ config, urls }: Pick<Ctx, "config" | "urls">): RenderMail =>
  (mail, language) =>
    renderMail(mail, language, { name: config.branding.name, url: urls.siteUrl });
