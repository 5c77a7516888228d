import assert from "node:assert/strict";
import { utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { openLocalFile } from "../../src/client/upload-file/local-file.ts";
import { openEncryption } from "../../src/client/upload-share/encryption.ts";
import { decryptStream } from "../../src/transfer/encryption/decrypt.ts";
import { createShareKey } from "../../src/transfer/encryption/share-key.ts";
import { makeFolder } from "../support/folder.ts";
import { until } from "../support/until.ts";

const SIZE = 100_000;

/** encryption, "Sending". */
test("a file that is written during its upload is never encrypted with the same nonce again", async () => {
  await using folder = await makeFolder();
  const { identity, recipient } = await createShareKey();
  const path = join(folder.path, "plan.txt");
  const env = { HOME: folder.path, XDG_STATE_HOME: join(folder.path, "state") };
  const open = async () => {
    const { transform } = await openEncryption({
      target: { kind: "recipients", recipients: [recipient] },
      hidesNames: false,
      keepsTimes: true,
      subject: { server: "https://files.example.org", sources: [path], into: undefined },
      env,
      resumes: true,
    });
    return await transform.wrap(await openLocalFile({ path, name: "plan.txt.age" }));
  };
  const readAll = async (file: Awaited<ReturnType<typeof open>>): Promise<Uint8Array<ArrayBuffer>> => {
    const bytes = new Uint8Array(file.sizeBytes);
    assert.equal(await file.read(bytes, 0), bytes.length);
    return bytes;
  };
  await writeFile(path, "a".repeat(SIZE));
  await using first = await open();
  const sealed = await readAll(first);
  await using again = await open();
  assert.deepEqual(await readAll(again), sealed, "another process continues with the same bytes");

  const old = new Date(Date.now() - 60_000);
  // The clock of a file system advances in steps.
  await until("the file shows that it was written", async () => {
    await writeFile(path, "b".repeat(SIZE));
    await utimes(path, old, old);
    return await first.checkUnchanged().then(
      () => false,
      () => true,
    );
  });
  await assert.rejects(readAll(first), { code: "CONFLICT" });
  await using other = await open();
  const replaced = await readAll(other);
  const chunk = (bytes: Uint8Array) => bytes.subarray(-SIZE - 32, -SIZE + 1000);
  assert.notDeepEqual(chunk(replaced), chunk(sealed));
  const body = await decryptStream(new Blob([replaced]).stream(), { identities: [identity] });
  assert.equal(Buffer.concat(await Array.fromAsync(body)).toString(), "b".repeat(SIZE));
});
