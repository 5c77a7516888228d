import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestStripe } from "../../support/stripe.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts.ts";
import { assertRefused, call, clientOf } from "../support/api.ts";
import { sha256 } from "../support/multipart.ts";
import { addSeller, priced, type SellingServer, startSellingServer, type TestSeller } from "../support/selling.ts";
import { withDatabase } from "../support/state.ts";

/** selling, "Purchases". */
describe("open checkouts", () => {
  let stripe: TestStripe;
  let server: SellingServer;
  let seller: TestSeller;
  before(async () => {
    server = await startSellingServer({ events: "none" });
    ({ stripe } = server);
    seller = await addSeller(server, stripe);
  });
  after(() => server?.[Symbol.asyncDispose]());

  const open = (shortId: string) => call(server, "POST", "/api/purchases/checkout", { json: { shortId } });

  test("of a limited share are few for each address, so that it remains available for others", async () => {
    const [file, other] = await Promise.all(
      ["a.txt", "b.txt"].map((name) => priced(server, seller, { name, bytes: name, fields: { maxDownloads: "50" } }, 100)),
    );
    const opened = await Promise.all(Array.from({ length: 10 }, () => open(file?.shortId ?? "")));
    assert.deepEqual(opened.map(({ status }) => status).sort(), [
      ...Array.from({ length: 6 }, () => 200),
      ...Array.from({ length: 4 }, () => 429),
    ]);
    const refused = opened.find(({ status }) => status === 429);
    assert.ok(refused);
    assertRefused(refused, { status: 429, code: "RATE_LIMITED" });
    assert.equal((await open(other?.shortId ?? "")).status, 200);
    const unlimited = await priced(server, seller, { name: "c.txt", bytes: "c" }, 100);
    for (let count = 0; count < 8; count += 1) assert.equal((await open(unlimited.shortId)).status, 200);
  });

  test("are not counted if Stripe did not open them", async () => {
    const file = await priced(server, seller, { name: "d.txt", bytes: "d", fields: { maxDownloads: "1" } }, 100);
    stripe.failures.plan("server_error", "/v1/checkout/sessions", { times: 1000, method: "POST" });
    for (let count = 0; count < 6; count += 1) assertRefused(await open(file.shortId), { status: 503, code: "UNAVAILABLE" });
    stripe.failures.clear();
    assert.equal((await open(file.shortId)).status, 200);
    const rates = await withDatabase(server, (db) =>
      db
        .selectFrom("rate_windows")
        .select("count")
        .where("name", "=", "limitedCheckouts")
        .where("subject", "like", `${file.shortId} %`)
        .execute(),
    );
    assert.deepEqual(rates, [{ count: 1 }]);
  });

  test("end at Stripe with the offer, however the offer ends", async () => {
    const administrator = await addAccount(server, { isAdministrator: true });
    const client = clientOf(server, seller);
    const ends: Readonly<Record<string, (file: { readonly id: string; readonly shortId: string }) => Promise<unknown>>> = {
      deleted: ({ id }) => client.call("deleteFile", { fileId: id, force: true }),
      closed: ({ shortId }) => client.call("closeShare", { shortId, force: true }),
      moved: ({ id }) => client.call("shareFiles", { fileIds: [id], move: true, force: true }),
      free: ({ id }) => client.call("updateShareSettings", { fileId: id, priceCents: 0 }),
      blocked: () => clientOf(server, administrator).call("blockDigests", { digests: [sha256("blocked")] }),
      taken: ({ shortId }) => clientOf(server, administrator).call("takeDownShare", { shortId }),
      expired: ({ shortId }) =>
        withDatabase(server, (db) =>
          db
            .updateTable("shares")
            .set({ expires_at: Date.now() - 1 })
            .where("short_id", "=", shortId)
            .execute(),
        ),
    };
    const sell = async (name: string) => {
      const file = await priced(server, seller, { name: `${name}.txt`, bytes: name }, 100);
      return { file, sessionId: (await clientOf(server).call("createCheckout", { shortId: file.shortId })).data.sessionId };
    };
    const kept = await sell("kept");
    const sold = await Promise.all(Object.keys(ends).map(async (name) => ({ name, ...(await sell(name)) })));
    for (const { name, file } of sold) await ends[name]?.(file);
    const ended = () => stripe.events("checkout.session.expired").map(({ data }) => (data.object as { id: string }).id);
    await until("the checkouts have ended", () => {
      const ids = new Set(ended());
      return sold.every(({ sessionId }) => ids.has(sessionId));
    });
    const { body } = await call(server, "POST", "/api/purchases/claim", { json: { sessionId: sold[0]?.sessionId } });
    assert.equal(body.purchaseStatus, "ended");
    assert.ok(!ended().includes(kept.sessionId));
  });
});
