import assert from "node:assert/strict";
import { test } from "node:test";
import { armor, Encrypter, generateX25519Identity, identityToRecipient } from "age-encryption";
import { hasAgeHeader, mayBecomeAge } from "../../../src/lib/formats/age-header.ts";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

async function encrypt(use: (encrypter: Encrypter) => void | Promise<void>): Promise<Uint8Array> {
  const encrypter = new Encrypter();
  await use(encrypter);
  return await encrypter.encrypt("some words");
}

const byKey = (): Promise<Uint8Array> =>
  encrypt(async (encrypter) => encrypter.addRecipient(await identityToRecipient(await generateX25519Identity())));

/** encryption, "Encrypted files". */
test("the header of encrypted bytes is recognized, for keys and for passphrases", async () => {
  const byPassphrase = await encrypt((encrypter) => {
    encrypter.setScryptWorkFactor(10);
    encrypter.setPassphrase("a long passphrase");
  });
  for (const bytes of [await byKey(), byPassphrase]) assert.ok(hasAgeHeader(bytes));
});

test("the header of encrypted bytes is recognized when they are written as text", async () => {
  const text = armor.encode(await byKey());
  for (const written of [text, `\n\n  ${text}`, text.replaceAll("\n", "\r\n")])
    assert.ok(hasAgeHeader(utf8(written)), written.slice(0, 80));
});

test("other bytes have no age header", async () => {
  const text = armor.encode(await byKey());
  const others = [
    "",
    "age-encryption.org/v1",
    "age-encryption.org/v1\n",
    "age-encryption.org/v1\nis the first line of the format",
    "age-encryption.org/v2\n-> X25519 abc\n",
    " age-encryption.org/v1\n-> X25519 abc\n",
    "age-encryption.org/v1\r\n-> X25519 abc\r\n",
    "-----BEGIN AGE ENCRYPTED FILE-----",
    "-----BEGIN AGE ENCRYPTED FILE-----\n",
    `-----BEGIN AGE ENCRYPTED FILE-----\n${btoa("a text that is not in the format at all, but long enough.").slice(0, 64)}\n`,
    `words before ${text}`,
    text.slice(0, 60),
  ];
  for (const other of others) assert.equal(hasAgeHeader(utf8(other)), false, JSON.stringify(other.slice(0, 80)));
});

test("the start of an age header may become one, and other bytes may not", async () => {
  const binary = await byKey();
  const text = utf8(`\n ${armor.encode(binary)}`);
  for (const bytes of [binary.subarray(0, 0), binary.subarray(0, 1), binary.subarray(0, 24), text.subarray(0, 2), text.subarray(0, 40)])
    assert.ok(mayBecomeAge(bytes));
  for (const other of ["hello", "age-encryption.org/v2", "-----BEGIN PGP", " a"]) assert.ok(!mayBecomeAge(utf8(other)), other);
});
