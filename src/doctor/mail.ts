import type { LoadedConfig } from "../config/load.ts";
import { createMailer } from "../mail/mailer.ts";
import { isLoopback } from "../mail/smtp-settings.ts";
import { type Check, fail, ok, warn } from "./check-result.ts";
import { explainError } from "./error-messages.ts";

const NAME = "FILEHOST_SMTP_URL";

/** Checks that the SMTP server accepts connections and the credentials, by TLS (mail, "The connection"). */
export const mail: Check = {
  what: "mail",
  timeoutMs: 30_000,
  async *run({ config }: LoadedConfig) {
    if (!config.mail) {
      yield ok("mail", "is not set: accounts need no verification, and administrators reset passwords");
      return;
    }
    const { host, port, tls, credentials } = config.mail.server;
    const where = `${host}:${port}`;
    if (tls === "off" && !isLoopback(host))
      yield warn(
        "mail",
        "mailNoTls",
        `${where} is used without TLS: others on the network can read ${credentials ? "its password and " : ""}the links in mails`,
        `Remove ?tls=off from ${NAME}, or use smtps://.`,
      );
    await using mailer = createMailer(config.mail);
    try {
      await mailer.check();
    } catch (error) {
      yield fail("mail", "mail", `${where}: ${explainError(error)}`, toFix(error));
      return;
    }
    yield ok("mail", `${where} accepts mail from ${config.mail.from.address}; to send one: filehost mail test ADDRESS`);
  },
};

function toFix(error: unknown): string {
  const { code, message = "" } = (error as { cause?: { code?: string; message?: string } }).cause ?? {};
  if (code === "EAUTH" || code === "ENOAUTH") return `Correct the user and the password in ${NAME}; write special characters as %40.`;
  if (code === "ETLS" || /certificate|TLS|SSL/i.test(message))
    return "The server must offer TLS with a trusted certificate for this name. For your own authority, set NODE_EXTRA_CA_CERTS.";
  return `Check the host name and the port in ${NAME}, and the firewall.`;
}
