import assert from "node:assert/strict";
import { test } from "node:test";
import { isAgeRecipient, readRecipientFragment, toRecipientFragment } from "../../src/contract/age-recipient.ts";
import { createShareKey } from "../../src/transfer/encryption/share-key.ts";

const KNOWN = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p";

test("accepts the public keys that the library makes, and refuses any with one wrong letter", async () => {
  const keys = [KNOWN, ...(await Promise.all(Array.from({ length: 20 }, createShareKey))).map(({ recipient }) => recipient)];
  for (const key of keys) {
    assert.ok(isAgeRecipient(key), key);
    for (let at = 0; at < key.length; at += 1) {
      const other = key[at] === "q" ? "p" : "q";
      assert.ok(!isAgeRecipient(key.slice(0, at) + other + key.slice(at + 1)), `${key}, letter ${at}`);
    }
  }
});

test("refuses keys of another kind, length or case", async () => {
  const { identity } = await createShareKey();
  for (const text of ["", "age1", KNOWN.slice(0, -1), `${KNOWN}q`, KNOWN.toUpperCase(), ` ${KNOWN}`, identity, `${KNOWN}\n`])
    assert.ok(!isAgeRecipient(text), text);
});

test("reads the key in the fragment of a request's link", () => {
  assert.equal(readRecipientFragment(`#${toRecipientFragment(KNOWN)}`), KNOWN);
  assert.equal(readRecipientFragment(toRecipientFragment(KNOWN)), KNOWN);
  assert.equal(readRecipientFragment(""), undefined);
  assert.equal(readRecipientFragment("#other=1"), undefined);
  assert.equal(readRecipientFragment(`#to=${KNOWN.slice(0, -1)}`), null);
});
