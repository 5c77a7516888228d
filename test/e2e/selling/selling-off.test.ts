import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DAY_MS } from "../../../src/lib/text/duration.ts";
import { startStripe } from "../../support/services/stripe.ts";
import { createKey, type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { register } from "../support/accounts/agents.ts";
import { assertRefused, call, clientOf } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";
import { addSeller, priced } from "../support/shares/selling.ts";

/** selling, "A server that does not sell". */
describe("a server that does not sell", () => {
  let server: ServerWith<"owner">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: {} });
  });
  after(() => server[Symbol.asyncDispose]());

  const post = (path: string, json: object | undefined, key?: string) =>
    call(server, "POST", `/api${path}`, { json, ...(key !== undefined && { key }) });

  test("reports that the account cannot sell, with the reason", async () => {
    const client = clientOf(server, server.owner);
    const ignored = { other: 1 };
    for (const body of [
      await client.call("connectSeller", { action: "status" }),
      await client.call("connectSeller", { action: "status", sync: true, country: "de", ...ignored }),
      await client.call("getSellerStatus", {}),
      await client.call("getSellerStatus", { sync: "false" }),
    ]) {
      const { reason } = body.data as { reason?: string };
      assert.match(reason ?? "", /^Selling is off on this server\./);
      const fee = { percent: 0, fixedCents: 0 };
      const data = { readyToSell: false, detailsSubmitted: false, payoutsEnabled: false, reason, fee };
      assert.deepEqual(body, { success: true, readyToSell: false, data });
    }
  });

  test("refuses onboarding, checkout and upgrades with 409 SELLING_OFF", async () => {
    const { key } = server.owner;
    for (const response of [
      await post("/connect", { action: "onboard", country: "DE" }, key),
      await post("/connect", { action: "login" }, key),
      await post("/connect/onboard", {}, key),
      await post("/connect/onboard", undefined, key),
      await post("/connect/login-link", undefined, key),
      await post("/billing/checkout", undefined, key),
      await post("/billing/checkout", { plan: "pro" }, key),
      await post("/purchases/checkout", { shortId: "abcdefgh" }),
      await post("/purchases/checkout", { fileId: "abcdefghijklmnop" }, key),
      await post("/purchases/checkout", undefined),
      await post("/purchases/claim", { sessionId: "cs_test_1" }),
      await post("/purchases/claim", {}),
    ])
      assertRefused(response, { status: 409, code: "SELLING_OFF" });
  });

  test("keeps a download of an open checkout reserved for two weeks after its expiry, and no longer", async () => {
    await using stripe = await startStripe();
    await using former = await startPlainServer(stripe.env);
    const seller = await addSeller(former, stripe);
    const limited = await priced(former, seller, { name: "a.txt", bytes: "a", fields: { maxDownloads: "1" } }, 100);
    const unlimited = await priced(former, seller, { name: "b.txt", bytes: "b" }, 100);
    const opened = await Promise.all([limited, unlimited].map(({ shortId }) => clientOf(former).call("createCheckout", { shortId })));
    await former.restart({ env: Object.fromEntries(Object.keys(stripe.env).map((name) => [name, ""])) });
    const endCheckouts = (agoMs: number) =>
      withDatabase(former, (db) =>
        db
          .updateTable("purchases")
          .set({ expires_at: Date.now() - agoMs })
          .execute(),
      );
    const download = () => call(former, "GET", `/api/files/download/${limited.id}`, { key: seller.key });
    const close = () => call(former, "POST", `/api/shares/${unlimited.shortId}/close`, { key: seller.key, json: {} });
    await endCheckouts(13 * DAY_MS);
    assert.equal((await download()).status, 404);
    const refused = await close();
    assertRefused(refused, { status: 409, code: "HAS_BUYERS" });
    assert.match(refused.body.error ?? "", /^1 buyer \(paid or paying now\) would lose/);
    const sessionId = opened[0]?.data.sessionId ?? "";
    const claimed = await call(former, "POST", "/api/purchases/claim", { json: { sessionId } });
    assert.match(claimed.body.error ?? "", /ask the sender/);
    const page = await fetch(`${former.url}/purchases/${sessionId}`, { headers: { Accept: "text/html" } });
    assert.match(await page.text(), /data-state="purchase-off"/);
    await endCheckouts(15 * DAY_MS);
    assert.equal((await download()).status, 200);
    assert.equal((await close()).status, 200);
  });

  test("checks the key and its scope before anything else", async () => {
    const agent = await register(server);
    const writer = await createKey(server, server.owner.key, { scope: "files_write" });
    const asked: readonly [string, object?][] = [
      ["/connect", { action: "status" }],
      ["/connect", { action: "onboard" }],
      ["/connect", {}],
      ["/connect/onboard"],
      ["/connect/login-link"],
    ];
    for (const [path, json] of asked) {
      assertRefused(await post(path, json), { status: 401, code: "UNAUTHENTICATED" });
      for (const key of [agent.key, writer.key]) {
        assertRefused(await post(path, json, key), { status: 403, code: "INSUFFICIENT_SCOPE" });
        assertRefused(await call(server, "GET", "/api/connect/status", { key }), { status: 403, code: "INSUFFICIENT_SCOPE" });
      }
    }
    assertRefused(await post("/billing/checkout", {}), { status: 401, code: "UNAUTHENTICATED" });
    assertRefused(await post("/billing/checkout", {}, agent.key), { status: 409, code: "SELLING_OFF" });
  });

  test("refuses invalid input", async () => {
    const { key } = server.owner;
    for (const json of [{}, { action: "sell" }, { action: "onboard", country: "DEU" }, { action: "status", sync: "perhaps" }])
      assertRefused(await post("/connect", json, key), { status: 400, code: "VALIDATION_FAILED" });
    assertRefused(await post("/purchases/claim", { sessionId: 7 }), { status: 400, code: "VALIDATION_FAILED" });
  });
});
