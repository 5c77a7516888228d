import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { ReportRow } from "../../../src/db/tables/moderation.ts";
import type { TestServer } from "../../support/server.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { fromAddress } from "../support/accounts/agents.ts";
import { assertRefused, call, clientOf, deleteFile, getShare, upload } from "../support/api/api.ts";
import { postForm, uploadProtected, uploadShipment } from "../support/pages/pages.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";
import { sha256 } from "../support/uploads/multipart.ts";

const reportsOf = (server: TestServer, shortId: string): Promise<ReportRow[]> =>
  withDatabase(server, (db) => db.selectFrom("reports").selectAll().where("short_id", "=", shortId).orderBy("created_at").execute());

let addresses = 0;
/** An address that has sent no report yet. */
function newAddress(): Record<string, string> {
  addresses += 1;
  return fromAddress(`198.51.100.${addresses}`);
}

describe("a report", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer({ FILEHOST_TRUSTED_PROXIES: "127.0.0.1" });
  });
  after(() => server[Symbol.asyncDispose]());

  const report = (shortId: string, headers = newAddress()) =>
    clientOf(server, { headers }).call("createReport", {
      shortId,
      reason: "phishing",
      details: "A bank.\n\0Fake.",
      email: "eve@example.org",
    });

  /** reports, "Reporting a share" and "What is kept". */
  test("keeps a description of the share after its sender has deleted it, but not the reporter's address", async () => {
    const file = await upload(server, { name: "invoice.html", bytes: "pay here" });
    const headers = fromAddress("203.0.113.77");
    const { data } = await report(file.shortId, headers);
    await getShare(server, file.shortId);
    await deleteFile(server, { fileId: file.id, token: file.deletionToken });
    const [row, ...more] = await reportsOf(server, file.shortId);
    assert.ok(row);
    assert.deepEqual(more, []);
    const { created_at, ...kept } = row;
    assert.ok(Math.abs(created_at - Date.now()) < 60_000);
    assert.deepEqual(kept, {
      id: data.id,
      short_id: file.shortId,
      name: "invoice.html",
      file_count: 1,
      size_bytes: 8,
      sha256: sha256(new TextEncoder().encode("pay here")),
      reason: "phishing",
      details: "A bank.\nFake.",
      email: "eve@example.org",
      resolved_at: null,
      resolution: null,
      outcome: null,
      resolved_by: null,
    });
    assertRefused(await call(server, "POST", "/api/reports", { json: { shortId: file.shortId, reason: "other" } }), {
      status: 404,
      code: "NOT_FOUND",
    });
  });

  test("is accepted for shares that are expired, blocked or taken down, and names the shipment that a file joined", async () => {
    const [expired, blocked, taken] = [
      await upload(server, { bytes: "1" }),
      await upload(server, { bytes: "2" }),
      await upload(server, { bytes: "3" }),
    ];
    await withDatabase(server, async (db) => {
      await db.updateTable("shares").set({ status: "expired" }).where("short_id", "=", expired.shortId).execute();
      await db.updateTable("files").set({ scan_status: "unavailable", scan_reason: "infected" }).where("id", "=", blocked.id).execute();
    });
    assert.equal((await server.run(["takedown", taken.shortId])).code, 0);
    for (const { shortId } of [expired, blocked, taken]) {
      await report(shortId);
      assert.equal((await reportsOf(server, shortId)).length, 1);
    }
    const { key } = await addAccount(server);
    const shipment = await uploadShipment(server, { key, paths: ["a.txt", "b.txt"], fields: { title: "Trip" } });
    await withDatabase(server, (db) =>
      db.updateTable("shares").set({ redirect_to: shipment.shortId }).where("short_id", "=", blocked.shortId).execute(),
    );
    await report(blocked.shortId);
    const [row] = await reportsOf(server, shipment.shortId);
    assert.deepEqual([row?.name, row?.file_count, row?.sha256], ["Trip", 2, null]);
    await getShare(server, shipment.shortId);
  });

  test("is stored with the title of the share, or without one with the name of its file or folder", async () => {
    const { key } = await addAccount(server);
    const titled = await upload(server, { name: "IMG_2041.jpg", bytes: "x", fields: { title: "Postcard from Ostia" } }, { key });
    const single = await uploadShipment(server, { key, paths: ["IMG_2044.jpg"] });
    const folder = await uploadShipment(server, { key, paths: ["Rome/a.txt", "Rome/b.txt"] });
    for (const [{ shortId }, name] of [
      [titled, "Postcard from Ostia"],
      [single, "IMG_2044.jpg"],
      [folder, "Rome"],
    ] as const) {
      await report(shortId);
      assert.equal((await reportsOf(server, shortId))[0]?.name, name);
    }
  });

  /** reports, "For the administrator". */
  test("causes a warning in the log, without the details and the mail address", async () => {
    const { shortId } = await upload(server, { bytes: "x" });
    const { data } = await report(shortId);
    const lines = server.logs().filter(({ reportId }) => reportId === data.id);
    assert.deepEqual(
      lines.map(({ level, reason }) => [level, reason]),
      [["warn", "phishing"]],
    );
    assert.doesNotMatch(JSON.stringify(server.logs()), /eve@example|A bank/);
  });

  const FIELDS = { reason: "copyright", details: "Mine.\r\n<b>Really</b>", email: " ada@example.org " };

  /** reports, "The form". */
  describe("by the form", () => {
    const open = async (shortId: string) => {
      const response = await fetch(`${server.url}/report/${shortId}`, { headers: { Accept: "text/html" } });
      return { status: response.status, html: await response.text() };
    };

    test("is stored, and opening the form stores nothing", async () => {
      const { shortId } = await upload(server, { name: "<i>song.mp3", bytes: "la" });
      const { status, html } = await open(shortId);
      assert.equal(status, 200);
      assert.match(html, /&lt;i>/);
      assert.match(html, new RegExp(`<form [^>]*method="post" action="/report/${shortId}"`));
      assert.deepEqual(await reportsOf(server, shortId), []);
      const sent = await postForm(server, `/report/${shortId}`, FIELDS, newAddress());
      assert.equal(sent.status, 200);
      assert.match(sent.html, /Report sent/);
      const [row] = await reportsOf(server, shortId);
      assert.deepEqual([row?.reason, row?.details, row?.email], ["copyright", "Mine.\n<b>Really</b>", "ada@example.org"]);
    });

    test("shows neither name nor size of a file that is blocked or in a shipment", async () => {
      const blocked = await upload(server, { name: "invoice.pdf", bytes: "x" });
      assert.match((await open(blocked.shortId)).html, /invoice/);
      const state = { scan_status: "unavailable", scan_reason: "infected" } as const;
      await withDatabase(server, (db) => db.updateTable("files").set(state).where("short_id", "=", blocked.shortId).execute());
      const { key } = await addAccount(server);
      const joined = await upload(server, { name: "invoice.pdf", bytes: "y", fields: { openShare: "true" } }, { key });
      for (const { shortId } of [blocked, joined]) assert.doesNotMatch((await open(shortId)).html, /invoice|1 byte/);
    });

    test("shows the form again with the entered values if it is invalid, and stores nothing", async () => {
      const { shortId } = await upload(server, { bytes: "x" });
      const cases = [
        [{ reason: "" }, /Choose what is wrong/],
        [{ reason: "boredom" }, /Choose what is wrong/],
        [{ email: "nobody" }, /Enter an email address/],
        [{ details: "é".repeat(1001) }, /Shorten the details/],
      ] as const;
      for (const [fields, problem] of cases) {
        const { status, html } = await postForm(server, `/report/${shortId}`, { ...FIELDS, ...fields }, newAddress());
        assert.equal(status, 400);
        assert.match(html, problem);
        assert.match(html, "details" in fields ? /é{1001}/ : /&lt;b>Really&lt;\/b>/);
      }
      assert.deepEqual(await reportsOf(server, shortId), []);
      const lines = "a\r\n".repeat(500);
      assert.equal((await postForm(server, `/report/${shortId}`, { ...FIELDS, details: lines }, newAddress())).status, 200);
    });

    test("shows the form again with the time of the next try, from the sixth in an hour on", async () => {
      const { shortId } = await upload(server, { bytes: "x" });
      const address = newAddress();
      for (let sent = 0; sent < 5; sent += 1) assert.equal((await postForm(server, `/report/${shortId}`, FIELDS, address)).status, 200);
      const { status, headers, html } = await postForm(server, `/report/${shortId}`, FIELDS, address);
      assert.equal(status, 429);
      assert.ok(Number(headers.get("retry-after")) > 0);
      assert.match(html, /Try again in \d+\sminutes/);
      assert.match(html, /Mine\./);
    });

    test("is refused from another site's page", async () => {
      const { shortId } = await upload(server, { bytes: "x" });
      const foreign = { ...newAddress(), Origin: "https://elsewhere.example", "Sec-Fetch-Site": "cross-site" };
      assert.equal((await postForm(server, `/report/${shortId}`, FIELDS, foreign)).status, 403);
      assert.deepEqual(await reportsOf(server, shortId), []);
    });

    test("does not name the files of a shipment, or of a share that cannot be opened", async () => {
      const { key } = await addAccount(server);
      const shipment = await uploadShipment(server, { key, paths: ["secret-1.txt", "secret-2.txt"] });
      const expired = await upload(server, { name: "secret-3.txt", bytes: "x" });
      await withDatabase(server, (db) =>
        db.updateTable("shares").set({ status: "expired" }).where("short_id", "=", expired.shortId).execute(),
      );
      for (const { shortId } of [shipment, expired]) {
        const { status, html } = await open(shortId);
        assert.equal(status, 200);
        assert.match(html, new RegExp(`/d/${shortId}`));
        assert.doesNotMatch(html, /secret-/);
      }
      assert.match((await open((await uploadProtected(server, { name: "shown.txt" })).shortId)).html, /shown/);
    });

    test("is refused with 404 for an unknown or deleted share", async () => {
      const file = await upload(server, { bytes: "x" });
      await deleteFile(server, { fileId: file.id, token: file.deletionToken });
      for (const shortId of ["nothing1", file.shortId]) {
        assert.equal((await open(shortId)).status, 404);
        assert.equal((await postForm(server, `/report/${shortId}`, FIELDS, newAddress())).status, 404);
      }
    });
  });
});
