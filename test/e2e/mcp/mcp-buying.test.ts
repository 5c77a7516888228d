import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestStripe } from "../../support/services/stripe.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { upload } from "../support/api/api.ts";
import { callTool, connectMcp, ERAS, type Era, type McpClient } from "../support/api/mcp.ts";
import { connectStdio } from "../support/api/mcp-stdio.ts";
import { addSeller, priced, type SellingServer, startSellingServer, type TestSeller } from "../support/shares/selling.ts";

/** mcp, "Buying and selling". */
describe("agents that buy and sell", () => {
  let stripe: TestStripe;
  let server: SellingServer;
  let seller: TestSeller;
  before(async () => {
    server = await startSellingServer({ env: { FILEHOST_SELLING_FEE: "5%+30" } });
    ({ stripe } = server);
    seller = await addSeller(server, stripe);
  });
  after(() => server?.[Symbol.asyncDispose]());

  /** A person at the page of the payment platform. */
  async function payAt(checkoutUrl: string): Promise<void> {
    assert.match(await (await fetch(checkoutUrl)).text(), /name="email"/);
    const body = new URLSearchParams({ email: "buyer@example.org", method: "card", action: "pay" });
    await (await fetch(checkoutUrl, { method: "POST", body, redirect: "manual" })).text();
  }

  /** What an agent does with nothing but a link and what the tools say. */
  async function buyBy(buyer: Pick<McpClient, "client">, link: string): Promise<Readonly<Record<string, unknown>>> {
    const refused = await callTool(buyer, "get_download_url", { link });
    assert.equal(refused.isError, true);
    assert.match(refused.text, /^This share costs \$4\.99\b.*Ask your person.*service_purchase_checkout.*\(PAYMENT_REQUIRED\)/s);
    assert.deepEqual([refused.data.errorCode, refused.data.priceCents, refused.data.url], ["PAYMENT_REQUIRED", 499, undefined]);
    const { isError, text, data } = await callTool(buyer, "purchase_checkout", { link });
    assert.equal(isError, false, text);
    assert.match(text, /\$4\.99.*Do not open it yourself.*service_purchase_claim/s);
    const { checkoutUrl, sessionId } = data;
    const early = await callTool(buyer, "purchase_claim", { sessionId });
    assert.deepEqual([early.isError, early.data.purchaseStatus], [true, "open"]);
    assert.match(early.text, /A person pays.*Call service_purchase_claim again/s);
    await payAt(String(checkoutUrl));
    const claimed = await callTool(buyer, "purchase_claim", { sessionId });
    assert.equal(claimed.isError, false, claimed.text);
    assert.deepEqual((await callTool(buyer, "purchase_claim", { sessionId })).data, claimed.data);
    return claimed.data;
  }

  for (const era of Object.keys(ERAS) as Era[])
    test(`buy a file that a person pays for, in the form with ${era}`, async () => {
      const file = await priced(server, seller, { name: "song.flac", bytes: "music" }, 499);
      await using buyer = await connectMcp(server, { era, key: (await addAccount(server)).key });
      const { fileId, purchaseToken } = await buyBy(buyer, file.shareUrl);
      const { data, text } = await callTool(buyer, "get_download_url", { fileId, purchaseToken });
      assert.match(text, /curl -fL -o NAME/);
      assert.equal(await (await fetch(String(data.url))).text(), "music");
      const intent = stripe.events("payment_intent.succeeded").at(-1)?.data.object as { readonly id: string };
      stripe.refund(intent.id);
      await stripe.webhooks.settled();
      const after = await callTool(buyer, "get_download_url", { fileId, purchaseToken });
      assert.equal(after.data.errorCode, "PAYMENT_REQUIRED", after.text);
    });

  test("buy by filehost mcp, which runs on the machine of the agent", async () => {
    const file = await priced(server, seller, { name: "local.txt", bytes: "local" }, 499);
    const { key } = await addAccount(server);
    await using buyer = await connectStdio(server, { era: "a session", key });
    const { fileId, purchaseToken } = await buyBy(buyer, file.shortId);
    const { data } = await callTool(buyer, "get_download_url", { fileId, purchaseToken });
    assert.equal(await (await fetch(String(data.url))).text(), "local");
  });

  test("buy as guests, and download with the key that they register", async () => {
    const { shortId } = await priced(server, seller, { name: "guest.txt", bytes: "guest" }, 100);
    await using guest = await connectMcp(server, { era: "a session", path: "/mcp/guest" });
    const { data } = await callTool(guest, "purchase_checkout", { shortId });
    await payAt(String(data.checkoutUrl));
    const claimed = await callTool(guest, "purchase_claim", { sessionId: data.sessionId });
    assert.match(claimed.text, /service_register_agent/);
    const registered = await callTool(guest, "register_agent", { label: "buyer" });
    assert.equal(registered.isError, false, registered.text);
    const { fileId, purchaseToken } = claimed.data;
    const download = await callTool(guest, "get_download_url", { fileId, purchaseToken });
    assert.equal(await (await fetch(String(download.data.url))).text(), "guest");
  });

  test("make the client ask the person for the code of a protected share before its checkout opens", async () => {
    const file = await priced(server, seller, { name: "locked.txt", bytes: "locked", fields: { protect: "true" } }, 100);
    const { key } = await addAccount(server);
    const asked: string[] = [];
    await using buyer = await connectMcp(server, {
      era: "no session",
      key,
      capabilities: { elicitation: { form: {} } },
      prepare: (client) =>
        client.setRequestHandler("elicitation/create", ({ params }) => {
          asked.push(params.message);
          return { action: "accept", content: { unlockCode: file.unlockCode ?? "" } };
        }),
    });
    const { isError, text, data } = await callTool(buyer, "purchase_checkout", { link: file.shareUrl });
    assert.equal(isError, false, text);
    assert.equal(asked.length, 1);
    assert.equal(data.priceCents, 100);
    const silent = await connectMcp(server, { era: "no session", key });
    assert.equal((await callTool(silent, "purchase_checkout", { link: file.shareUrl })).data.errorCode, "UNLOCK_REQUIRED");
    const opened = await callTool(silent, "purchase_checkout", { link: file.handoffUrl });
    assert.equal(opened.isError, false, opened.text);
    const both = await callTool(silent, "purchase_checkout", { link: file.shareUrl, shortId: file.shortId });
    assert.equal(both.data.errorCode, "VALIDATION_FAILED");
    await silent[Symbol.asyncDispose]();
  });

  test("sell for a person who sets up payments, and learn what buyers would lose", async () => {
    const { key } = await addAccount(server);
    await using agent = await connectMcp(server, { era: "a session", key });
    const file = await upload(server, { name: "book.pdf", bytes: "book" }, { key });
    const price = () => callTool(agent, "update_share_settings", { fileId: file.id, priceCents: 499 });
    assert.equal((await price()).data.errorCode, "SELLER_NOT_READY");
    assert.match((await callTool(agent, "connect", { action: "status" })).text, /action onboard/);
    const onboarding = await callTool(agent, "connect", { action: "onboard", country: "DE" });
    assert.match(onboarding.text, /Show your person onboardUrl/);
    const { onboardUrl } = onboarding.data.data as { readonly onboardUrl: string };
    await (await fetch(onboardUrl)).text();
    await fetch(onboardUrl, { method: "POST", body: new URLSearchParams(), redirect: "manual" });
    const ready = await callTool(agent, "connect", { action: "status" });
    assert.equal(ready.data.readyToSell, true);
    assert.match((await callTool(agent, "connect", { action: "login" })).text, /your person alone/);
    assert.equal((await price()).isError, false);
    await using buyer = await connectMcp(server, { era: "a session", key: (await addAccount(server)).key });
    await buyBy(buyer, file.shareUrl);
    const limit = (input: object) => callTool(agent, "update_share_settings", { fileId: file.id, maxDownloads: 5, ...input });
    const refused = await limit({});
    assert.deepEqual([refused.data.errorCode, refused.data.buyers], ["HAS_BUYERS", 1]);
    assert.equal((await limit({ force: true })).isError, false);
  });
});
