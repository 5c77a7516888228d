import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DAY_MS } from "../../../src/lib/text/duration.ts";
import type { ResponseOf } from "../../../src/service/contract.ts";
import type { TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { type Account, addAccount } from "../support/accounts/accounts.ts";
import { homeOf } from "../support/accounts/person.ts";
import { askShare, assertRefused, call, clientOf, deleteFile, type InputOf, signedUrl, upload } from "../support/api/api.ts";
import { startSession } from "../support/api/callers.ts";
import { uploadShipment } from "../support/pages/pages.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";
import { changeSettings } from "../support/shares/shares.ts";
import { init } from "../support/uploads/multipart.ts";

/** listing, "Shares" and "Downloads of a share"; sharing, "Closing a share". */
describe("the lists of an account's shares", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const list = (owner: Account, input: InputOf<"listShares"> = {}): Promise<ResponseOf<"listShares">> =>
    clientOf(server, owner).call("listShares", input);
  const idsOf = async (owner: Account, input: InputOf<"listShares"> = {}): Promise<string[]> =>
    (await list(owner, input)).data.map(({ shortId }) => shortId);
  const close = (owner: Account, shortId: string) => call(server, "POST", `/api/shares/${shortId}/close`, { ...owner, json: {} });

  test("are where the page of an ended share leads its owner, whom it tells to ask nobody", async () => {
    const owner = await addAccount(server);
    const [expired, usedUp] = [await upload(server, {}, owner), await upload(server, { fields: { once: "true" } }, owner)];
    await signedUrl(server, usedUp.id);
    await close(owner, expired.shortId);
    const cookie = `session=${await startSession(server, owner)}`;
    const page = async (shortId: string, headers: Record<string, string>): Promise<string> =>
      (await fetch(`${homeOf(server)}/d/${shortId}`, { headers: { accept: "text/html", ...headers } })).text();
    for (const { shortId } of [expired, usedUp]) {
      assert.match(await page(shortId, {}), /sk the sender/);
      const own = await page(shortId, { cookie });
      assert.doesNotMatch(own, /the sender/);
      assert.match(own, /href="\/shares\?state=ended".*It was your own link\. The files were removed\./s);
    }
  });

  test("describe each share and its remaining downloads and time", async () => {
    const owner = await addAccount(server);
    const file = await upload(server, { bytes: "hello", name: "a.txt", fields: { title: "Plans", maxDownloads: "3" } }, owner);
    await signedUrl(server, file.id);
    const shipment = await uploadShipment(server, { key: owner.key, paths: ["x/b.txt", "c.txt"], fields: { protect: "true" } });
    const { data, nextCursor } = await list(owner);
    assert.equal(nextCursor, null);
    assert.deepEqual(
      data.map(({ createdAt, shareUrl, ...item }) => item),
      [
        {
          shortId: shipment.shortId,
          alias: null,
          sharePath: `/d/${shipment.shortId}`,
          kind: "shipment",
          title: null,
          name: "b.txt",
          folder: null,
          encrypted: false,
          files: 2,
          size: 30,
          state: "active",
          scanStatus: "clean",
          uploading: false,
          visibility: "unlisted",
          unlockRequired: true,
          unlockKind: "code",
          immutable: false,
          downloads: 0,
          maxDownloads: null,
          notify: null,
          otherLinks: 0,
          filesLeft: null,
          expiresAt: shipment.expiresAt,
          endedAt: null,
        },
        {
          shortId: file.shortId,
          alias: null,
          sharePath: `/d/${file.shortId}`,
          kind: "file",
          title: "Plans",
          name: "a.txt",
          folder: null,
          encrypted: false,
          files: 1,
          size: 5,
          state: "active",
          scanStatus: "clean",
          uploading: false,
          visibility: "unlisted",
          unlockRequired: false,
          unlockKind: null,
          immutable: false,
          downloads: 1,
          maxDownloads: 3,
          notify: null,
          otherLinks: 0,
          filesLeft: null,
          expiresAt: file.expiresAt,
          endedAt: null,
        },
      ],
    );
    assert.match(data[0]?.shareUrl ?? "", new RegExp(`^http.*/d/${shipment.shortId}$`));
  });

  test("include an empty shipment, and a file whose upload is not complete", async () => {
    const owner = await addAccount(server);
    const { data: empty } = await clientOf(server, owner).call("createShare", { title: "Soon" });
    await init(server, { fileSize: 4, fileName: "part.bin" }, owner);
    const { data } = await list(owner);
    assert.deepEqual(
      data.map(({ shortId, name, files, uploading }) => [shortId === empty.shortId, name, files, uploading]),
      [
        [false, "part.bin", 1, true],
        [true, null, 0, false],
      ],
    );
  });

  test("include the shares that end soon, in the order of their ends", async () => {
    const owner = await addAccount(server);
    const send = (ttl: string) => upload(server, { bytes: "x", fields: { ttl } }, owner);
    const [late, second, first] = [await send("5d"), await send("2d"), await send("1h")];
    assert.deepEqual(await idsOf(owner, { state: "expiring" }), [first.shortId, second.shortId]);
    assert.deepEqual(await idsOf(owner), [first.shortId, second.shortId, late.shortId]);
  });

  test("include the ended shares with the reason, without deleted ones", async () => {
    const owner = await addAccount(server);
    const send = (fields: Record<string, string> = {}) => upload(server, { bytes: "x", fields }, owner);
    const [closed, usedUp, takenDown, deleted, kept] = [
      await send(),
      await send({ once: "true" }),
      await send(),
      await send(),
      await send(),
    ];
    assert.deepEqual((await close(owner, closed.shortId)).body, { success: true, data: { shortId: closed.shortId } });
    await signedUrl(server, usedUp.id);
    await server.run(["takedown", takenDown.shortId]);
    await deleteFile(server, { fileId: deleted.id }, owner);
    const { data } = await list(owner, { state: "ended" });
    assert.deepEqual(
      data.map(({ shortId, state }) => [shortId, state]),
      [
        [takenDown.shortId, "taken_down"],
        [usedUp.shortId, "used_up"],
        [closed.shortId, "expired"],
      ],
    );
    assert.ok(data.every(({ endedAt }) => endedAt !== null));
    assert.deepEqual(await idsOf(owner), [kept.shortId]);
  });

  test("show a share as expired that the cleanup has not ended yet", async () => {
    const owner = await addAccount(server);
    const file = await upload(server, { bytes: "x" }, owner);
    const listed = await withDatabase(server, async (db) => {
      await db.updateTable("shares").set({ expires_at: Date.now() }).where("short_id", "=", file.shortId).execute();
      return [...(await list(owner)).data, ...(await list(owner, { state: "ended" })).data];
    });
    assert.deepEqual(
      listed.map(({ shortId, state }) => [shortId, state]),
      [[file.shortId, "expired"]],
    );
  });

  test("are read in pages while shares are added", async () => {
    const owner = await addAccount(server);
    const sent: string[] = [];
    for (let count = 0; count < 5; count += 1) sent.unshift((await upload(server, { bytes: "x" }, owner)).shortId);
    // The order must not depend on the times alone.
    await withDatabase(server, (db) =>
      db.updateTable("shares").set({ created_at: 1_700_000_000_000 }).where("owner_id", "=", owner.userId).execute(),
    );
    const paged: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page: ResponseOf<"listShares"> = await list(owner, { limit: 2, cursor });
      paged.push(...page.data.map(({ shortId }) => shortId));
      if (cursor === undefined) await upload(server, { bytes: "later" }, owner);
      cursor = page.nextCursor;
    }
    assert.deepEqual(paged, sent.toSorted().reverse());
  });

  test("are searched by title and by the names of files, regardless of case", async () => {
    const owner = await addAccount(server);
    const titled = await upload(server, { bytes: "x", name: "a.txt", fields: { title: "Übersicht 100%_" } }, owner);
    const shipment = await uploadShipment(server, { key: owner.key, paths: ["one.txt", "Second Report.pdf"] });
    for (const [search, found] of [
      ["übersicht", [titled.shortId]],
      ["ÜBER", [titled.shortId]],
      ["%_", [titled.shortId]],
      ["second report", [shipment.shortId]],
      [".TXT", [shipment.shortId, titled.shortId]],
      ["nothing", []],
      ["  ", [shipment.shortId, titled.shortId]],
    ] as const)
      assert.deepEqual(await idsOf(owner, { search }), found, search);
  });

  test("refuse unknown values", async () => {
    const { key } = await addAccount(server);
    for (const query of ["?state=x", "?cursor=x", "?cursor=1_", "?limit=0"])
      assertRefused(await call(server, "GET", `/api/shares${query}`, { key }), { status: 400, code: "VALIDATION_FAILED" });
  });

  test("a closed share ends like an expired one, also for downloads that were authorized", async () => {
    const owner = await addAccount(server);
    const limited = await upload(server, { bytes: "hello", fields: { maxDownloads: "1" } }, owner);
    const url = await signedUrl(server, limited.id);
    const shipment = await uploadShipment(server, { key: owner.key, paths: ["a.txt", "b.txt"] });
    assert.equal((await close(owner, shipment.shortId)).status, 200);
    assert.equal((await askShare(server, shipment.shortId)).status, 404);
    const free = await upload(server, { bytes: "hello" }, owner);
    const freeUrl = await signedUrl(server, free.id);
    assert.equal((await close(owner, free.shortId)).status, 200);
    assert.equal((await close(owner, free.shortId)).status, 200, "closing is repeated");
    assert.notEqual((await fetch(freeUrl)).status, 200);
    // The share's last download was counted, which has ended the share; that download may continue.
    assert.equal((await close(owner, limited.shortId)).status, 200);
    assert.equal(await (await fetch(url)).text(), "hello");
    await until("the bytes are removed", async () =>
      withDatabase(server, async (db) => {
        const { blob_state } = await db.selectFrom("files").select("blob_state").where("id", "=", free.id).executeTakeFirstOrThrow();
        return blob_state === "removed";
      }),
    );
  });

  test("a share with an immutable or an unfinished file cannot be closed", async () => {
    const owner = await addAccount(server);
    const file = await upload(server, { bytes: "x" }, owner);
    await changeSettings(server, { fileId: file.id, immutable: true }, owner.key);
    assertRefused(await close(owner, file.shortId), { status: 409, code: "IMMUTABLE" });
    assert.equal((await list(owner)).data[0]?.immutable, true);
    const { shortId } = await init(server, { fileSize: 4 }, owner);
    assertRefused(await close(owner, shortId), { status: 409, code: "UPLOAD_INCOMPLETE" });
    assert.equal((await askShare(server, file.shortId)).status, 200);
  });

  test("the downloads of a share are listed newest first, a ZIP as one", async () => {
    const owner = await addAccount(server);
    const shipment = await uploadShipment(server, { key: owner.key, paths: ["a.txt", "b.txt"] });
    const downloads = async (query = ""): Promise<ResponseOf<"listShareDownloads">> => {
      const { body } = await call<ResponseOf<"listShareDownloads">>(
        server,
        "GET",
        `/api/shares/${shipment.shortId}/downloads${query}`,
        owner,
      );
      return body;
    };
    assert.deepEqual(await downloads(), { success: true, data: [], nextCursor: null });
    await signedUrl(server, shipment.id);
    await clientOf(server).call("authorizeArchive", { shortId: shipment.shortId });
    const { data } = await downloads();
    assert.deepEqual(
      data.map(({ route, client, files }) => ({ route, client, files })),
      [
        { route: "api", client: "cli", files: 2 },
        { route: "api", client: "cli", files: 1 },
      ],
    );
    assert.equal(data[1]?.name, "a.txt");
    const first = await downloads("?limit=1");
    assert.deepEqual(first.data, data.slice(0, 1));
    assert.deepEqual((await downloads(`?cursor=${first.nextCursor}`)).data, data.slice(1));
  });

  test("are read far from their start", async () => {
    const owner = await addAccount(server);
    await withDatabase(server, async (db) => {
      const nowMs = Date.now();
      const rows = Array.from({ length: 2000 }, (_, index) => ({
        short_id: `m${index}`,
        kind: "shipment" as const,
        owner_id: owner.userId,
        name: "Shipment",
        expires_at: nowMs + DAY_MS,
        created_at: nowMs - index,
      }));
      for (let from = 0; from < rows.length; from += 500)
        await db
          .insertInto("shares")
          .values(rows.slice(from, from + 500))
          .execute();
    });
    const { data, nextCursor } = await list(owner, { limit: 200 });
    assert.equal(data.length, 200);
    assert.equal((await list(owner, { limit: 200, cursor: nextCursor ?? "" })).data[0]?.shortId, "m200");
  });
});
