import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { reservePort } from "../../support/network/free-ports.ts";
import { linkIn, startSmtpServer } from "../../support/services/smtp-server.ts";
import { makeAuthority, opensslMissing } from "../../support/services/webhook-receiver.ts";
import { until } from "../../support/until.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { makeJobsDue, withDatabase } from "../support/servers/state.ts";

const ADA = "ada@example.org";

/** mail, "When a mail cannot be sent"; accounts, "Invites". */
describe("the mail of a server", () => {
  test("has an invite, in plain text and HTML, with a link from FILEHOST_URL", async () => {
    await using smtp = await startSmtpServer();
    await using server = await startPlainServer({ ...smtp.env, FILEHOST_URL: "https://files.example.org", FILEHOST_NAME: "Acme <b>" });
    const created = await server.run(["invites", "create", "--email", ADA]);
    assert.match(created.stderr, /It is mailed to ada@example\.org/);
    const mail = await smtp.next(ADA);
    assert.equal(mail.subject, "Your invite to Acme <b>");
    assert.equal(linkIn(mail, "invite"), created.stdout.trim());
    assert.match(mail.html, /<p[^>]*>You are invited to Acme &lt;b>/);
    assert.ok(mail.html.includes(`href="${created.stdout.trim()}"`));
    await until("nothing of it is kept", async () => (await readMails(server)).length === 0);
  });

  test("waits for an SMTP server that does not respond, also after a crash, encrypted", async () => {
    const port = await reservePort();
    await using server = await startPlainServer({
      FILEHOST_SMTP_URL: `smtp://127.0.0.1:${port}`,
      FILEHOST_MAIL_FROM: "files@filehost.example",
    });
    const url = (await server.run(["invites", "create", "--email", ADA])).stdout.trim();
    await until("an attempt failed", () => server.logs().some(({ msg }) => msg === "mail not accepted; retrying later"));
    assert.ok(!JSON.stringify(await readMails(server)).includes(url.slice(-20)));
    assert.ok(!JSON.stringify(server.logs()).includes(ADA));
    await server.kill("SIGKILL");
    await withDatabase(server, makeJobsDue);
    await using smtp = await startSmtpServer({ port });
    await server.restart();
    assert.equal(linkIn(await smtp.next(ADA), "invite"), url);
    await until("nothing of it is kept", async () => (await readMails(server)).length === 0);
    assert.equal(smtp.mails.length, 1);
  });

  test("is not sent again after a final refusal of the recipient, which doctor reports", async () => {
    await using smtp = await startSmtpServer();
    smtp.refuseWith(550);
    await using server = await startPlainServer(smtp.env);
    await server.run(["invites", "create", "--email", ADA]);
    const [row] = await until("it failed", async () => {
      const rows = await readMails(server);
      return rows[0]?.failed_at != null && rows;
    });
    assert.match(row?.error ?? "", /Refused by the test/);
    assert.ok(row?.content && !row.content.includes("invite"), "kept for a retry, encrypted");
    assert.match((await server.run(["doctor"])).stdout, /warn +mails +1 not accepted in the last 7\sdays; the last: .*Refused by the test/);
    assert.ok(!JSON.stringify(server.logs()).includes(ADA));
  });

  test("is sent over TLS with credentials, with an authority that the environment names", { skip: opensslMissing }, async () => {
    await using authority = await makeAuthority();
    for (const isImplicit of [true, false]) {
      await using smtp = await startSmtpServer({ tls: { ...authority, isImplicit }, credentials: { user: "a@b", password: "p:/w" } });
      const at = `a%40b:p%3A%2Fw@127.0.0.1:${smtp.port}`;
      const url = isImplicit ? `smtps://${at}` : `smtp://${at}?tls=on`;
      await using server = await startPlainServer({ ...smtp.env, FILEHOST_SMTP_URL: url, NODE_EXTRA_CA_CERTS: authority.caFile });
      const sent = await server.run(["mail", "test", ADA]);
      assert.equal(sent.code, 0, sent.stderr);
      const mail = await smtp.next(ADA);
      assert.deepEqual([mail.isSecure, mail.user, mail.subject], [true, "a@b", "Test mail from filehost"]);
    }
  });
});

/** mail, "The connection". */
describe("the administrator's test of mail", () => {
  test("is in doctor, which says what to do", async () => {
    await using smtp = await startSmtpServer({ credentials: { user: "ada", password: "a-long-secret" } });
    await using server = await startPlainServer();
    const consult = async (url: string): Promise<string> => {
      await server.restart({ env: { ...smtp.env, FILEHOST_SMTP_URL: url } });
      return (await server.run(["doctor"])).stdout;
    };
    assert.match(
      await consult(smtp.url.replace("//", "//ada:a-long-secret@")),
      /ok +mail +127\.0\.0\.1:\d+ accepts mail from files@filehost\.example/,
    );
    const refused = await consult(smtp.url.replace("//", "//ada:another-secret@"));
    assert.match(refused, /fail +mail .*\n +Correct the user and the password in FILEHOST_SMTP_URL/);
    assert.ok(!refused.includes("another-secret"));
    await smtp.stop();
    assert.match(await consult(smtp.url), /fail +mail .*nothing listens there/);
  });

  test("is a command, which explains why nothing was sent", async () => {
    await using server = await startPlainServer();
    const without = await server.run(["mail", "test", ADA]);
    assert.deepEqual([without.code, /Mail is not set/.test(without.stderr)], [2, true]);
    await using smtp = await startSmtpServer();
    smtp.refuseWith(550);
    await server.restart({ env: smtp.env });
    const refused = await server.run(["mail", "test", ADA]);
    assert.deepEqual([refused.code, /did not accept the mail: .*Refused by the test/.test(refused.stderr)], [8, true], refused.stderr);
    assert.equal((await server.run(["mail", "test", "nobody"])).code, 2);
  });
});

const readMails = (server: { readonly dataDir: string }) => withDatabase(server, (db) => db.selectFrom("mails").selectAll().execute());
