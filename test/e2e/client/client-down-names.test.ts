import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { withFragmentKey } from "../../../src/transfer/encryption/fragment-key.ts";
import { createShareKey } from "../../../src/transfer/encryption/share-key.ts";
import { until } from "../../support/until.ts";
import { clientOf } from "../support/api/api.ts";
import { makeDevice } from "../support/client/client-device.ts";
import { createSealingSender, sealFile } from "../support/encryption/sealed-files.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { postBatch } from "../support/uploads/batches.ts";

/** encryption, "Names of decrypted files". */
test("saves a decrypted file whose folder has the name of another file under one name, and says so", async () => {
  await using server = await startPlainServer();
  await using device = await makeDevice({ FILEHOST_SERVER: server.url });
  const sender = await createSealingSender(server);
  const link = await sender.sendSeveral({ folder: Buffer.from("a file"), "folder/inner.txt": Buffer.from("inside") });
  const saved = join(device.path, "saved");
  await mkdir(saved);
  await writeFile(join(saved, "folder"), "earlier");
  const { code, stderr } = await device.run(["down", link, "-o", "saved"]);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /1 name changed, because a file has the name of its folder: folder\/inner\.txt → folder_inner\.txt\./);
  const texts = { folder: "earlier", "folder (2)": "a file", "folder_inner.txt": "inside" };
  assert.deepEqual((await readdir(saved)).toSorted(), Object.keys(texts));
  for (const [name, text] of Object.entries(texts)) assert.equal(await readFile(join(saved, name), "utf8"), text);
  const again = await device.run(["down", link, "-o", "saved"]);
  assert.equal(again.code, 0, again.stderr);
  assert.match(again.stderr, /complete already/);
  assert.deepEqual((await readdir(saved)).toSorted(), Object.keys(texts));
});

for (const [first, listing] of [
  ["folder", ["folder", "folder_inner.txt"]],
  ["folder/inner.txt", ["folder", "folder (2)", "folder/inner.txt"]],
] as const)
  test(`gives decrypted files their names in the order of the share, also if ${first} arrives last`, async () => {
    await using server = await startPlainServer();
    await using device = await makeDevice({ FILEHOST_SERVER: server.url });
    const key = await createShareKey();
    const { shortId, shareToken = "" } = (await clientOf(server).call("createShare", {})).data;
    const files = [
      // Takes longer than the others.
      [first, Buffer.alloc(3_000_000, "x")],
      [first === "folder" ? "folder/inner.txt" : "folder", Buffer.from("small")],
      ["z.txt", Buffer.from("z")],
    ] as const;
    for (const [index, [path, bytes]] of files.entries()) {
      const relativePath = `encrypted-${String(index).padStart(16, "0")}.tar.age`;
      await postBatch(server, { shareShortId: shortId, shareToken }, [{ relativePath, bytes: await sealFile(key.recipient, path, bytes) }]);
      // Files of one millisecond have any order.
      const sentAtMs = Date.now();
      await until("the next millisecond", () => Date.now() > sentAtMs);
    }
    const link = withFragmentKey(`${server.url}/d/${shortId}`, key.identity);
    for (const target of ["one", "two"]) {
      const { code, stderr } = await device.run(["down", link, "-o", target]);
      assert.equal(code, 0, stderr);
      assert.deepEqual((await readdir(join(device.path, target), { recursive: true })).toSorted(), [...listing, "z.txt"]);
      assert.equal(stderr.includes("1 name changed"), first === "folder");
    }
  });
