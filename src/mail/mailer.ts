import type { MailSettings } from "./smtp-settings.ts";

/** A mail to one person. */
export interface MailMessage {
  /** The ID by which mail programs show a mail only once that was sent twice. */
  readonly id: string;
  /** The recipient's address, without a name. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The address to which the recipient replies; default: the sender of the site's mails. */
  readonly replyTo?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends mail by one SMTP server. */
export interface Mailer extends AsyncDisposable {
  /** Resolves when the server has accepted the mail. Throws MailError. */
  send(message: MailMessage): Promise<void>;
  /** Connects and signs in without sending. Throws MailError. */
  check(): Promise<void>;
}

/** The reason why a mail was not accepted. The message has no credentials, but may contain the address. */
export class MailError extends Error {
  override readonly name = "MailError";
  /** Whether another attempt would fail as well. */
  readonly isFinal: boolean;
  /** The SMTP status and the kind of the failure, without an address. */
  readonly reason: string;
  /**
   * The response with which the SMTP server refused the recipient or the content, without the site's user name; undefined for other errors, such as a
   * refusal of the site's sender or password.
   */
  readonly refusal: string | undefined;
  constructor(cause: unknown, credentials?: { readonly user: string }) {
    const { message, code, command, responseCode, response } = cause as {
      message?: string;
      code?: string;
      command?: string;
      responseCode?: number;
      response?: string;
    };
    super(message ?? String(cause), { cause });
    this.refusal = command === "RCPT TO" || command === "DATA" ? response?.replaceAll(credentials?.user ?? "\0", "…") : undefined;
    this.reason = [code, responseCode].filter((part) => part !== undefined).join(" ") || "unknown";
    this.isFinal = (code === "EENVELOPE" || code === "EMESSAGE") && (responseCode === undefined || responseCode >= 500);
  }
}

/** The header that asks other programs not to respond automatically. */
const AUTOMATIC = { "Auto-Submitted": "auto-generated" } as const;

const CONNECT_TIMEOUT_MS = 10_000;
const SILENCE_TIMEOUT_MS = 60_000;
/** Maximum number of concurrent connections. */
export const MAIL_CONNECTIONS = 4;

/** Creates a sender by SMTP. The library is loaded with the first mail. */
export function createMailer(settings: MailSettings): Mailer {
  let opened: ReturnType<typeof openTransport> | undefined;
  const open = (): ReturnType<typeof openTransport> => {
    opened ??= openTransport(settings);
    return opened;
  };
  return {
    async send({ id, to, replyTo, ...message }) {
      try {
        const { address: sender } = settings.from;
        const messageId = `<${id}@${sender.slice(sender.lastIndexOf("@") + 1)}>`;
        await (await open()).sendMail({
          ...message,
          headers: { ...AUTOMATIC, ...message.headers },
          from: { ...settings.from },
          to: { name: "", address: to },
          ...(replyTo !== undefined && { replyTo: { name: "", address: replyTo } }),
          messageId,
        });
      } catch (error) {
        throw new MailError(error, settings.server.credentials);
      }
    },
    async check() {
      try {
        await (await open()).verify();
      } catch (error) {
        throw new MailError(error);
      }
    },
    async [Symbol.asyncDispose]() {
      (await opened)?.close();
    },
  };
}

async function openTransport({ server: { host, port, tls, credentials } }: MailSettings) {
  const { createTransport } = await import("nodemailer");
  return createTransport({
    pool: true,
    maxConnections: MAIL_CONNECTIONS,
    host,
    port,
    secure: tls === "implicit",
    requireTLS: tls === "starttls",
    ignoreTLS: tls === "off",
    ...(credentials && { auth: { user: credentials.user, pass: credentials.password } }),
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}
