import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { loadConfig } from "../../src/config/load.ts";
import { createMailer, MailError } from "../../src/mail/mailer.ts";
import { type MailSettings, parseMailAddress, parseSmtpUrl } from "../../src/mail/smtp-settings.ts";
import { startSmtpServer } from "../support/services/smtp-server.ts";
import { makeAuthority, opensslMissing } from "../support/services/webhook-receiver.ts";

const FROM = { name: "Files", address: "files@filehost.example" };
const MESSAGE = {
  id: "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e",
  to: "ada@example.org",
  subject: "Hello",
  text: "A text",
  html: "<p>A text</p>",
};

async function send(server: MailSettings["server"] | undefined, message: Partial<typeof MESSAGE> = {}): Promise<void> {
  assert.ok(server);
  await using mailer = createMailer({ server, from: FROM });
  await mailer.send({ ...MESSAGE, ...message });
}

/** mail, "The connection". */
describe("the URL of an SMTP server", () => {
  const server = { host: "mail.example.org", port: 587, tls: "starttls", credentials: undefined };
  for (const [url, expected] of [
    ["smtp://mail.example.org", server],
    ["smtp://mail.example.org:25/", { ...server, port: 25 }],
    ["smtps://mail.example.org", { ...server, port: 465, tls: "implicit" }],
    ["smtp://mail.example.org?tls=off", { ...server, tls: "off" }],
    ["smtp://127.0.0.1:1025", { ...server, host: "127.0.0.1", port: 1025, tls: "off" }],
    ["smtp://[::1]:1025", { ...server, host: "::1", port: 1025, tls: "off" }],
    ["smtp://ada%40example.org:a%3Ab%2F@mail.example.org", { ...server, credentials: { user: "ada@example.org", password: "a:b/" } }],
    ["smtp://:secret@mail.example.org", undefined],
    ["smtps://mail.example.org?tls=off", undefined],
    ["smtp://127.0.0.1?tls=on", { ...server, host: "127.0.0.1" }],
    ["smtp://mail.example.org?tls=maybe", undefined],
    ["smtp://mail.example.org?tls=off&x=1", undefined],
    ["smtp://mail.example.org/path", undefined],
    ["smtp://u%zz:p@mail.example.org", undefined],
    ["http://mail.example.org", undefined],
    ["mail.example.org:25", undefined],
  ] as const)
    test(`${url} is ${expected === undefined ? "refused" : `read as ${expected.tls}, port ${expected.port}`}`, () => {
      assert.deepEqual(parseSmtpUrl(url), expected);
    });

  test("is set with a sender, or neither is", () => {
    const url = { FILEHOST_SMTP_URL: "smtp://mail.example.org" };
    assert.throws(() => loadConfig(url), /set both or neither/);
    assert.throws(() => loadConfig({ FILEHOST_MAIL_FROM: "a@example.org" }), /set both or neither/);
    const { config } = loadConfig({ ...url, FILEHOST_MAIL_FROM: "My files <a@example.org>" });
    assert.deepEqual(config.mail?.from, { name: "My files", address: "a@example.org" });
    for (const wrong of ["nobody", "A <b", "A\r\nBcc: x@example.org <a@example.org>"])
      assert.throws(() => loadConfig({ ...url, FILEHOST_MAIL_FROM: wrong }), /FILEHOST_MAIL_FROM: write an email address/);
    assert.deepEqual(parseMailAddress('"Files, all" <a@example.org>'), { name: "Files, all", address: "a@example.org" });
  });
});

/** mail, "The connection" and "What a mail contains". */
describe("a mail", () => {
  test("arrives with its parts, sender and Message-ID, without credentials on loopback", async () => {
    await using smtp = await startSmtpServer();
    await send(parseSmtpUrl(smtp.url));
    const mail = await smtp.next("ada@example.org");
    assert.deepEqual([mail.from, mail.to], [FROM.address, ["ada@example.org"]]);
    assert.deepEqual([mail.subject, mail.text.trim(), mail.html.trim()], ["Hello", "A text", "<p>A text</p>"]);
    assert.equal(mail.headers.get("message-id"), `<${MESSAGE.id}@filehost.example>`);
    assert.equal(mail.headers.get("from"), "Files <files@filehost.example>");
  });

  test("gets no header, recipient or part from a hostile subject or address", async () => {
    await using smtp = await startSmtpServer();
    const server = parseSmtpUrl(smtp.url);
    await send(server, { subject: "Hi\r\nBcc: eve@example.org\r\n\r\nBody\0é" });
    const mail = await smtp.next("ada@example.org");
    assert.deepEqual([mail.to, mail.headers.get("bcc"), mail.text.trim()], [["ada@example.org"], undefined, "A text"]);
    assert.doesNotMatch(mail.subject, /[\r\n]/);
    for (const to of ["ada@example.org, eve@example.org", "ada@example.org\r\nRCPT TO:<eve@example.org>", "<eve@example.org>"])
      await send(server, { to }).catch(() => undefined);
    assert.ok(smtp.mails.every((one) => one.to.length <= 1 && !one.headers.has("bcc")));
    assert.ok(!smtp.mails.some((one) => one.to.includes("eve@example.org") && one.to.includes("ada@example.org")));
  });

  test("says whether a refusal is final", async () => {
    await using smtp = await startSmtpServer();
    const server = parseSmtpUrl(smtp.url);
    const refusal = async (): Promise<MailError> => {
      const error = await send(server).catch((thrown: unknown) => thrown);
      assert.ok(error instanceof MailError);
      return error;
    };
    smtp.refuseWith(550);
    const { isFinal, refusal: response } = await refusal();
    assert.deepEqual([isFinal, response], [true, "550 Refused by the test"]);
    smtp.refuseWith(451);
    assert.equal((await refusal()).isFinal, false);
    // A refusal of the site's sender is not one of the recipient.
    smtp.refuseWith(553, "sender");
    const bySender = await refusal();
    assert.deepEqual([bySender.isFinal, bySender.refusal], [true, undefined]);
    await smtp.stop();
    assert.equal((await refusal()).isFinal, false);
  });

  test("is refused without the user name of the site", async () => {
    const response = "553 <files@filehost.example>: not owned by user relay@example.org";
    const { refusal } = new MailError({ command: "RCPT TO", response }, { user: "relay@example.org" });
    assert.equal(refusal, "553 <files@filehost.example>: not owned by user …");
  });

  test("is not sent to a server that offers no TLS, unless that is allowed", async () => {
    await using smtp = await startSmtpServer({ credentials: { user: "ada", password: "secret" } });
    const server = { host: "127.0.0.1", port: smtp.port, credentials: { user: "ada", password: "secret" } };
    await assert.rejects(send({ ...server, tls: "starttls" }), MailError);
    assert.equal(smtp.mails.length, 0);
    await send({ ...server, tls: "off" });
    assert.equal((await smtp.next("ada@example.org")).user, "ada");
    const wrong = send({ ...server, tls: "off", credentials: { user: "ada", password: "wrong" } });
    await assert.rejects(wrong, (error) => error instanceof MailError && /535/.test(error.message) && error.refusal === undefined);
  });

  test("is not sent to a server whose certificate is not trusted", { skip: opensslMissing }, async () => {
    await using authority = await makeAuthority();
    for (const isImplicit of [true, false]) {
      await using smtp = await startSmtpServer({ tls: { ...authority, isImplicit } });
      const server = { host: "127.0.0.1", port: smtp.port, credentials: undefined };
      await assert.rejects(send({ ...server, tls: isImplicit ? "implicit" : "starttls" }), MailError);
      assert.equal(smtp.mails.length, 0);
    }
  });
});
