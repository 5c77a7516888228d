import type { TestServer } from "../../../support/server.ts";
import { startSmtpServer, type TestSmtpServer } from "../../../support/services/smtp-server.ts";
import { withParts } from "../../../support/with-parts.ts";
import { startPlainServer } from "./plain-server.ts";

/** A server that sends its mails to `smtp`. */
export interface MailServer extends TestServer {
  readonly smtp: TestSmtpServer;
}

/** Starts an SMTP server, and with `start` a server that sends mails to it. */
export async function startMailServer(env: Readonly<Record<string, string>> = {}, start = startPlainServer): Promise<MailServer> {
  const smtp = await startSmtpServer();
  return withParts(await start({ ...smtp.env, ...env }), { smtp }, smtp);
}
