import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { toDecryptedName, toDecryptedPath } from "../../src/transfer/encryption/decrypted-name.ts";
import { DECRYPTED_NAMES } from "../support/decrypted-names.ts";

/** encryption, "Names of decrypted files". */
describe("the names of decrypted files", () => {
  test("are safe on every file system, and stay as they are if made safe again", () => {
    for (const [name, saved] of DECRYPTED_NAMES)
      assert.deepEqual([toDecryptedPath(name), toDecryptedPath(saved)], [saved, saved], JSON.stringify(name));
  });

  test("have no folder if the file is saved alone", () => {
    for (const [name] of DECRYPTED_NAMES) {
      const alone = toDecryptedName(name);
      assert.doesNotMatch(alone, /^\.|[\\/:]|^$/, JSON.stringify(name));
      assert.equal(toDecryptedName(alone), alone);
    }
    assert.equal(toDecryptedName("project/.gitignore"), "_gitignore");
  });
});
