import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestStripe } from "../../support/services/stripe.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { assertRefused, call, clientOf, signedUrl, upload } from "../support/api/api.ts";
import { holdSchedule } from "../support/servers/server-context.ts";
import { addSeller, buy, endDownloads, priced, type SellingServer, startSellingServer } from "../support/shares/selling.ts";

/** selling, "Sales" and "Pages". */
describe("the sales of an account", () => {
  let stripe: TestStripe;
  let server: SellingServer;
  before(async () => {
    server = await startSellingServer({ env: { FILEHOST_SELLING_FEE: "5%+30" } });
    ({ stripe } = server);
    await holdSchedule(server, ["end-checkouts"]);
  });
  after(() => server?.[Symbol.asyncDispose]());

  /** A browser that keeps the cookies of a share's path. */
  function startBrowser() {
    const cookies = new Map<string, string>();
    const send = async (path: string, method = "GET", form = new URLSearchParams()): Promise<Response> => {
      const Cookie = path.startsWith("/d/") ? [...cookies].map((cookie) => cookie.join("=")).join("; ") : "";
      const body = method === "POST" ? form : null;
      const response = await fetch(server.url + path, { method, body, redirect: "manual", headers: { Accept: "text/html", Cookie } });
      for (const [, name = "", value = ""] of response.headers.getSetCookie().map((text) => /^([^=]+)=([^;]*)/.exec(text) ?? []))
        if (name.startsWith("purchase")) cookies.set(name, value);
      return response;
    };
    return { cookies, send };
  }

  test("are listed by pages, the last one first, with their current state", async () => {
    const seller = await addSeller(server, stripe);
    const client = clientOf(server, seller);
    const song = await priced(server, seller, { name: "song.flac", bytes: "music" }, 499);
    const gone = await priced(server, seller, { name: "gone.flac", bytes: "gone" }, 1000);
    await client.call("createCheckout", { shortId: song.shortId }).catch(() => undefined);
    for (const { shortId } of [song, gone, song]) await buy(server, stripe, shortId);
    const [, , payment = ""] = stripe.events("payment_intent.succeeded").map(({ data }) => (data.object as { id: string }).id);
    stripe.refund(payment);
    await stripe.webhooks.settled();
    await client.call("deleteFile", { fileId: gone.id, force: true });

    const first = await client.call("listSales", { limit: 2 });
    assert.deepEqual(
      first.data.map(({ title, state, priceCents, feeCents, sellerCents }) => [title, state, priceCents, feeCents, sellerCents]),
      [
        ["song.flac", "refunded", 499, 54, 0],
        [null, "paid", 1000, 80, 920],
      ],
    );
    const second = await client.call("listSales", { limit: 2, cursor: first.nextCursor ?? "" });
    assert.deepEqual([second.data.map(({ state, sellerCents }) => [state, sellerCents]), second.nextCursor], [[["paid", 445]], null]);
    const other = await addAccount(server);
    assert.deepEqual((await clientOf(server, other).call("listSales", {})).data, []);
    assertRefused(await call(server, "GET", "/api/purchases/sales?cursor=later", { key: seller.key }), {
      status: 400,
      code: "VALIDATION_FAILED",
    });
  });

  test("give each buyer a cookie only for the share's path, and pages that are not cached", async () => {
    const seller = await addSeller(server, stripe);
    const file = await priced(server, seller, { name: "a.txt", bytes: "a" }, 100);
    const { sessionId } = await buy(server, stripe, file.shortId);
    const back = await fetch(`${server.url}/purchases/${sessionId}`, { redirect: "manual" });
    assert.deepEqual([back.status, back.headers.get("location")], [303, `/d/${file.shortId}`]);
    assert.equal(back.headers.get("cache-control"), "no-store");
    assert.equal(back.headers.get("referrer-policy"), "same-origin");
    assert.match(back.headers.get("x-robots-tag") ?? "", /noindex/);
    const cookie = back.headers.get("set-cookie") ?? "";
    assert.match(cookie, new RegExp(`^purchase-\\w{12}=${sessionId}; Path=/d/${file.shortId}; Max-Age=\\d+; SameSite=Lax; HttpOnly$`));
    const show = async (path: string): Promise<string> =>
      await (await fetch(`${server.url}${path}`, { headers: { Cookie: `purchase=${sessionId}`, Accept: "text/html" } })).text();
    const page = await show(`/d/${file.shortId}`);
    assert.ok(page.includes(`/purchases/${sessionId}`));
    // The page of others has nothing of the buyer's.
    assert.ok(!(await (await fetch(`${server.url}/d/${file.shortId}`)).text()).includes(sessionId));
    // The purchase of a share opens no other.
    const second = await priced(server, seller, { name: "b.txt", bytes: "b" }, 100);
    assert.ok(!(await show(`/d/${second.shortId}`)).includes(sessionId));
    const refused = await fetch(`${server.url}/d/${second.shortId}/download`, {
      method: "POST",
      redirect: "manual",
      headers: { Cookie: `purchase=${sessionId}` },
    });
    assert.deepEqual([refused.status, refused.headers.get("location")], [303, `/d/${second.shortId}`]);
  });

  test("do not replace one another: a page offers purchases that have not ended before it sells again", async () => {
    const seller = await addSeller(server, stripe);
    const file = await priced(server, seller, { name: "c.txt", bytes: "c", fields: { maxDownloads: "3" } }, 100);
    const { cookies, send } = startBrowser();
    const opened = () => stripe.requests.filter(({ method, path }) => method === "POST" && path === "/v1/checkout/sessions").length;
    const page = `/d/${file.shortId}`;
    const pressBuy = () => send(`${page}/buy`, "POST");
    const pay = async () => {
      const sessionId = [...cookies.values()].at(-1) ?? "";
      stripe.checkouts.pay(sessionId, { email: "buyer@example.org" });
      assert.equal((await send(`/purchases/${sessionId}`)).status, 303);
    };
    await pressBuy();
    await pay();
    const before = opened();
    const again = await pressBuy();
    assert.deepEqual([again.status, again.headers.get("location"), opened()], [303, page, before]);
    const download = async () => (await send(`${page}/download`, "POST")).headers.get("location") ?? "";
    assert.equal(await (await fetch(await download())).text(), "c");
    await endDownloads(server, file.id);
    await pressBuy();
    assert.equal(opened(), before + 1);
    assert.equal(cookies.size, 2);
    await pay();
    assert.match(await (await send(page)).text(), /\/download"/);
    assert.equal(await (await fetch(await download())).text(), "c");
  });

  const stateOf = async (path: string): Promise<string | undefined> => {
    const page = await (await fetch(server.url + path, { headers: { Accept: "text/html" }, redirect: "manual" })).text();
    return /data-state="([^"]*)"/.exec(page)?.[1];
  };

  test("count as used only after all files were downloaded, not after the seller removed some before", async () => {
    const seller = await addSeller(server, stripe);
    const first = await priced(server, seller, { name: "1.txt", bytes: "1", fields: { openShare: "true", once: "true" } }, 100);
    await upload(server, { name: "2.txt", bytes: "2", fields: { shareShortId: first.shortId } }, seller);
    const { sessionId, purchaseToken } = await buy(server, stripe, first.shortId);
    assert.equal(await (await fetch(await signedUrl(server, first.id, { purchaseToken }))).text(), "1");
    const client = clientOf(server, seller);
    await endDownloads(server, first.id);
    await client.call("closeShare", { shortId: first.shortId, force: true });
    assert.equal(await stateOf(`/purchases/${sessionId}`), "purchase-gone");
  });

  test("say that a late payment will be refunded, until it is", async () => {
    const seller = await addSeller(server, stripe);
    const file = await priced(server, seller, { name: "late.txt", bytes: "late" }, 100);
    const { sessionId } = (await clientOf(server).call("createCheckout", { shortId: file.shortId })).data;
    await clientOf(server, seller).call("closeShare", { shortId: file.shortId, force: true });
    stripe.failures.plan("server_error", "/v1/refunds", { times: 1000, method: "POST" });
    stripe.checkouts.pay(sessionId);
    await stripe.webhooks.settled();
    assert.equal(await stateOf(`/purchases/${sessionId}`), "purchase-returning");
    stripe.failures.clear();
    await until("the payment is returned", async () => (await stateOf(`/purchases/${sessionId}`)) === "purchase-refunded");
  });

  test("are shown by the handoff link of a share, too", async () => {
    const seller = await addSeller(server, stripe);
    const form = { name: "d.txt", bytes: "d", fields: { protect: "true", handoffMessage: "For Bo." } };
    const file = await priced(server, seller, form, 100);
    const link = new URL(file.handoffUrl ?? "").pathname;
    const { cookies, send } = startBrowser();
    const open = async (): Promise<string> => {
      const { status, headers } = await send(link);
      assert.equal(status, 303);
      return await (await send(headers.get("location") ?? "")).text();
    };
    const offer = await open();
    assert.match(offer, /For Bo\./);
    assert.match(offer, /\/buy"/);
    const token = link.split("/").at(-1) ?? "";
    await send(`/d/${file.shortId}/buy`, "POST", new URLSearchParams({ handoffToken: token }));
    const [sessionId = ""] = cookies.values();
    stripe.checkouts.pay(sessionId, { email: "buyer@example.org" });
    await send(`/purchases/${sessionId}`);
    const bought = await open();
    assert.match(bought, /\/download"/);
    assert.doesNotMatch(bought, /\/buy"/);
    // A wrong token opens nothing.
    assert.doesNotMatch(await (await fetch(`${server.url}/d/${file.shortId}?handoff=ho_wrong`)).text(), /d\.txt|\/buy"/);
  });
});
