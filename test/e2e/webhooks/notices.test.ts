import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DAY_MS, HOUR_MS } from "../../../src/lib/text/duration.ts";
import { linkIn, type TestSmtpServer } from "../../support/services/smtp-server.ts";
import { until } from "../../support/until.ts";
import { addAccount, getMe } from "../support/accounts/accounts.ts";
import { assertRefused, call, clientOf, upload } from "../support/api/api.ts";
import { startSession } from "../support/api/callers.ts";
import { type MailServer, startMailServer } from "../support/servers/mail-server.ts";
import { withDatabase } from "../support/servers/state.ts";
import { createFileRequest, joining, openSubmission, send, tokenOf } from "../support/shares/requests.ts";

/** notices, "Kinds", "The list", "By mail" and "Unsubscribing". */
describe("the notices of an account", () => {
  let smtp: TestSmtpServer;
  let server: MailServer;
  before(async () => {
    server = await startMailServer({ FILEHOST_URL: "https://files.example.org" });
    ({ smtp } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  async function addPerson() {
    const { key, userId } = await addAccount(server);
    return { key, userId, email: (await getMe(server, key)).owner.email ?? "" };
  }
  const list = async (key: string) => (await clientOf(server, { key }).call("listNotices", {})).data;
  const download = (id: string, key?: string) => call(server, "GET", `/api/files/download/${id}`, key === undefined ? {} : { key });
  /** Makes the mail due now that gathers notices for a minute, and pauses for an hour. */
  const mailNow = async (userId: string, passedMs = 0) =>
    await withDatabase(server, async (db) => {
      if (passedMs > 0)
        await db
          .updateTable("notices")
          .set({ mailed_at: Date.now() - passedMs })
          .where("mailed_at", "is not", null)
          .execute();
      await db.updateTable("jobs").set({ run_at: 0 }).where("kind", "=", "notices").where("subject", "=", userId).execute();
    });

  test("report downloads of a share that requests it, with their number, but not those of the owner", async () => {
    const { key } = await addPerson();
    const told = await upload(server, { name: "told.txt", bytes: "x", fields: { notify: "true" } }, { key });
    const silent = await upload(server, { name: "silent.txt", bytes: "x" }, { key });
    for (const id of [told.id, told.id, silent.id]) assert.equal((await download(id)).status, 200);
    assert.equal((await download(told.id, key)).status, 200);
    const { notices, unread } = await list(key);
    assert.deepEqual(
      notices.map(({ kind, about, title, path, count, isRead }) => ({ kind, about, title, path, count, isRead })),
      [{ kind: "downloaded", about: told.shortId, title: "told.txt", path: `/d/${told.shortId}`, count: 2, isRead: false }],
    );
    assert.equal(unread, 1);
  });

  test("report all downloads if the settings say so, except for a share that refuses", async () => {
    const { key } = await addPerson();
    const client = clientOf(server, { key });
    assert.deepEqual((await client.call("getNoticeSettings", {})).data, { downloaded: false, arrived: true, expiring: true, byMail: true });
    assert.equal((await client.call("updateNoticeSettings", { downloaded: true })).data.downloaded, true);
    const told = await upload(server, { name: "a.txt", bytes: "x" }, { key });
    const silent = await upload(server, { name: "b.txt", bytes: "x", fields: { notify: "false" } }, { key });
    await download(told.id);
    await download(silent.id);
    assert.deepEqual(
      (await list(key)).notices.map(({ title }) => title),
      ["a.txt"],
    );
    const changed = await client.call("updateShareSettings", { fileId: silent.id, notify: null });
    assert.equal(changed.data.notify, null);
    await download(silent.id);
    assert.equal((await list(key)).unread, 2);
  });

  test("are read once, all or some, without changing notices of others", async () => {
    const { key } = await addPerson();
    const other = await addPerson();
    for (const owner of [key, key, other.key])
      await download((await upload(server, { bytes: crypto.randomUUID(), fields: { notify: "true" } }, { key: owner })).id);
    const { notices } = await list(key);
    const [first] = (await list(other.key)).notices;
    const mark = (ids?: string[]) => clientOf(server, { key }).call("markNoticesRead", { ids });
    assert.equal((await mark([notices[0]?.id ?? "", first?.id ?? ""])).data.unread, 1);
    assert.equal((await list(other.key)).unread, 1);
    assert.equal((await mark()).data.unread, 0);
    assert.ok((await list(key)).notices.every(({ isRead }) => isRead));
  });

  test("are read when their pages are opened from the list, each by its owner", async () => {
    const { key, userId } = await addPerson();
    const other = await addPerson();
    const made = (name: string) => upload(server, { name, bytes: name, fields: { notify: "true" } }, { key });
    const [one, two] = [await made("a.txt"), await made("b.txt")];
    for (const { id } of [one, two]) await download(id);
    const get = async (person: { readonly userId: string }, path: string) => {
      const session = await startSession(server, person);
      const headers = { Cookie: `__Host-session=${session}`, Accept: "text/html" };
      const response = await fetch(server.url + path, { headers, redirect: "manual" });
      return { status: response.status, location: response.headers.get("location"), html: await response.text() };
    };
    const { notices } = await list(key);
    const first = notices.find(({ about }) => about === one.shortId);
    const path = `/notices/${first?.id}`;
    assert.ok((await get({ userId }, "/notices")).html.includes(`href="${path}"`));
    for (const refused of [await get(other, path), await get({ userId }, "/notices/unknown")]) assert.equal(refused.status, 404);
    assert.equal((await list(key)).unread, 2);
    // The link leads there again after the notice was read.
    for (let time = 0; time < 2; time++) {
      const opened = await get({ userId }, path);
      assert.deepEqual([opened.status, opened.location], [303, `/d/${one.shortId}`]);
      assert.deepEqual((await list(key)).notices.map(({ title, isRead }) => [title, isRead]).sort(), [
        ["a.txt", true],
        ["b.txt", false],
      ]);
    }
  });

  test("come by mail in one digest, at most once an hour, with hostile names on one line", async () => {
    const { key, userId, email } = await addPerson();
    const name = 'x"><script>alert(1)</script>.txt';
    const one = await upload(server, { name, bytes: "x", fields: { notify: "true" } }, { key });
    const two = await upload(server, { name: "b.txt", bytes: "x", fields: { notify: "true", title: "Slides\u202Egpj" } }, { key });
    for (const id of [one.id, one.id, two.id]) await download(id);
    await mailNow(userId);
    const mail = await smtp.next(email);
    assert.equal(mail.subject, "“script>.txt” was downloaded 2\u00a0times, and 1\u00a0more notice");
    assert.match(mail.text, /Downloaded 2\stimes/);
    assert.match(mail.text, new RegExp(`https://files\\.example\\.org/d/${two.shortId}`));
    assert.ok(!mail.html.includes("<script>") && !/[\u202E]/.test(mail.text + mail.html + mail.subject));
    const before = smtp.mails.length;
    await download(one.id);
    await mailNow(userId);
    await until("the next mail waits for the hour", async () => {
      const jobs = await withDatabase(server, (db) => db.selectFrom("jobs").selectAll().where("subject", "=", userId).execute());
      return jobs.some(({ run_at }) => run_at > Date.now() + HOUR_MS / 2);
    });
    assert.equal(smtp.mails.length, before);
    await mailNow(userId, 2 * HOUR_MS);
    assert.match((await smtp.next(email)).subject, /^“script>\.txt” was downloaded$/);
  });

  test("come by mail once, with what happened to which share in the subject, and nothing twice in the text", async () => {
    const { key, userId, email } = await addPerson();
    const { id, shortId } = await upload(server, { name: "a.txt", bytes: "x", fields: { notify: "true", title: "Trip to Rome" } }, { key });
    await download(id);
    await mailNow(userId);
    const { subject, text } = await smtp.next(email);
    assert.equal(subject, "“Trip to Rome” was downloaded");
    assert.match(text, /This happened to your shares and requests at filehost:/);
    for (const once of ["Downloaded", "Trip to Rome", `/d/${shortId}`]) assert.equal(text.split(once).length, 2, once);
  });

  test("come by mail in the language of the person's last page", async () => {
    const { key, userId, email } = await addPerson();
    const session = await startSession(server, { userId });
    const { id, shortId } = await upload(server, { name: "a.txt", bytes: "x", fields: { notify: "true" } }, { key });
    const mailIn = async (language: string) => {
      const headers = { Cookie: `__Host-session=${session}`, Accept: "text/html", "Accept-Language": language };
      assert.equal((await fetch(`${server.url}/notices`, { headers, redirect: "manual" })).status, 200);
      await download(id);
      await mailNow(userId, 2 * HOUR_MS);
      return await smtp.next(email);
    };
    const german = await mailIn("de");
    assert.equal(german.subject, "„a.txt“ wurde heruntergeladen");
    for (const text of [german.text, german.html]) assert.match(text, /Keine solchen E-Mails mehr/);
    assert.match(german.html, /<html[^>]* lang="de"/);
    const french = await mailIn("fr");
    assert.equal(french.subject, "«\u00a0a.txt\u00a0» téléchargé");
    assert.match(french.text, /Ne plus recevoir ces messages/);
    assert.ok(french.text.includes(`/d/${shortId}`));
  });

  test("are not mailed after they were read, nor to an address that is not verified", async () => {
    const { key, userId, email } = await addPerson();
    const { id } = await upload(server, { bytes: "x", fields: { notify: "true" } }, { key });
    await download(id);
    await clientOf(server, { key }).call("markNoticesRead", {});
    await mailNow(userId);
    const hasNoJob = async () =>
      (await withDatabase(server, (db) => db.selectFrom("jobs").selectAll().where("subject", "=", userId).execute())).length === 0;
    await until("the job has ended", hasNoJob);
    await withDatabase(server, (db) => db.updateTable("users").set({ email_verified: 0, tier: "pro" }).where("id", "=", userId).execute());
    await download(id);
    await mailNow(userId);
    await until("the job has ended", hasNoJob);
    assert.ok(!smtp.mails.some(({ to }) => to.includes(email)));
  });

  test("end by mail with one click, only by the mail's own link, and remain in the list", async () => {
    const { key, userId, email } = await addPerson();
    const { id } = await upload(server, { bytes: "x", fields: { notify: "true" } }, { key });
    await download(id);
    await mailNow(userId);
    const mail = await smtp.next(email);
    const [, url = ""] = /^<(\S+)>$/.exec(mail.headers.get("list-unsubscribe") ?? "") ?? [];
    assert.equal(mail.headers.get("list-unsubscribe-post"), "List-Unsubscribe=One-Click");
    assert.equal(url, linkIn(mail, "unsubscribe"));
    const path = new URL(url).pathname;
    const send = (to: string, method = "POST") =>
      fetch(server.url + to, {
        method,
        ...(method === "POST" && {
          body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }),
          headers: { Origin: "https://mail.example" },
        }),
      });
    assert.equal((await send(path, "GET")).status, 200);
    assert.equal((await clientOf(server, { key }).call("getNoticeSettings", {})).data.byMail, true);
    const other = await addPerson();
    const forged = path.replace(userId, other.userId);
    assert.equal((await send(forged)).status, 404);
    assert.equal((await send("/unsubscribe/x")).status, 404);
    assert.equal((await clientOf(server, { key: other.key }).call("getNoticeSettings", {})).data.byMail, true);
    assert.equal((await send(path)).status, 200);
    assert.equal((await send(path)).status, 200);
    assert.equal((await clientOf(server, { key }).call("getNoticeSettings", {})).data.byMail, false);
    await download(id);
    assert.equal((await list(key)).unread, 2);
    const jobs = await withDatabase(server, (db) => db.selectFrom("jobs").selectAll().where("subject", "=", userId).execute());
    assert.deepEqual(jobs, []);
  });

  test("report received files that expire under their request, and no share without files", async () => {
    const { key } = await addPerson();
    const request = await createFileRequest(server, key, { title: "Photos" });
    const requestToken = tokenOf(request);
    await clientOf(server, { key }).call("markNoticesRead", {});
    const [full, shared, empty] = [
      await openSubmission(server, requestToken),
      await openSubmission(server, requestToken),
      await openSubmission(server, requestToken),
    ];
    const [, given] = [
      await send(server, joining(requestToken, full), { name: "Buy now.txt" }),
      await send(server, joining(requestToken, shared)),
    ];
    await clientOf(server, { key }).call("shareFiles", { fileIds: [given.body.data.id], ttl: "7d" });
    const shipment = await upload(server, { name: "gone.txt", bytes: "x", fields: { openShare: "true" } }, { key });
    const left = await upload(server, { name: "left.txt", bytes: "y", fields: { shareShortId: shipment.shortId } }, { key });
    await clientOf(server, { key }).call("deleteFile", { fileId: shipment.id });
    const shortIds = [full, shared, empty, left].map(({ shortId }) => shortId);
    const times = { created_at: Date.now() - 2 * DAY_MS, expires_at: Date.now() + 20 * HOUR_MS };
    await withDatabase(server, (db) => db.updateTable("shares").set(times).where("short_id", "in", shortIds).execute());
    assert.equal((await server.run(["cleanup"])).code, 0);
    const { notices } = await list(key);
    assert.deepEqual(
      notices
        .filter(({ kind }) => kind === "expiring")
        .map(({ about, title, path, count }) => [about, title, path, count])
        .sort((one, other) => String(one[1]).localeCompare(String(other[1]))),
      [
        [shipment.shortId, "left.txt", `/d/${shipment.shortId}`, 1],
        [request.id, "Photos", `/requests/${request.id}`, 1],
      ],
    );
  });

  test("report the end of a share a day before, once for each end, if it existed for two days", async () => {
    const { key, userId, email } = await addPerson();
    const files = [];
    for (const name of ["long.txt", "short.txt", "silent.txt"])
      files.push(
        await upload(server, { name, bytes: "x", fields: { ttl: "3d", ...(name === "silent.txt" && { notify: "false" }) } }, { key }),
      );
    const [long, short] = files;
    const endSoon = (shortId: string | undefined, keptMs: number) =>
      withDatabase(server, (db) =>
        db
          .updateTable("shares")
          .set({ created_at: Date.now() - keptMs, expires_at: Date.now() + 20 * HOUR_MS })
          .where("short_id", "=", shortId ?? "")
          .execute(),
      );
    // Each at once as it must be: the server's own schedule may report them at any time.
    for (const file of files) await endSoon(file.shortId, file === short ? HOUR_MS : 2 * DAY_MS);
    for (let time = 0; time < 2; time++) assert.equal((await server.run(["cleanup"])).code, 0);
    const { notices } = await list(key);
    assert.deepEqual(
      notices.map(({ kind, about }) => [kind, about]),
      [["expiring", long?.shortId]],
    );
    assert.ok(Date.parse(notices[0]?.at ?? "") > Date.now());

    // With what else happened, in one mail.
    const request = await createFileRequest(server, key, { title: "Photos" });
    assert.equal((await send(server, { requestToken: tokenOf(request) })).status, 200);
    await mailNow(userId);
    const mail = await smtp.next(email);
    assert.match(mail.subject, /^“.*” expires on .*, and 1\smore notice$/);
    for (const text of [/Expires on /, new RegExp(`/d/${long?.shortId}`), /1\sfile arrived/, new RegExp(`/requests/${request.id}`)])
      assert.match(mail.text, text);
  });

  test("report the number of files that others sent to a request, in the list and by mail", async () => {
    const { key, userId, email } = await addPerson();
    const request = await createFileRequest(server, key, { title: "Photos of the party" });
    for (let time = 0; time < 2; time++)
      assert.equal((await send(server, { requestToken: tokenOf(request), senderName: "Eve\r\nBcc: x@example.org" })).status, 200);
    assert.deepEqual(
      (await list(key)).notices.map(({ kind, about, title, path, count, senders }) => ({ kind, about, title, path, count, senders })),
      [
        {
          ...{ kind: "arrived", about: request.id, title: "Photos of the party", path: `/requests/${request.id}`, count: 2 },
          senders: ["EveBcc: x@example.org"],
        },
      ],
    );
    await mailNow(userId);
    const mail = await smtp.next(email);
    // The name that a stranger gave becomes no link.
    assert.deepEqual(
      [mail.subject.replaceAll("\u2060", ""), mail.to],
      ["EveBcc: x@example.org sent 2\u00a0files to “Photos of the party”", [email]],
    );
    assert.ok(!mail.text.includes("x@example.org") && !mail.html.includes("x@example.org"));
  });

  test("name those who sent the files of one notice, not those of an earlier one", async () => {
    const { key } = await addPerson();
    const request = await createFileRequest(server, key, { title: "Photos" });
    const from = async (senderName?: string) =>
      assert.equal((await send(server, { requestToken: tokenOf(request), ...(senderName && { senderName }) })).status, 200);
    const sendersIn = async () => (await list(key)).notices.map(({ count, senders }) => [count, senders]);
    await from("Ada");
    assert.deepEqual(await sendersIn(), [[1, ["Ada"]]]);
    await clientOf(server, { key }).call("markNoticesRead", {});
    await from("Grace");
    await from();
    await from("Grace");
    const [latest, ...earlier] = await sendersIn();
    assert.deepEqual([latest?.[0], new Set(latest?.[1] as (string | null)[]), earlier], [3, new Set(["Grace", null]), [[1, ["Ada"]]]]);
    await clientOf(server, { key }).call("deleteRequest", { id: request.id });
    assert.deepEqual(await sendersIn(), [
      [3, []],
      [1, []],
    ]);
  });

  test("name the last 20 senders, and then do not say how many others there are", async () => {
    const { key, userId, email } = await addPerson();
    const request = await createFileRequest(server, key, { title: "Photos" });
    for (let sender = 1; sender <= 21; sender++)
      assert.equal((await send(server, { requestToken: tokenOf(request), senderName: `Sender ${sender}` })).status, 200);
    const [notice] = (await list(key)).notices;
    assert.deepEqual([notice?.count, notice?.senders.length], [21, 20]);
    await mailNow(userId);
    assert.match((await smtp.next(email)).subject, /^Sender \d+ and others sent 21\sfiles to “Photos”$/);
  });

  test("call a share without a title by its folder, otherwise by its first file and the number of others", async () => {
    const { key } = await addPerson();
    const sendAll = async (paths: readonly string[]) => {
      const [first = "", ...others] = paths;
      const shipment = await upload(
        server,
        { name: "1.txt", bytes: "x", fields: { openShare: "true", notify: "true", relativePath: first } },
        { key },
      );
      for (const [index, path] of others.entries())
        await upload(
          server,
          { name: `${index + 2}.txt`, bytes: path, fields: { shareShortId: shipment.shortId, relativePath: path } },
          { key },
        );
      await download(shipment.id);
    };
    await sendAll(["Trip to Rome/1.txt", "Trip to Rome/Day 1/2.txt"]);
    await sendAll(["a/1.txt", "b/2.txt", "3.txt"]);
    assert.deepEqual((await list(key)).notices.map(({ title, others, encrypted }) => [title, others, encrypted]).sort(), [
      ["1.txt", 2, false],
      ["Trip to Rome", 0, false],
    ]);
  });

  test("report a request's files always or never, as the request says", async () => {
    const { key } = await addPerson();
    const client = clientOf(server, { key });
    await client.call("updateNoticeSettings", { arrived: false });
    const noticed = await createFileRequest(server, key, { title: "Noticed", notify: true });
    const silent = await createFileRequest(server, key, { title: "Silent" });
    assert.deepEqual([noticed.notify, silent.notify], [true, null]);
    for (const request of [noticed, silent]) assert.equal((await send(server, { requestToken: tokenOf(request) })).status, 200);
    assert.deepEqual(
      (await list(key)).notices.map(({ title }) => title),
      ["Noticed"],
    );
    await client.call("updateNoticeSettings", { arrived: true });
    const { data } = await client.call("updateRequest", { id: noticed.id, notify: false });
    assert.equal(data.notify, false);
    for (const request of [noticed, silent]) assert.equal((await send(server, { requestToken: tokenOf(request) })).status, 200);
    assert.deepEqual(
      (await list(key)).notices.map(({ title, count }) => [title, count]),
      [
        ["Silent", 1],
        ["Noticed", 1],
      ],
    );
    assert.equal((await client.call("updateRequest", { id: noticed.id, notify: null })).data.notify, null);
  });

  test("need an account", async () => {
    for (const [method, path] of [
      ["GET", "/api/notices"],
      ["POST", "/api/notices/read"],
      ["GET", "/api/notices/settings"],
    ] as const)
      assertRefused(await call(server, method, path), { status: 401, code: "UNAUTHENTICATED" });
    const refused = await call(server, "POST", "/api/shares", { json: { notify: true } });
    assertRefused(refused, { status: 401, code: "UNAUTHENTICATED" });
    const { key } = await addPerson();
    assertRefused(await call(server, "PATCH", "/api/notices/settings", { key, json: {} }), { status: 400, code: "VALIDATION_FAILED" });
  });
});
