import { z } from "zod";
import { AppError } from "../../errors.ts";
import { newUuid } from "../../lib/secrets/ids.ts";
import { createMailer, MailError } from "../../mail/mailer.ts";
import { toPublicUrls } from "../../public-urls.ts";
import { defineCommand } from "../command.ts";
import { UsageError } from "../failure.ts";

export const mailTest = defineCommand({
  details: "Sends it directly, without a server, and ends when the SMTP server has accepted it.",
  args: { ADDRESS: { help: "Who receives it" } },
  settings: ["SMTP_URL", "MAIL_FROM", "NAME", "URL", "LISTEN"],
  examples: ["filehost mail test ada@example.org"],
  async run({ args: { ADDRESS: to }, load }) {
    const { config } = await load();
    if (!z.email().safeParse(to).success) throw new UsageError(`"${to}" is not an email address.`, "filehost mail test --help");
    if (!config.mail) throw new UsageError("Mail is not set. Set FILEHOST_SMTP_URL and FILEHOST_MAIL_FROM.", "filehost mail test --help");
    const { mailRenderer } = await import("../../mail-renderer.ts");
    const render = mailRenderer({ config, urls: toPublicUrls(config, config.listen.port) });
    const id = newUuid((bytes) => crypto.getRandomValues(new Uint8Array(bytes)), Date.now());
    await using mailer = createMailer(config.mail);
    try {
      await mailer.send({ id, to, ...render({ kind: "test" }, null) });
    } catch (error) {
      if (!(error instanceof MailError)) throw error;
      throw new AppError("UNAVAILABLE", `The SMTP server did not accept the mail: ${error.message}`, { cause: error });
    }
    return { data: { to }, text: `Sent to ${to}\n` };
  },
});
