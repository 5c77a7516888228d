import assert from "node:assert/strict";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { after, before, describe, test } from "node:test";
import type { TestStripe } from "../../support/services/stripe.ts";
import { clientOf, upload } from "../support/api/api.ts";
import { addSeller, buy, endDownloads, priced, type SellingServer, startSellingServer } from "../support/shares/selling.ts";
import { uploadInParts } from "../support/uploads/multipart.ts";

/** More than sockets buffer. */
const LARGE = Buffer.alloc(24_000_000, "large ");

/** selling, "What buyers keep"; downloads, "Limited shares". */
describe("a bought download of a limited share after a broken transfer", () => {
  let stripe: TestStripe;
  let server: SellingServer;
  before(async () => {
    server = await startSellingServer({ events: "none" });
    ({ stripe } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  const sign = async (fileId: string, purchaseToken: string): Promise<string> =>
    (await clientOf(server).call("authorizeDownload", { fileId, purchaseToken })).url;
  const signArchive = async (shortId: string, purchaseToken: string): Promise<string> =>
    (await clientOf(server).call("authorizeArchive", { shortId, purchaseToken })).url;
  const read = async (url: string): Promise<Buffer> => {
    const response = await fetch(url);
    assert.equal(response.status, 200);
    return Buffer.from(await response.arrayBuffer());
  };
  /** Receives the beginning of a response. */
  const begin = async (url: string): Promise<IncomingMessage> => {
    const [response] = (await once(get(url, { agent: false }), "response")) as [IncomingMessage];
    assert.equal(response.statusCode, 200);
    await once(response, "readable");
    return response;
  };

  test("can be repeated, also if the server has written all of it", async () => {
    const seller = await addSeller(server, stripe);
    const bytes = Buffer.alloc(3_900_000, "small ");
    const file = await priced(server, seller, { name: "once.bin", bytes, fields: { once: "true" } }, 100);
    const { purchaseToken } = await buy(server, stripe, file.shortId);
    const url = await sign(file.id, purchaseToken);
    for (const broken of [url, url, await sign(file.id, purchaseToken)]) (await begin(broken)).destroy();
    assert.deepEqual(await read(await sign(file.id, purchaseToken)), bytes);
    assert.deepEqual(await read(url), bytes);
    assert.equal((await fetch(url)).status, 404, "five times its size is the most");
    await endDownloads(server, file.id);
    await server.run(["cleanup"]);
    const { data } = await clientOf(server, seller).call("listFiles", {});
    assert.deepEqual("files" in data && data.files, [], "the file has expired");
  });

  test("can be repeated after a crash of the server", async () => {
    const seller = await addSeller(server, stripe);
    const file = await uploadInParts(server, LARGE, { once: true }, seller);
    await clientOf(server, seller).call("updateShareSettings", { fileId: file.id, priceCents: 100 });
    const { purchaseToken } = await buy(server, stripe, file.shortId);
    const broken = await begin(await sign(file.id, purchaseToken));
    broken.on("error", () => undefined);
    await server.restart({ signal: "SIGKILL" });
    assert.deepEqual(await read(await sign(file.id, purchaseToken)), LARGE);
  });

  test("can be repeated after a crash of the server that sent an archive, as an archive and alone", async () => {
    const seller = await addSeller(server, stripe);
    const first = await uploadInParts(server, LARGE, { openShare: true, once: true }, seller);
    const { shortId } = first;
    const second = await upload(server, { name: "second.txt", bytes: "second", fields: { shareShortId: shortId } }, seller);
    await clientOf(server, seller).call("updateShareSettings", { shortId, priceCents: 100 });
    const { purchaseToken } = await buy(server, stripe, shortId);
    const crash = async () => {
      const broken = await begin(await signArchive(shortId, purchaseToken));
      broken.on("error", () => undefined);
      await server.restart({ signal: "SIGKILL" });
    };
    await crash();
    const zip = await read(await signArchive(shortId, purchaseToken));
    assert.ok(zip.length > LARGE.length && zip.includes("second.txt"));
    await crash();
    assert.deepEqual(await read(await sign(first.id, purchaseToken)), LARGE);
    assert.equal((await read(await sign(second.id, purchaseToken))).toString(), "second");
  });
});
