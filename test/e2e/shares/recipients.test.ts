import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DAY_MS, HOUR_MS } from "../../../src/lib/text/duration.ts";
import { formatClamdAddress } from "../../../src/scan/clamd/address.ts";
import { eicarFile } from "../../../src/scan/eicar.ts";
import type { RecipientView } from "../../../src/service/recipients/contract.ts";
import { startServer } from "../../support/server.ts";
import { clamdMissing, startClamd } from "../../support/services/clamd.ts";
import { linkIn, type ReceivedMail, type TestSmtpServer } from "../../support/services/smtp-server.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { type AccountOptions, addAccount, getMe } from "../support/accounts/accounts.ts";
import { assertRefused, call, clientOf, type InputOf, upload } from "../support/api/api.ts";
import { type MailServer, startMailServer } from "../support/servers/mail-server.ts";
import { makeJobsDue, withDatabase } from "../support/servers/state.ts";
import { complete, init, MB, sendParts, someBytes } from "../support/uploads/multipart.ts";

/** recipients, "Sending", "What can be sent", "The mail", "What the sender sees", "Links", "Reminders", "Blocking", "Limits" and "What is kept". */
describe("sending a share by mail", () => {
  let smtp: TestSmtpServer;
  let server: MailServer;
  before(async () => {
    server = await startMailServer();
    ({ smtp } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  const newAddress = (): string => `${crypto.randomUUID()}@example.org`;
  async function addSender(options: AccountOptions = {}) {
    const { key, userId } = await addAccount(server, options);
    // The account is not new, so only the limits of all accounts apply.
    await withDatabase(server, (db) => db.updateTable("users").set({ created_at: 0 }).where("id", "=", userId).execute());
    return { key, userId, email: (await getMe(server, key)).owner.email ?? "" };
  }
  const send = async (key: string, shortId: string, input: Omit<InputOf<"sendShare">, "shortId">) =>
    (await clientOf(server, { key }).call("sendShare", { shortId, ...input })).data.recipients;
  const list = async (key: string, shortId: string) => (await clientOf(server, { key }).call("listRecipients", { shortId })).data;
  const findRecipient = async (key: string, shortId: string, address: string): Promise<RecipientView> => {
    const found = (await list(key, shortId)).recipients.find((one) => one.address === address);
    assert.ok(found);
    return found;
  };
  const whenState = (key: string, shortId: string, address: string, state: RecipientView["state"]): Promise<RecipientView> =>
    until(`${address} is ${state}`, async () => {
      const recipient = await findRecipient(key, shortId, address);
      return recipient.state === state && recipient;
    });
  const tokenIn = (mail: ReceivedMail): string => linkIn(mail, "h").replace(/^.*\//, "");
  const getPage = (path: string, headers: Record<string, string> = {}) =>
    fetch(server.url + path, { headers: { Accept: "text/html", ...headers }, redirect: "manual" });

  test("gives each recipient a private link, and shows the sender who opened and downloaded", async () => {
    const { key, email } = await addSender();
    const file = await upload(server, { name: "slides.txt", bytes: "slides", fields: { protect: "true", title: "For Monday" } }, { key });
    const [ada, grace] = [newAddress(), newAddress()];
    const sent = await send(key, file.shortId, { recipients: [ada, grace.toUpperCase(), ada], message: "See page 3.\r\nAda" });
    assert.deepEqual(sent.map(({ address }) => address).sort(), [ada, grace].sort());
    const mails = [await smtp.next(ada), await smtp.next(grace)];
    for (const mail of mails) {
      assert.equal(mail.subject, `${email} sent you “For Monday”`);
      assert.equal(mail.headers.get("reply-to"), email);
      assert.match(mail.text, /> See page 3\.\r?\n> Ada/);
      assert.match(mail.text, /sees when it is opened and downloaded/);
      assert.match(mail.html, /See page 3\.<br\s*\/?>Ada/);
    }
    const [first = "", second = ""] = mails.map(tokenIn);
    assert.notEqual(first, second);
    for (const address of [ada, grace]) await whenState(key, file.shortId, address, "sent");

    const page = await getPage(`/h/${first}`);
    const html = await page.text();
    assert.equal(page.status, 200);
    assert.match(html, /The sender sees when you open it and download/);
    assert.match(html, new RegExp(`data-opened="/h/${first}/opened"`));
    // Reading the page is no visit: programs that check mails do so too.
    assert.equal((await findRecipient(key, file.shortId, ada)).openedAt, null);
    const report = (userAgent: string) =>
      fetch(`${server.url}/h/${first}/opened`, { method: "POST", headers: { "User-Agent": userAgent } });
    assert.equal((await report("Slackbot 1.0")).status, 204);
    assert.equal((await findRecipient(key, file.shortId, ada)).openedAt, null);
    assert.equal((await report("Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0")).status, 204);
    const opened = await findRecipient(key, file.shortId, ada);
    assert.deepEqual([opened.openedAt !== null, opened.downloads], [true, 0]);

    const form = new URLSearchParams({ fileId: file.id, handoffToken: first });
    const download = await fetch(`${server.url}/d/${file.shortId}/download`, {
      method: "POST",
      body: form,
      headers: { Origin: server.url },
      redirect: "manual",
    });
    assert.equal(download.status, 303);
    assert.equal(await (await fetch(new URL(download.headers.get("location") ?? "", server.url))).text(), "slides");
    const downloaded = await findRecipient(key, file.shortId, ada);
    assert.deepEqual([downloaded.downloads, downloaded.downloadedAt !== null], [1, true]);
    const other = await findRecipient(key, file.shortId, grace);
    assert.deepEqual([other.downloads, other.openedAt], [0, null]);

    // Programs exchange the token, and their downloads are the recipient's as well.
    const { unlockToken } = await clientOf(server).call("unlockDownload", { handoffToken: second });
    assert.equal((await call(server, "GET", `/api/files/download/${file.id}?unlockToken=${unlockToken}`)).status, 200);
    assert.equal((await findRecipient(key, file.shortId, grace)).downloads, 1);
    const forged = unlockToken.replace(/\.[^.]+$/, `.${opened.id}`);
    assert.equal((await call(server, "GET", `/api/files/download/${file.id}?unlockToken=${forged}`)).status, 403);
  });

  test("sends in the language of a recipient's account, and otherwise in the chosen one", async () => {
    const { key } = await addSender();
    const { shortId } = await upload(server, { name: "a.txt", bytes: "x" }, { key });
    const reader = await addAccount(server);
    const readersAddress = `${reader.userId}@example.org`;
    await withDatabase(server, (db) => db.updateTable("users").set({ language: "de" }).where("id", "=", reader.userId).execute());
    const stranger = newAddress();
    await send(key, shortId, { recipients: [readersAddress, stranger], language: "fr" });
    assert.match((await smtp.next(readersAddress)).subject, /hat Ihnen „a\.txt“ gesendet$/);
    assert.match((await smtp.next(stranger)).subject, /vous a envoyé «\u00a0a\.txt\u00a0»$/);
    const fields = (await list(key, shortId)).recipients.map((recipient) => Object.keys(recipient));
    assert.deepEqual(fields[0], fields[1]);
  });

  test("shows a refusal by the mail server, and sends again", async () => {
    const { key } = await addSender();
    const { shortId } = await upload(server, { bytes: "x" }, { key });
    const address = newAddress();
    smtp.refuseWith(550);
    await send(key, shortId, { recipients: [address] });
    const failed = await whenState(key, shortId, address, "failed");
    smtp.refuseWith(undefined);
    assert.deepEqual([failed.failure, failed.failureDetail, failed.sentAt], ["refused", "550 Refused by the test", null]);
    await send(key, shortId, { recipients: [address] });
    await smtp.next(address);
    const sent = await whenState(key, shortId, address, "sent");
    assert.deepEqual([sent.id, sent.failure, sent.failureDetail], [failed.id, null, null]);
  });

  test("waits for a file that is being uploaded", async () => {
    const { key } = await addSender();
    const bytes = someBytes(MB, 1);
    const session = await init(server, { fileName: "slow.bin", fileSize: bytes.length }, { key });
    const { shortId } = session;
    const address = newAddress();
    const [waiting] = await send(key, shortId, { recipients: [address] });
    assert.equal(waiting?.state, "waiting");
    const parts = await sendParts(server, session, bytes, { key });
    await complete(server, session, { parts }, { key });
    assert.equal((await smtp.next(address)).to[0], address);
  });

  test("shows the message of the mail on the page of its link, once, and the sender's name only if the account shows it", async () => {
    const { key, email } = await addSender();
    const own = clientOf(server, { key });
    const { shortId } = await upload(server, { bytes: "x", fields: { message: "For Monday." } }, { key });
    const address = newAddress();
    const pageOf = async (): Promise<string> => {
      const response = await fetch(linkIn(await smtp.next(address), "h"), { headers: { accept: "text/html" } });
      return await response.text();
    };
    const countIn = (page: string, text: string): number => page.split(text).length - 1;
    await send(key, shortId, { recipients: [address], message: "For Monday." });
    assert.equal(countIn(await pageOf(), "For Monday."), 1);
    await send(key, shortId, { recipients: [address], message: "See page 3." });
    const page = await pageOf();
    assert.deepEqual([countIn(page, "For Monday."), countIn(page, "See page 3.")], [1, 1]);
    assert.ok(!page.includes(email) && !page.includes("Ada Lovelace"));
    await own.call("updateMe", { name: "Ada Lovelace", showName: true });
    await send(key, shortId, { recipients: [address] });
    const again = await pageOf();
    assert.match(again, /From <bdi>Ada Lovelace<\/bdi>.*See page 3\./s, "a mail without a message keeps the one before");
    assert.ok(!again.includes(email));
    assert.ok(!(await (await getPage(`/d/${shortId}`)).text()).includes("See page 3."));
  });

  test("keeps neither the message nor the link readable until the mail is sent", async () => {
    const { key } = await addSender();
    const { shortId } = await upload(server, { bytes: "x" }, { key });
    const address = newAddress();
    const message = `secret ${crypto.randomUUID()}`;
    smtp.refuseWith(451);
    await send(key, shortId, { recipients: [address], message });
    await whenState(key, shortId, address, "sending");
    const stored = await withDatabase(server, async (db) =>
      JSON.stringify([
        await db.selectFrom("share_recipients").selectAll().execute(),
        await db.selectFrom("recipient_links").selectAll().execute(),
        await db.selectFrom("mails").selectAll().execute(),
        await db.selectFrom("audit_log").selectAll().execute(),
      ]),
    );
    smtp.refuseWith(undefined);
    await withDatabase(server, makeJobsDue);
    const mail = await smtp.next(address);
    assert.ok(mail.text.includes(message));
    assert.ok(!stored.includes(message) && !stored.includes(tokenIn(mail)));
  });

  test("does not send a mail whose link has ended while it waited for the mail server", async () => {
    const { key } = await addSender();
    const file = await upload(server, { bytes: "x", fields: { protect: "true" } }, { key });
    const address = newAddress();
    smtp.refuseWith(451);
    await send(key, file.shortId, { recipients: [address] });
    await whenState(key, file.shortId, address, "sending");
    await clientOf(server, { key }).call("updateShareSettings", { fileId: file.id, protect: true });
    smtp.refuseWith(undefined);
    await withDatabase(server, makeJobsDue);
    await until("the mail is dropped", async () => {
      const waiting = await withDatabase(server, (db) => db.selectFrom("mails").select("id").where("recipient", "=", address).execute());
      return waiting.length === 0;
    });
    await whenState(key, file.shortId, address, "ended");
    assert.deepEqual(
      smtp.mails.filter(({ to }) => to.includes(address)),
      [],
    );
  });

  test("ends the links with a new code, with removal, and with the share", async () => {
    const { key } = await addSender();
    const file = await upload(server, { bytes: "x", fields: { protect: "true" } }, { key });
    const client = clientOf(server, { key });
    const [one, two] = [newAddress(), newAddress()];
    await send(key, file.shortId, { recipients: [one, two] });
    const [first, second] = [tokenIn(await smtp.next(one)), tokenIn(await smtp.next(two))];
    await whenState(key, file.shortId, one, "sent");
    assert.equal((await getPage(`/h/${first}`)).status, 200);
    const { id } = await findRecipient(key, file.shortId, one);
    await client.call("removeRecipient", { shortId: file.shortId, recipientId: id });
    assert.equal((await getPage(`/h/${first}`)).status, 404);
    assert.equal((await getPage(`/h/${second}`)).status, 200);
    const missing = await call(server, "DELETE", `/api/shares/${file.shortId}/recipients/${id}`, { key });
    assertRefused(missing, { status: 404, code: "NOT_FOUND" });

    await client.call("updateShareSettings", { fileId: file.id, protect: true });
    assert.equal((await getPage(`/h/${second}`)).status, 404);
    assertRefused(await call(server, "POST", "/api/downloads/unlock", { json: { handoffToken: second } }), {
      status: 403,
      code: "UNLOCK_INVALID",
    });
    await whenState(key, file.shortId, two, "ended");
    await send(key, file.shortId, { recipients: [two] });
    const third = tokenIn(await smtp.next(two));
    assert.equal((await getPage(`/h/${third}`)).status, 200);
    await client.call("deleteFile", { fileId: file.id });
    assert.equal((await getPage(`/h/${third}`)).status, 404);
    const left = await withDatabase(server, (db) =>
      db.selectFrom("share_recipients").select("id").where("short_id", "=", file.shortId).execute(),
    );
    assert.deepEqual(left, []);
  });

  test("never sends to a blocked address again, whoever the sender is", async () => {
    const { key } = await addSender();
    const { shortId } = await upload(server, { bytes: "x" }, { key });
    const address = newAddress();
    await send(key, shortId, { recipients: [address] });
    const mail = await smtp.next(address);
    const url = /^<(\S+)>$/.exec(mail.headers.get("list-unsubscribe") ?? "")?.[1] ?? "";
    assert.equal(mail.headers.get("list-unsubscribe-post"), "List-Unsubscribe=One-Click");
    assert.equal(url, linkIn(mail, "block"));
    const path = new URL(url).pathname;
    assert.ok(!url.includes(address.slice(0, 8)));
    // A program that opens the link blocks nothing.
    assert.match(await (await getPage(path)).text(), /Stop these mails\?/);
    const isStored = () => withDatabase(server, (db) => db.selectFrom("blocked_addresses").selectAll().execute());
    assert.deepEqual(await isStored(), []);
    const oneClick = new URLSearchParams({ "List-Unsubscribe": "One-Click" });
    const blocked = await fetch(server.url + path, { method: "POST", body: oneClick, headers: { Origin: "https://mail.example.com" } });
    assert.equal(blocked.status, 200);
    assert.ok(!JSON.stringify(await isStored()).includes(address));

    const other = await addSender();
    const share = await upload(server, { bytes: "y" }, { key: other.key });
    await send(other.key, share.shortId, { recipients: [address] });
    assert.equal((await whenState(other.key, share.shortId, address, "failed")).failure, "recipient_blocked");
    assert.equal(smtp.mails.filter(({ to }) => to.includes(address)).length, 1);

    assert.equal((await fetch(`${server.url}${path}?allow`, { method: "POST" })).status, 200);
    await send(other.key, share.shortId, { recipients: [address] });
    await smtp.next(address);
    assert.equal((await getPage("/block/unknown")).status, 404);
    assert.equal((await fetch(`${server.url}/block/unknown`, { method: "POST" })).status, 404);
  });

  test("is sent in the name that the page shows, with the first file by name and the address for replies", async () => {
    const { key, email, userId } = await addSender();
    await withDatabase(server, (db) =>
      db.updateTable("users").set({ name: "Bob at www.evil.example", show_name: 1 }).where("id", "=", userId).execute(),
    );
    const { shortId } = await upload(server, { name: "Day 10.jpg", bytes: "a", fields: { openShare: "true" } }, { key });
    await upload(server, { name: "Day 2.jpg", bytes: "b", fields: { shareShortId: shortId } }, { key });
    const address = newAddress();
    await send(key, shortId, { recipients: [address] });
    const mail = await smtp.next(address);
    assert.match(mail.subject, /^Bob at www\.evil\.example sent you “Day 2\.jpg” and 1\sother file$/);
    for (const part of [mail.text, mail.html.replace(/<title>.*?<.title>/, "")]) {
      assert.ok(part.includes(email));
      assert.ok(!part.includes("www.evil"));
    }
    assert.ok(!mail.html.includes(`>${linkIn(mail, "h")}<`));
  });

  test("makes no link, header or markup of what the sender wrote", async () => {
    const { key } = await addSender();
    const title = "Hello\r\nBcc: eve@example.org <b> www.evil.example";
    const { shortId } = await upload(server, { bytes: "x", fields: { title } }, { key });
    const address = newAddress();
    await send(key, shortId, { recipients: [address], message: "<a href='https://evil.example'>Click</a> https://evil.example/login" });
    const mail = await smtp.next(address);
    assert.deepEqual(mail.to, [address]);
    assert.equal(mail.headers.get("bcc"), undefined);
    assert.match(mail.subject, /HelloBcc: eve@example\.org <b> www\.evil\.example/);
    for (const part of [mail.text, mail.html.replace(/<title>.*?<.title>/, "")])
      assert.ok(!/evil\.example|https:\/\/evil/.test(part), part);
    assert.ok(!mail.html.includes("<a href='https"));
  });

  test("counts the downloads of limited shares exactly, and only those as the recipient's", async () => {
    const { key } = await addSender();
    const file = await upload(server, { bytes: "x", fields: { maxDownloads: "2", protect: "true" } }, { key });
    const addresses = [newAddress(), newAddress(), newAddress()];
    await send(key, file.shortId, { recipients: addresses });
    const tokens = await Promise.all(addresses.map(async (address) => tokenIn(await smtp.next(address))));
    const statuses = await Promise.all(
      tokens.map(async (token) => (await call(server, "GET", `/api/files/download/${file.id}?handoffToken=${token}`)).status),
    );
    assert.deepEqual(statuses.sort(), [200, 200, 404]);
    const rows = await withDatabase(server, (db) =>
      db.selectFrom("share_recipients").select("downloads").where("short_id", "=", file.shortId).execute(),
    );
    assert.deepEqual(rows.map(({ downloads }) => downloads).sort(), [0, 1, 1]);
  });

  test("counts an archive as one download of its recipient", async () => {
    const { key } = await addSender();
    const { shortId } = await upload(server, { name: "a.txt", bytes: "a", fields: { openShare: "true" } }, { key });
    await upload(server, { name: "b.txt", bytes: "b", fields: { shareShortId: shortId } }, { key });
    const address = newAddress();
    await send(key, shortId, { recipients: [address] });
    const mail = await smtp.next(address);
    assert.match(mail.subject, /sent you “a\.txt” and 1\sother file$/);
    const form = new URLSearchParams({ handoffToken: tokenIn(mail) });
    const headers = { Origin: server.url };
    const archive = await fetch(`${server.url}/d/${shortId}/archive`, { method: "POST", body: form, headers, redirect: "manual" });
    assert.equal(archive.status, 303);
    assert.equal((await findRecipient(key, shortId, address)).downloads, 1);
  });

  test("reminds, once, who has not downloaded before the share expires", async () => {
    const { key } = await addSender();
    const file = await upload(server, { bytes: "x", fields: { ttl: "7d" } }, { key });
    const [late, done, unasked] = [newAddress(), newAddress(), newAddress()];
    await send(key, file.shortId, { recipients: [late, done], remind: true, message: "Only in the first mail." });
    await send(key, file.shortId, { recipients: [unasked] });
    const [, token] = [await smtp.next(late), tokenIn(await smtp.next(done)), await smtp.next(unasked)];
    assert.equal((await call(server, "GET", `/api/files/download/${file.id}?handoffToken=${token}`)).status, 200);
    await whenState(key, file.shortId, late, "sent");
    assert.equal((await server.run(["cleanup"])).code, 0);
    assert.equal((await findRecipient(key, file.shortId, late)).remindedAt, null);
    const expires_at = Date.now() + DAY_MS - HOUR_MS;
    await withDatabase(server, async (db) => {
      await db.updateTable("shares").set({ expires_at }).where("short_id", "=", file.shortId).execute();
      await db
        .updateTable("share_recipients")
        .set({ sent_at: Date.now() - 5 * DAY_MS })
        .where("short_id", "=", file.shortId)
        .execute();
    });
    for (let time = 0; time < 2; time++) assert.equal((await server.run(["cleanup"])).code, 0);
    const reminder = await smtp.next(late);
    assert.match(reminder.subject, /^Expires soon: /);
    assert.ok(!reminder.text.includes("Only in the first mail."));
    assert.equal((await getPage(`/h/${tokenIn(reminder)}`)).status, 200);
    const counts = [late, done, unasked].map((address) => smtp.mails.filter(({ to }) => to.includes(address)).length);
    assert.deepEqual(counts, [2, 1, 1]);
    assert.notEqual((await findRecipient(key, file.shortId, late)).remindedAt, null);
  });

  test("limits mails to a recipient and of a new account, and counts none of a refused call", async () => {
    const { key, userId } = await addSender();
    const { shortId } = await upload(server, { bytes: "x" }, { key });
    const address = newAddress();
    for (let time = 0; time < 3; time++) await send(key, shortId, { recipients: [address] });
    const post = (recipients: readonly string[]) =>
      call(server, "POST", `/api/shares/${shortId}/recipients`, { key, json: { recipients } });
    const refused = await post([newAddress(), address]);
    assertRefused(refused, { status: 429, code: "RATE_LIMITED" });
    assert.match(refused.body.error ?? "", /recipients/);
    assert.equal((await list(key, shortId)).recipients.length, 1);
    const many = (count: number): string[] => Array.from({ length: count }, newAddress);
    assertRefused(await post(many(21)), { status: 400, code: "VALIDATION_FAILED" });
    assertRefused(await post([]), { status: 400, code: "VALIDATION_FAILED" });
    assertRefused(await post(["nobody", "a@example.org\r\nBcc: b@example.org"]), { status: 400, code: "VALIDATION_FAILED" });

    await withDatabase(server, (db) => db.updateTable("users").set({ created_at: Date.now() }).where("id", "=", userId).execute());
    assert.equal((await post(many(20))).status, 200);
    assertRefused(await post(many(1)), { status: 429, code: "RATE_LIMITED" });
  });

  test("refuses shares that the server must not or cannot send, and says why", async () => {
    const { key } = await addSender({ tier: "pro" });
    const other = await addSender();
    const post = (shortId: string, sender = key) =>
      call(server, "POST", `/api/shares/${shortId}/recipients`, { key: sender, json: { recipients: [newAddress()] } });
    const obstacleOf = async (shortId: string) => (await list(key, shortId)).obstacle;
    const open = await upload(server, { bytes: "x" }, { key });
    assertRefused(await post(open.shortId, other.key), { status: 404, code: "NOT_FOUND" });
    assertRefused(await call(server, "GET", `/api/shares/${open.shortId}/recipients`, { key: other.key }), {
      status: 404,
      code: "NOT_FOUND",
    });
    assert.equal(await obstacleOf(open.shortId), null);
    const encrypted = await upload(server, { bytes: "age-encryption.org/v1\n-> X25519 some bytes" }, { key });
    const refused = await post(encrypted.shortId);
    assertRefused(refused, { status: 409, code: "CONFLICT" });
    assert.match(refused.body.error ?? "", /must not learn their key/);
    assert.equal(await obstacleOf(encrypted.shortId), "encrypted");
    const { data: empty } = await clientOf(server, { key }).call("createShare", {});
    assertRefused(await post(empty.shortId), { status: 409, code: "UPLOAD_INCOMPLETE" });
    assert.equal(await obstacleOf(empty.shortId), "empty");
    await withDatabase(server, (db) => db.updateTable("shares").set({ price_cents: 500 }).where("short_id", "=", open.shortId).execute());
    assertRefused(await post(open.shortId), { status: 409, code: "CONFLICT" });
    assert.equal(await obstacleOf(open.shortId), "priced");
    const closed = await upload(server, { bytes: "z" }, { key });
    await clientOf(server, { key }).call("closeShare", { shortId: closed.shortId });
    assertRefused(await post(closed.shortId), { status: 409, code: "SHARE_EXPIRED" });
    assert.equal(await obstacleOf(closed.shortId), "ended");
    assertRefused(await call(server, "POST", `/api/shares/${open.shortId}/recipients`, { json: { recipients: [newAddress()] } }), {
      status: 401,
      code: "UNAUTHENTICATED",
    });
    await withDatabase(server, (db) => db.updateTable("users").set({ email_verified: 0 }).where("id", "=", other.userId).execute());
    const file = await upload(server, { bytes: "unverified" }, { key: other.key });
    assertRefused(await post(file.shortId, other.key), { status: 403, code: "FORBIDDEN" });
    assert.equal((await list(other.key, file.shortId)).obstacle, "unverified");
  });
});

/** recipients, "Sending"; scanning, "The scan". */
describeUnless(clamdMissing, "sending a share by mail before its check", () => {
  test("sends once the check has passed, and nothing if it finds malware", async () => {
    await using clamd = await startClamd();
    await using server = await startMailServer({ FILEHOST_CLAMD: formatClamdAddress(clamd.unix), FILEHOST_RATE_LIMITS: "off" }, (env) =>
      startServer({ env }),
    );
    const { key } = await addAccount(server);
    const client = clientOf(server, { key });
    await clamd.kill();
    const clean = await upload(server, { bytes: crypto.randomUUID() }, { key });
    const infected = await upload(server, { bytes: Uint8Array.from(eicarFile()) }, { key });
    for (const { shortId } of [clean, infected])
      assert.equal((await client.call("sendShare", { shortId, recipients: ["ada@example.org"] })).data.recipients[0]?.state, "waiting");
    assert.equal(server.smtp.mails.length, 0);
    await clamd.restart();
    const mail = await server.smtp.next("ada@example.org");
    assert.ok(mail.text.includes("/h/hr_"));
    const failed = await until("the infected share is not sent", async () => {
      const [recipient] = (await client.call("listRecipients", { shortId: infected.shortId })).data.recipients;
      return recipient?.state === "failed" && recipient;
    });
    assert.equal(failed.failure, "file_blocked");
    assert.equal(server.smtp.mails.length, 1);
  });
});
