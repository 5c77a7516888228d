import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { makeDevice } from "../support/client/client-device.ts";
import { createSealingSender } from "../support/encryption/sealed-files.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

/** encryption, "Names of decrypted files". */
test("saves a decrypted file whose folder has the name of another file under one name, and says so", async () => {
  await using server = await startPlainServer();
  await using device = await makeDevice({ FILEHOST_SERVER: server.url });
  const sender = await createSealingSender(server);
  const link = await sender.sendSeveral({ folder: Buffer.from("a file"), "folder/inner.txt": Buffer.from("inside") });
  const saved = join(device.path, "saved");
  // The files are decrypted at the same time, so either could be first.
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
});
