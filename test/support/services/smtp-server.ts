import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { until } from "../until.ts";

/** One mail that the server accepted. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** The headers as they were sent, unfolded, by their names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Whether the mail was received over TLS. */
  readonly isSecure: boolean;
  readonly user: string | undefined;
}

export interface TestSmtpServer extends AsyncDisposable {
  readonly port: number;
  /** The URL of the server without TLS. */
  readonly url: string;
  /** Every mail so far. */
  readonly mails: readonly ReceivedMail[];
  /** The settings with which a filehost sends mails to this server. */
  readonly env: Readonly<Record<string, string>>;
  /** Waits for the next mail to an address. Each mail is returned once. */
  next(to: string): Promise<ReceivedMail>;
  /** Responds to recipients, or to senders, with this status from now on; accepts them if it is undefined. */
  refuseWith(status: number | undefined, who?: "recipient" | "sender"): void;
  /** Stops listening. */
  stop(): Promise<void>;
}

export interface SmtpOptions {
  readonly port?: number;
  /** The certificate for STARTTLS, or for TLS from the start. */
  readonly tls?: { readonly key: string; readonly cert: string; readonly isImplicit?: boolean };
  readonly credentials?: { readonly user: string; readonly password: string };
}

/** Starts an SMTP server on loopback that stores the accepted mails. */
export async function startSmtpServer({ port = 0, tls, credentials }: SmtpOptions = {}): Promise<TestSmtpServer> {
  const mails: ReceivedMail[] = [];
  const returned = new Set<ReceivedMail>();
  const refusals: { recipient?: number | undefined; sender?: number | undefined } = {};
  const refusal = (status: number | undefined): Error | null =>
    status === undefined ? null : Object.assign(new Error("Refused by the test"), { responseCode: status });
  const options: SMTPServerOptions = {
    ...(tls && { key: tls.key, cert: tls.cert, secure: tls.isImplicit === true }),
    disabledCommands: [...(tls ? [] : ["STARTTLS"]), ...(credentials ? [] : ["AUTH"])],
    authOptional: credentials === undefined,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    // A filehost keeps its connections open, and waiting for their end takes 30 seconds.
    closeTimeout: 100,
    onAuth({ username, password }, _session, callback) {
      if (username === credentials?.user && password === credentials?.password) callback(null, { user: username });
      else callback(new Error("Invalid credentials"));
    },
    onRcptTo(_address, _session, callback) {
      callback(refusal(refusals.recipient));
    },
    onMailFrom(_address, _session, callback) {
      callback(refusal(refusals.sender));
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          ...parseMail(Buffer.concat(chunks).toString("utf8")),
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          isSecure: session.secure,
          user: typeof session.user === "string" ? session.user : undefined,
        });
        callback(null);
      });
    },
  };
  const smtp = new SMTPServer(options);
  // A client that closes its connection early does not fail the test.
  smtp.on("error", () => undefined);
  smtp.listen(port, "127.0.0.1");
  await once(smtp.server, "listening");
  const { port: chosen } = smtp.server.address() as AddressInfo;
  const url = `smtp://127.0.0.1:${chosen}`;
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= new Promise<void>((resolve) => smtp.close(() => resolve()));
    return stopped;
  };
  return {
    port: chosen,
    url,
    mails,
    env: { FILEHOST_SMTP_URL: url, FILEHOST_MAIL_FROM: "Files <files@filehost.example>" },
    async next(to) {
      const mail = await until(`a mail to ${to}`, () => mails.find((one) => one.to.includes(to) && !returned.has(one)));
      returned.add(mail);
      return mail;
    },
    refuseWith(status, who = "recipient") {
      refusals[who] = status;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Finds the first link in a mail's text to a path below `/${folder}/`. */
export function linkIn({ text }: Pick<ReceivedMail, "text">, folder: string): string {
  const link = new RegExp(`https?://\\S+/${folder}/\\S+`).exec(text)?.[0];
  if (link === undefined) throw new Error(`The mail has no link to /${folder}/:\n${text}`);
  return link;
}

function parseMail(source: string): Pick<ReceivedMail, "headers" | "subject" | "text" | "html"> {
  const { headers, body } = parsePart(source);
  const boundary = /boundary="([^"]+)"/.exec(headers.get("content-type") ?? "")?.[1];
  const parts =
    boundary === undefined
      ? []
      : body
          .split(`--${boundary}`)
          .slice(1, -1)
          .map((part) => parsePart(part.replace(/^\r\n/, "")));
  const find = (type: string): string => {
    const part = parts.find((one) => one.headers.get("content-type")?.startsWith(type));
    return part ? decodeBody(part) : "";
  };
  return { headers, subject: decodeWords(headers.get("subject") ?? ""), text: find("text/plain"), html: find("text/html") };
}

interface Part {
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

function parsePart(source: string): Part {
  const end = source.indexOf("\r\n\r\n");
  const lines = source
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, " ")
    .split("\r\n");
  const headers = new Map(lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]));
  return { headers, body: source.slice(end + 4) };
}

function decodeBody({ headers, body }: Part): string {
  const encoding = headers.get("content-transfer-encoding");
  if (encoding === "base64") return Buffer.from(body, "base64").toString("utf8");
  return encoding === "quoted-printable" ? decodeQuoted(body.replace(/=\r\n/g, "")) : body;
}

const decodeQuoted = (text: string): string =>
  Buffer.from(
    text.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  ).toString("utf8");

/** Decodes the encoded words of a header (RFC 2047). */
const decodeWords = (text: string): string =>
  text
    .replace(/\?=\s+=\?/g, "?==?")
    .replace(/=\?UTF-8\?([QB])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toUpperCase() === "B" ? Buffer.from(word, "base64").toString("utf8") : decodeQuoted(word.replaceAll("_", " ")),
    );
