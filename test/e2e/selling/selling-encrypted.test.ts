import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Encrypter, generateX25519Identity, identityToRecipient } from "age-encryption";
import type { TestStripe } from "../../support/services/stripe.ts";
import { assertRefused, call, clientOf, getShare, postUpload, upload } from "../support/api/api.ts";
import { uploadShipment } from "../support/pages/pages.ts";
import { addSeller, type SellingServer, startSellingServer, type TestSeller } from "../support/shares/selling.ts";
import { postBatch } from "../support/uploads/batches.ts";

const REFUSED = { status: 409, code: "CONFLICT" } as const;

/** selling, "Prices". */
describe("an encrypted file", () => {
  let stripe: TestStripe;
  let bytes: Uint8Array<ArrayBuffer>;
  let server: SellingServer;
  let seller: TestSeller;
  before(async () => {
    server = await startSellingServer({ events: "none" });
    ({ stripe } = server);
    seller = await addSeller(server, stripe);
    const encrypter = new Encrypter();
    encrypter.addRecipient(await identityToRecipient(await generateX25519Identity()));
    bytes = Uint8Array.from(await encrypter.encrypt("a secret"));
  });
  after(() => server?.[Symbol.asyncDispose]());

  test("has no price, alone or in a shipment", async () => {
    const file = await upload(server, { name: "a.age", bytes }, { key: seller.key });
    const price = (fileId: string) =>
      call(server, "PATCH", "/api/files/share-settings", { key: seller.key, json: { fileId, priceCents: 499 } });
    const refused = await price(file.id);
    assertRefused(refused, REFUSED);
    assert.match(refused.body.error ?? "", /Encrypted files cannot be sold/);
    assert.equal((await getShare(server, file.shortId)).priceCents, null);
    const mixed = await uploadShipment(server, { key: seller.key, paths: ["plain.txt"] });
    await upload(server, { name: "b.age", bytes, fields: { shareShortId: mixed.shortId } }, { key: seller.key });
    assertRefused(await price(mixed.id), REFUSED);
  });

  test("does not join a share with a price, and nothing of it remains", async () => {
    const { shortId, id } = await uploadShipment(server, { key: seller.key, paths: ["plain.txt"] });
    await clientOf(server, seller).call("updateShareSettings", { fileId: id, priceCents: 499 });
    const fields = { shareShortId: shortId };
    assertRefused(await postUpload(server, { name: "c.age", bytes, fields }, { key: seller.key }), REFUSED);
    const files = [
      { relativePath: "d.age", bytes },
      { relativePath: "e.txt", bytes: "plain" },
    ];
    const batch = await postBatch(server, fields, files, { key: seller.key });
    assert.deepEqual(
      batch.body.data.files.map((file) => file.errorCode),
      ["CONFLICT", undefined],
    );
    const names = (await getShare(server, shortId)).files?.map(({ name }) => name);
    assert.deepEqual(names, ["plain.txt", "e.txt"]);
  });
});
