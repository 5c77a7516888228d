import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestStripe } from "../../support/services/stripe.ts";
import { until } from "../../support/until.ts";
import { assertRefused, call, clientOf, upload } from "../support/api/api.ts";
import { addSeller, buy, endDownloads, priced, type SellingServer, startSellingServer } from "../support/shares/selling.ts";

/** selling, "Purchases" and "What buyers keep", of shares with a download limit. */
describe("a bought download of a limited share", () => {
  let stripe: TestStripe;
  let server: SellingServer;
  before(async () => {
    server = await startSellingServer();
    ({ stripe } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  const authorize = (id: string, purchaseToken: string) =>
    call(server, "GET", `/api/files/download/${id}?${new URLSearchParams({ purchaseToken })}`);
  const archive = (shortId: string, purchaseToken: string) =>
    call(server, "GET", `/api/files/share/${shortId}/archive?${new URLSearchParams({ purchaseToken })}`);
  /** The URL of an authorized download. */
  const sign = async (id: string, purchaseToken: string): Promise<string> => {
    const { status, body } = await authorize(id, purchaseToken);
    assert.equal(status, 200, JSON.stringify(body));
    return body.url ?? "";
  };
  const statusOf = async (url: string): Promise<number> => {
    const response = await fetch(url);
    await response.arrayBuffer();
    return response.status;
  };
  const grantOf = (url: string): string | null => new URL(url).searchParams.get("g");

  test("is signed again until it has ended, also after the last one and with a new code", async () => {
    const seller = await addSeller(server, stripe);
    const file = await priced(server, seller, { name: "one.txt", bytes: "0123456789", fields: { once: "true" } }, 100);
    const { purchaseToken } = await buy(server, stripe, file.shortId);
    const lost = await sign(file.id, purchaseToken);
    assert.equal(grantOf(await sign(file.id, purchaseToken)), grantOf(lost));
    // The remaining downloads are neither the seller's nor another buyer's.
    assertRefused(await call(server, "GET", `/api/files/download/${file.id}`, { key: seller.key }), { status: 404, code: "NOT_FOUND" });
    assertRefused(await call(server, "POST", "/api/purchases/checkout", { json: { fileId: file.id } }), { status: 409, code: "SOLD_OUT" });
    await clientOf(server, seller).call("updateShareSettings", { fileId: file.id, protect: true });
    assert.equal(await statusOf(lost), 403);
    const renewed = await sign(file.id, purchaseToken);
    assert.equal(grantOf(renewed), grantOf(lost));
    const begun = await fetch(renewed, { headers: { Range: "bytes=0-3" } });
    assert.equal(await begun.text(), "0123");
    const rest = await fetch(await sign(file.id, purchaseToken), { headers: { Range: "bytes=4-" } });
    assert.equal(await rest.text(), "456789");
    // The server counts the download as complete; the client has not received all of it.
    const again = await sign(file.id, purchaseToken);
    assert.equal(grantOf(again), grantOf(lost));
    assert.equal(await (await fetch(again)).text(), "0123456789");
    await endDownloads(server, file.id);
    assertRefused(await authorize(file.id, purchaseToken), { status: 404, code: "NOT_FOUND" });
    assert.equal(await statusOf(renewed), 404);
    await server.run(["cleanup"]);
    const { data } = await clientOf(server, seller).call("listFiles", {});
    assert.deepEqual("files" in data && data.files, [], "the file has expired");
  });

  test("is not kept after a refund: the file that it had used up expires", async () => {
    const seller = await addSeller(server, stripe);
    const file = await priced(server, seller, { name: "back.txt", bytes: "back", fields: { once: "true" } }, 100);
    const { purchaseToken } = await buy(server, stripe, file.shortId);
    await sign(file.id, purchaseToken);
    const checkout = () => call(server, "POST", "/api/purchases/checkout", { json: { shortId: file.shortId } });
    assertRefused(await checkout(), { status: 409, code: "SOLD_OUT" });
    const intent = stripe.events("payment_intent.succeeded").at(-1)?.data.object as { id: string };
    stripe.refund(intent.id);
    await until("the share has ended", async () => (await checkout()).status === 404);
  });

  test("allows five whole transfers at most, in any number of tries and connections", async () => {
    const seller = await addSeller(server, stripe);
    const file = await priced(server, seller, { name: "many.txt", bytes: "many", fields: { maxDownloads: "3" } }, 100);
    const { purchaseToken } = await buy(server, stripe, file.shortId);
    const urls = await Promise.all(Array.from({ length: 20 }, () => sign(file.id, purchaseToken)));
    assert.equal(new Set(urls.map(grantOf)).size, 1);
    const statuses = await Promise.all(urls.map(statusOf));
    assert.deepEqual(
      statuses.filter((status) => status !== 404),
      [200, 200, 200, 200, 200],
    );
    assert.equal((await authorize(file.id, purchaseToken)).status, 404);
    assert.equal((await clientOf(server, seller).call("getFile", { fileId: file.id })).data.downloads, 1);
  });

  test("is continued by an archive, and an archive by single downloads", async () => {
    const seller = await addSeller(server, stripe);
    const first = await upload(server, { name: "first.txt", bytes: "first", fields: { openShare: "true", maxDownloads: "1" } }, seller);
    const { shortId } = first;
    const second = await upload(server, { name: "second.txt", bytes: "second", fields: { shareShortId: shortId } }, seller);
    await clientOf(server, seller).call("updateShareSettings", { shortId, priceCents: 100 });
    const { purchaseToken } = await buy(server, stripe, shortId);
    const lost = (await archive(shortId, purchaseToken)).body.url ?? "";
    // The archive that was lost ends with the one that takes its place.
    const renewed = (await archive(shortId, purchaseToken)).body.url ?? "";
    assert.equal(await statusOf(lost), 404);
    assert.equal(await (await fetch(await sign(first.id, purchaseToken))).text(), "first");
    await endDownloads(server, first.id);
    assert.equal((await authorize(first.id, purchaseToken)).status, 404);
    const zip = async () => Buffer.from(await (await fetch(renewed)).arrayBuffer()).toString("latin1");
    const sent = await zip();
    assert.ok(sent.includes("second.txt") && !sent.includes("first.txt"));
    assert.equal(await zip(), sent, "it can be repeated");
    await endDownloads(server, second.id);
    assert.equal(await statusOf(renewed), 404);
    assert.equal((await archive(shortId, purchaseToken)).status, 404);
    assert.equal((await authorize(second.id, purchaseToken)).status, 404);
  });

  test("belongs to the buyer until it has ended, and the seller must force its loss", async () => {
    const seller = await addSeller(server, stripe);
    const file = await priced(server, seller, { name: "kept.txt", bytes: "kept", fields: { maxDownloads: "2" } }, 100);
    const { purchaseToken } = await buy(server, stripe, file.shortId);
    const url = await sign(file.id, purchaseToken);
    const move = (force: boolean) =>
      call(server, "POST", "/api/files/share", { key: seller.key, json: { fileIds: [file.id], move: true, force } });
    assertRefused(await call(server, "DELETE", `/api/files/delete?fileId=${file.id}`, { key: seller.key }), {
      status: 409,
      code: "HAS_BUYERS",
    });
    assertRefused(await move(false), { status: 409, code: "HAS_BUYERS" });
    const { body } = await call<{ data: { refused: readonly { errorCode: string }[] } }>(server, "POST", "/api/files/delete-many", {
      key: seller.key,
      json: { fileIds: [file.id] },
    });
    assert.equal(body.data.refused[0]?.errorCode, "HAS_BUYERS");
    assert.equal(await statusOf(url), 200);
    assertRefused(await move(false), { status: 409, code: "HAS_BUYERS" });
    await endDownloads(server, file.id);
    assert.equal((await move(false)).status, 200);
  });

  test("is not kept in the share to which the seller has moved the file", async () => {
    const seller = await addSeller(server, stripe);
    const file = await priced(server, seller, { name: "moved.txt", bytes: "moved", fields: { maxDownloads: "1" } }, 100);
    const { purchaseToken } = await buy(server, stripe, file.shortId);
    await sign(file.id, purchaseToken);
    const client = clientOf(server, seller);
    await client.call("shareFiles", { fileIds: [file.id], move: true, force: true, maxDownloads: 1 });
    assert.equal((await client.call("authorizeDownload", { fileId: file.id })).success, true);
    const { data } = await client.call("listFiles", {});
    assert.deepEqual("files" in data && data.files, [], "the file has expired");
  });

  test("is refunded if others have bought it while its payment was disputed", async () => {
    const seller = await addSeller(server, stripe);
    const file = await priced(server, seller, { name: "last.txt", bytes: "last", fields: { maxDownloads: "1" } }, 300);
    const disputed = await buy(server, stripe, file.shortId);
    const intent = stripe.events("payment_intent.succeeded").at(-1)?.data.object as { id: string };
    const dispute = stripe.disputes.open(intent.id);
    const claim = () => call(server, "POST", "/api/purchases/claim", { json: { sessionId: disputed.sessionId } });
    await until("the dispute is known", async () => (await claim()).body.purchaseStatus === "disputed");
    const other = await buy(server, stripe, file.shortId);
    stripe.disputes.win(dispute);
    await until("the money is back", async () => (await claim()).body.purchaseStatus === "refunded");
    assert.equal((await authorize(file.id, disputed.purchaseToken)).status, 402);
    assert.equal(await statusOf(await sign(file.id, other.purchaseToken)), 200);
  });
});
