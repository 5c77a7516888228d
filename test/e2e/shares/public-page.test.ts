import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { ResponseOf } from "../../../src/service/contract.ts";
import { pngOf } from "../../support/formats/images.ts";
import type { TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { type Account, addAccount } from "../support/accounts/accounts.ts";
import { assertRefused, call, clientOf, type InputOf, type Upload, upload } from "../support/api/api.ts";
import { setScanning, uploadShipment } from "../support/pages/pages.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";
import { changeSettings } from "../support/shares/shares.ts";
import { init } from "../support/uploads/multipart.ts";

/** sharing, "The public page"; addresses, "Crawlers". */
describe("the public page of an account", () => {
  let server: TestServer;
  let accounts = 0;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  interface Named extends Account {
    readonly username: string;
  }
  async function addNamed(): Promise<Named> {
    accounts += 1;
    const username = `person-${accounts}`;
    return { username, ...(await addAccount(server, { username })) };
  }
  const share = (owner: Account, fields: Record<string, string> = {}, name = "a.txt"): Promise<Upload> =>
    upload(server, { bytes: "hello", name, fields: { visibility: "public", ...fields } }, owner);
  const list = (username: string, input: Omit<InputOf<"listPublicShares">, "username"> = {}): Promise<ResponseOf<"listPublicShares">> =>
    clientOf(server).call("listPublicShares", { username, ...input });
  const idsOf = async (username: string): Promise<string[]> => (await list(username)).data.shares.map(({ shortId }) => shortId);
  const open = async (path: string) => {
    const response = await fetch(server.url + path, { headers: { Accept: "text/html" } });
    return { response, html: await response.text() };
  };

  test("names the account as its shares do, with the username below, or only the username", async () => {
    const owner = await addNamed();
    await share(owner);
    assert.equal((await list(owner.username)).data.name, null, "recipients see only the name of a verified address");
    await withDatabase(server, (db) => db.updateTable("users").set({ email_verified: 1 }).where("id", "=", owner.userId).execute());
    await clientOf(server, owner).call("updateMe", { showName: true });
    const { html } = await open(`/u/${owner.username}`);
    assert.match(html, /<h1><bdi>A person<\/bdi><\/h1>/);
    assert.match(html, /<title>Files of A person/);
    assert.ok(html.includes(`<p class="quiet">${owner.username} · 1`));
    assert.equal((await list(owner.username)).data.name, "A person");
    await clientOf(server, owner).call("updateMe", { showName: false });
    assert.equal((await list(owner.username)).data.name, null);
    const hidden = (await open(`/u/${owner.username}`)).html;
    assert.ok(hidden.includes(`<h1><bdi>${owner.username}</bdi></h1>`) && !hidden.includes("A person"));
  });

  test("shows public shares with title, type and size, newest first, and has a card", async () => {
    const owner = await addNamed();
    const file = await share(owner, { title: "Plans" });
    const shipment = await uploadShipment(server, { key: owner.key, paths: ["b.txt", "c.txt"], fields: { visibility: "public" } });
    const { data, nextCursor } = await list(owner.username.toUpperCase());
    assert.equal(nextCursor, null);
    assert.equal(data.username, owner.username);
    assert.deepEqual(
      data.shares.map(({ createdAt, shareUrl, ...shown }) => shown),
      [
        {
          shortId: shipment.shortId,
          sharePath: `/d/${shipment.shortId}`,
          title: null,
          name: "b.txt",
          contentType: "text/plain",
          encrypted: false,
          files: 2,
          size: 28,
          expiresAt: shipment.expiresAt,
        },
        {
          shortId: file.shortId,
          sharePath: `/d/${file.shortId}`,
          title: "Plans",
          name: "a.txt",
          contentType: "text/plain",
          encrypted: false,
          files: 1,
          size: 5,
          expiresAt: file.expiresAt,
        },
      ],
    );
    const { response, html } = await open(`/u/${owner.username}`);
    assert.equal(response.status, 200);
    assert.match(html, /Plans.* · 5\sbytes/s);
    assert.match(html, /b<\/bdi><bdi class="ext">\.txt and 1 more|b\.txt and 1 more/);
    assert.match(html, new RegExp(`<meta property="og:title" content="Files of ${owner.username}"`));
    assert.match(html, /<meta name="robots" content="noindex, nofollow"/);
    assert.equal(response.headers.get("x-robots-tag"), "noindex, nofollow");
    assert.doesNotMatch(html, /A person|@example\.org/, "the account's name and address");
    assert.doesNotMatch((await open("/robots.txt")).html, /Disallow: \/u\//);
  });

  test("shows the thumbnail of an image, also in its card", async () => {
    const owner = await addNamed();
    const bytes = pngOf(40, 30);
    const { shortId } = await upload(server, { bytes, name: "a.png", type: "image/png", fields: { visibility: "public" } }, owner);
    const html = await until("the thumbnail is shown", async () => {
      const { html } = await open(`/u/${owner.username}`);
      return html.includes('<img class="thumbnail"') ? html : undefined;
    });
    assert.match(html, new RegExp(`<meta property="og:image" content="http://localhost:\\d+/d/${shortId}/card.webp"`));
    await changeSettings(server, { shortId, protect: true }, owner.key);
    assert.doesNotMatch((await open(`/u/${owner.username}`)).html, /thumb|card\.webp|a\.png/);
  });

  test("hides everything that some people cannot download now", async () => {
    const owner = await addNamed();
    const shown = await share(owner, {}, "shown.txt");
    await share(owner, { visibility: "unlisted" });
    await share(owner, { protect: "true" });
    await init(server, { fileSize: 4, visibility: "public" }, owner);
    await clientOf(server, owner).call("createShare", { visibility: "public" });
    const [pending, blocked, expired, closed, takenDown, priced] = [
      await share(owner),
      await share(owner),
      await share(owner),
      await share(owner),
      await share(owner),
      await share(owner),
    ];
    const shipment = await uploadShipment(server, { key: owner.key, paths: ["x.txt", "y.txt"], fields: { visibility: "public" } });
    await setScanning(server, pending.shortId, true);
    await withDatabase(server, async (db) => {
      const change = { scan_status: "unavailable", scan_reason: "infected" } as const;
      await db.updateTable("files").set(change).where("short_id", "=", blocked.shortId).execute();
      await db.updateTable("files").set(change).where("id", "=", shipment.id).execute();
      await db.updateTable("shares").set({ expires_at: Date.now() }).where("short_id", "=", expired.shortId).execute();
      await db.updateTable("shares").set({ price_cents: 500 }).where("short_id", "=", priced.shortId).execute();
    });
    await clientOf(server, owner).call("closeShare", { shortId: closed.shortId });
    await server.run(["takedown", takenDown.shortId]);
    assert.deepEqual(await idsOf(owner.username), [shown.shortId]);
    await setScanning(server, pending.shortId, false);
    assert.deepEqual(await idsOf(owner.username), [pending.shortId, shown.shortId], "it is shown when it has passed the scan");
    await changeSettings(server, { shortId: pending.shortId, visibility: "unlisted" }, owner.key);
    assert.deepEqual(await idsOf(owner.username), [shown.shortId]);
  });

  test("is the same 404 for an unknown name and a disabled account", async () => {
    const owner = await addNamed();
    await share(owner, {}, "private-name.txt");
    assert.equal((await server.run(["users", "disable", owner.username])).code, 0);
    const withoutName = (html: string, name: string): string => html.replaceAll(name, "NAME");
    const [disabled, unknown] = [await open(`/u/${owner.username}`), await open("/u/nobody-here")];
    assert.deepEqual([disabled.response.status, unknown.response.status], [404, 404]);
    assert.equal(withoutName(disabled.html, owner.username), withoutName(unknown.html, "nobody-here"));
    const ask = (name: string) => call(server, "GET", `/api/users/${name}/shares`);
    const [refused, missing] = [await ask(owner.username), await ask("nobody-here")];
    assertRefused(refused, { status: 404, code: "NOT_FOUND" });
    assert.deepEqual({ ...refused.body, requestId: undefined }, { ...missing.body, requestId: undefined });
    await server.run(["users", "enable", owner.username]);
    assert.match((await open(`/u/${owner.username}`)).html, /private-name/);
  });

  test("is read in pages, and says when it is empty", async () => {
    const owner = await addNamed();
    assert.match((await open(`/u/${owner.username}`)).html, /There are no public files here now/);
    const sent: string[] = [];
    for (let count = 0; count < 26; count += 1) sent.unshift((await share(owner)).shortId);
    const first = await open(`/u/${owner.username}`);
    const [, cursor = ""] = /\?cursor=([^"]+)" rel="next"/.exec(first.html) ?? [];
    const second = await open(`/u/${owner.username}?cursor=${cursor}`);
    const idsIn = (html: string): string[] => [...html.matchAll(/href="\/d\/(\w+)"/g)].map(([, id = ""]) => id);
    assert.deepEqual([...idsIn(first.html), ...idsIn(second.html)], sent);
    assert.equal((await open(`/u/${owner.username}?cursor=%3Cscript%3E`)).response.status, 200);
  });

  test("shows hostile titles and names as text", async () => {
    const owner = await addNamed();
    await share(owner, { title: `<script>alert(1)</script>\u202e` }, '"><img src=x onerror=alert(1)>.txt');
    const { html } = await open(`/u/${owner.username}`);
    assert.doesNotMatch(html, /<script>alert|<img src=x|\u202e/);
    assert.match(html, /&lt;script>alert|&lt;script&gt;alert/);
  });
});
