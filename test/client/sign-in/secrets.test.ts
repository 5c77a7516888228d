import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { openSecrets } from "../../../src/client/sign-in/secrets.ts";
import type { Keyring } from "../../../src/runtime/runtime.ts";
import { makeFolder, type TestFolder } from "../../support/folder.ts";

const OWNER = { name: "work", server: "https://work.example" };
const SECRET = { key: "bc_1" };
const TIMEOUT_MS = 100;

/** A keyring of the system that works, as far as a program can see. */
function workingKeyring(): Keyring & { readonly kept: ReadonlyMap<string, string> } {
  const kept = new Map<string, string>();
  return {
    kept,
    find: async (name) => kept.get(name),
    save: async (name, secret) => void kept.set(name, secret),
    remove: async (name) => void kept.delete(name),
  };
}

const never = () => new Promise<never>(() => undefined);
const makeSilent = (): Keyring => ({ find: never, save: never, remove: never });
const failing = async (): Promise<never> => {
  throw new Error("no keyring");
};
const absent: Keyring = { find: failing, save: failing, remove: failing };
const forgetful: Keyring = { ...workingKeyring(), find: async () => undefined };

/** client, "Secrets". */
describe("the secrets of profiles", () => {
  const filesOf = (folder: TestFolder) => readdir(join(folder.path, "filehost", "credentials")).catch(() => []);

  test("are in the keyring if it stores them, and then in no file", async () => {
    await using folder = await makeFolder();
    const keyring = workingKeyring();
    const secrets = openSecrets({ XDG_CONFIG_HOME: folder.path }, keyring, TIMEOUT_MS);
    assert.equal(await secrets.save(OWNER, SECRET, "file"), "file");
    assert.equal(await secrets.save(OWNER, SECRET, "keyring"), "keyring");
    assert.deepEqual(await filesOf(folder), []);
    assert.deepEqual([...keyring.kept.keys()], ["work https://work.example"]);
    assert.deepEqual(await secrets.find(OWNER, "keyring"), SECRET);
    await secrets.remove(OWNER, "keyring");
    assert.equal(await secrets.find(OWNER, "keyring"), undefined);
  });

  for (const [title, keyring] of [
    ["is absent", absent],
    ["does not respond", makeSilent()],
    ["does not keep what it took", forgetful],
    ["is not known to the runtime", undefined],
  ] as const)
    test(`are in a file if the keyring ${title}`, async () => {
      await using folder = await makeFolder();
      const secrets = openSecrets({ XDG_CONFIG_HOME: folder.path }, keyring, TIMEOUT_MS);
      assert.equal(await secrets.save(OWNER, SECRET, "keyring"), "file");
      assert.deepEqual(JSON.parse(await readFile(join(folder.path, "filehost", "credentials", "work.json"), "utf8")), SECRET);
      assert.deepEqual(await secrets.find(OWNER, "file"), SECRET);
      await secrets.remove(OWNER, "keyring");
      assert.deepEqual(await filesOf(folder), []);
    });

  test("a keyring that did not respond is not asked a second time", async () => {
    await using folder = await makeFolder();
    let calls = 0;
    const find = () => {
      calls += 1;
      return never();
    };
    const secrets = () => openSecrets({ XDG_CONFIG_HOME: folder.path }, keyring, TIMEOUT_MS);
    const keyring: Keyring = { find, save: never, remove: never };
    for (let tries = 0; tries < 3; tries += 1) await assert.rejects(secrets().find(OWNER, "keyring"), { code: "UNAVAILABLE" });
    assert.equal(calls, 1);
    assert.equal(await secrets().save(OWNER, SECRET, "keyring"), "file");
  });

  test("a secret in a keyring that does not respond is an error with a next step", async () => {
    await using folder = await makeFolder();
    for (const keyring of [makeSilent(), absent, undefined])
      await assert.rejects(openSecrets({ XDG_CONFIG_HOME: folder.path }, keyring, TIMEOUT_MS).find(OWNER, "keyring"), {
        code: "UNAVAILABLE",
        message: /profile work does not respond\.$/,
        advice: [{ kind: "unlockKeyring" }],
      });
  });
});
