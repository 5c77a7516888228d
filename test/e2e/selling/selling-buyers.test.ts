import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { ShareMetadata } from "../../../src/service/shares/contract.ts";
import type { TestStripe } from "../../support/services/stripe.ts";
import { assertRefused, call, clientOf, upload } from "../support/api/api.ts";
import { withDatabase } from "../support/servers/state.ts";
import { addSeller, becomeSeller, buy, priced, type SellingServer, startSellingServer } from "../support/shares/selling.ts";

/** selling, "What buyers keep". */
describe("the files of buyers", () => {
  let stripe: TestStripe;
  let server: SellingServer;
  before(async () => {
    server = await startSellingServer({ events: "none" });
    ({ stripe } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  const download = (id: string, purchaseToken: string) =>
    call(server, "GET", `/api/files/download/${id}?${new URLSearchParams({ purchaseToken })}`);

  test("are not reduced by a higher limit, or by one that leaves their downloads", async () => {
    const seller = await addSeller(server, stripe);
    const file = await priced(server, seller, { name: "more.txt", bytes: "more", fields: { maxDownloads: "2" } }, 100);
    const { purchaseToken } = await buy(server, stripe, file.shortId);
    const limit = (maxDownloads: number | null) =>
      call(server, "PATCH", "/api/files/share-settings", { key: seller.key, json: { fileId: file.id, maxDownloads } });
    assert.equal((await download(file.id, purchaseToken)).status, 200);
    for (const allowed of [5, 1]) assert.equal((await limit(allowed)).status, 200);
    await buy(server, stripe, file.shortId).then(
      () => assert.fail("more than the limit was sold"),
      () => undefined,
    );
    assert.equal((await limit(2)).status, 200);
    await buy(server, stripe, file.shortId);
    assertRefused(await limit(1), { status: 409, code: "HAS_BUYERS" });
    const { url = "" } = (await download(file.id, purchaseToken)).body;
    assert.equal(await (await fetch(url)).text(), "more");
    assert.equal((await limit(null)).status, 200);
    assertRefused(await limit(9), { status: 409, code: "HAS_BUYERS" });
  });

  test("are all files of a shipment, also those added after the purchase", async () => {
    const seller = await addSeller(server, stripe);
    const first = await upload(server, { name: "one.txt", bytes: "one", fields: { openShare: "true", maxDownloads: "1" } }, seller);
    const { shortId } = first;
    await clientOf(server, seller).call("updateShareSettings", { shortId, priceCents: 100 });
    const { purchaseToken } = await buy(server, stripe, shortId);
    const second = await upload(server, { name: "two.txt", bytes: "two", fields: { shareShortId: shortId } }, seller);
    for (const [id, text] of [
      [second.id, "two"],
      [first.id, "one"],
    ] as const) {
      const { url = "" } = (await download(id, purchaseToken)).body;
      assert.equal(await (await fetch(url)).text(), text);
    }
  });

  test("have digests, which others do not see", async () => {
    const seller = await addSeller(server, stripe);
    const first = await upload(server, { name: "one.txt", bytes: "one", fields: { openShare: "true" } }, seller);
    const { shortId } = first;
    const single = await priced(server, seller, { name: "single.txt", bytes: "single" }, 100);
    await clientOf(server, seller).call("updateShareSettings", { shortId, priceCents: 100 });
    const digestsOf = async (id: string, query: Readonly<Record<string, string>> = {}, key?: string) => {
      const path = `/api/files/share/${id}?${new URLSearchParams(query)}`;
      const { body } = await call<ShareMetadata>(server, "GET", path, key === undefined ? {} : { key });
      return [body.sha256, ...(body.files ?? []).map(({ sha256 }) => sha256)];
    };
    const [{ purchaseToken }, other] = await Promise.all([buy(server, stripe, shortId), buy(server, stripe, single.shortId)]);
    assert.deepEqual(await digestsOf(shortId), [null, null]);
    for (const purchaseToken of ["pu_wrong", other.purchaseToken])
      assert.deepEqual(await digestsOf(shortId, { purchaseToken }), [null, null]);
    assert.deepEqual(await digestsOf(shortId, { purchaseToken }), [null, first.sha256]);
    assert.deepEqual(await digestsOf(shortId, {}, seller.key), [null, first.sha256]);
    assert.deepEqual(await digestsOf(single.shortId), [null]);
    assert.deepEqual(await digestsOf(single.shortId, { purchaseToken: other.purchaseToken }), [single.sha256]);
    // What is shown to anybody has none of them.
    for (const path of [`/d/${shortId}`, `/d/${single.shortId}`, `/api/files/info?file_code=${shortId},${single.shortId}`]) {
      const response = await fetch(server.url + path, { headers: { Accept: "text/html" } });
      const shown = JSON.stringify([...response.headers]) + (await response.text());
      for (const { sha256 } of [first, single]) {
        assert.ok(sha256 && !shown.includes(sha256) && !shown.includes(Buffer.from(sha256, "hex").toString("base64")), path);
      }
    }
    // With a code that was set since, the token opens it.
    await clientOf(server, seller).call("updateShareSettings", { shortId, protect: true });
    assert.deepEqual(await digestsOf(shortId), [null]);
    assert.deepEqual(await digestsOf(shortId, { purchaseToken }), [null, first.sha256]);
  });

  test("end with the share, which then needs no confirmation", async () => {
    const seller = await addSeller(server, stripe);
    const file = await priced(server, seller, { name: "over.txt", bytes: "over" }, 100);
    await buy(server, stripe, file.shortId);
    await withDatabase(server, (db) =>
      db
        .updateTable("shares")
        .set({ expires_at: Date.now() - 1 })
        .where("short_id", "=", file.shortId)
        .execute(),
    );
    assert.equal((await call(server, "DELETE", `/api/files/delete?fileId=${file.id}`, { key: seller.key })).status, 200);
  });

  test("are lost with the seller's account, whose owner sees that before", async () => {
    const email = "seller@example.org";
    const { data } = await clientOf(server).call("signUp", { email, password: "correct horse battery", name: "A seller" });
    await withDatabase(server, (db) => db.updateTable("users").set({ email_verified: 1 }).where("id", "=", data.owner.id).execute());
    const seller = await becomeSeller(server, stripe, { key: data.sessionToken });
    const file = await priced(server, seller, { name: "last.txt", bytes: "last" }, 100);
    await buy(server, stripe, file.shortId);
    const remove = (json: Readonly<Record<string, unknown>>) =>
      call(server, "DELETE", "/api/me", { key: seller.key, json: { confirm: email, ...json } });
    const refused = await remove({});
    assertRefused(refused, { status: 409, code: "HAS_BUYERS" });
    assert.equal(refused.body.buyers, 1);
    const cookie = { Cookie: `session=${data.sessionToken}` };
    const page = await (await fetch(`${server.url}/settings/delete`, { headers: { ...cookie, Accept: "text/html" } })).text();
    assert.match(page, /what 1\sbuyer paid for/);
    assert.match(page, /<input type="hidden" name="force"/);
    assert.equal((await remove({ force: true })).status, 200);
  });
});
