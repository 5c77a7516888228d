import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { MAX_HEADER_BYTES } from "../../src/transfer/encryption/chunks.ts";
import { type DecryptWith, decryptStream, readEnteredKey } from "../../src/transfer/encryption/decrypt.ts";
import type { DecryptionError } from "../../src/transfer/encryption/decryption-error.ts";
import {
  beginEncryption,
  createFileKey,
  type EncryptFor,
  encryptReader,
  encryptStream,
  type RandomReader,
} from "../../src/transfer/encryption/encrypt.ts";
import { readFragmentKey, withFragmentKey } from "../../src/transfer/encryption/fragment-key.ts";
import { createShareKey } from "../../src/transfer/encryption/share-key.ts";
import { unwrapName, wrapName } from "../../src/transfer/encryption/wrapped-name.ts";
import { wrappedSize } from "../../src/transfer/encryption/wrapped-size.ts";
import { makeFolder } from "../support/folder.ts";
import { describeUnless } from "../support/suite.ts";

const CHUNK = 64 * 1024;
const SIZES = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 200_001];

const toReader = (bytes: Uint8Array): RandomReader => ({
  sizeBytes: bytes.length,
  async read(buffer, position) {
    const found = bytes.subarray(position, position + buffer.length);
    buffer.set(found);
    return found.length;
  },
});

async function* inPieces(bytes: Uint8Array, pieceBytes: number): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += pieceBytes) yield bytes.subarray(from, from + pieceBytes);
}

function fromPieces(pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}

const toStream = (bytes: Uint8Array, pieceBytes = 10_000): ReadableStream<Uint8Array> => fromPieces(inPieces(bytes, pieceBytes));

const collect = async (stream: AsyncIterable<Uint8Array>): Promise<Buffer> => Buffer.concat(await Array.fromAsync(stream));

/** Encrypts by reading at other positions than in order. */
async function encryptAnywhere(bytes: Uint8Array, to: EncryptFor): Promise<Uint8Array> {
  const reader = encryptReader(beginEncryption(await createFileKey(to)), toReader(bytes));
  const sealed = new Uint8Array(reader.sizeBytes);
  const step = 70_001;
  const starts = Array.from({ length: Math.ceil(sealed.length / step) }, (_, index) => index * step).reverse();
  await Promise.all(starts.map((start) => reader.read(sealed.subarray(start, start + step), start)));
  return sealed;
}

const decrypt = async (sealed: Uint8Array, keys: DecryptWith, pieceBytes?: number): Promise<Buffer> =>
  await collect(await decryptStream(toStream(sealed, pieceBytes), keys));

async function problemOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  return (error as DecryptionError | undefined)?.problem ?? String(error);
}

/** encryption, "Keys". */
describe("encryption", () => {
  test("of bytes of every length is decrypted with the key, read at any position or as a stream", async () => {
    const { identity, recipient } = await createShareKey();
    for (const size of SIZES) {
      const bytes = randomBytes(size);
      const anywhere = await encryptAnywhere(bytes, { recipients: [recipient] });
      assert.deepEqual(await decrypt(anywhere, { identities: [identity] }), bytes, `${size} bytes`);
      const encryption = beginEncryption(await createFileKey({ recipients: [recipient] }));
      const streamed = await collect(encryptStream(encryption, inPieces(bytes, 7001)));
      const reader = encryptReader(encryption, toReader(bytes));
      const read = Buffer.alloc(reader.sizeBytes + 10);
      assert.equal(await reader.read(read, 0), reader.sizeBytes);
      assert.deepEqual(read.subarray(0, reader.sizeBytes), streamed);
    }
  });

  test("for several people is decrypted by each of them, by nobody else, and with the passphrase", async () => {
    const [one, two, other] = await Promise.all([createShareKey(), createShareKey(), createShareKey()]);
    const bytes = randomBytes(1000);
    const sealed = await encryptAnywhere(bytes, { recipients: [one.recipient, two.recipient] });
    for (const { identity } of [one, two]) assert.deepEqual(await decrypt(sealed, { identities: [identity] }), bytes);
    assert.equal(await problemOf(decrypt(sealed, { identities: [other.identity] })), "wrongKey");
    assert.equal(await problemOf(decrypt(sealed, { passphrases: ["a passphrase"] })), "wrongKey");
    const byPassphrase = await encryptAnywhere(bytes, { passphrase: "a passphrase", workFactor: 12 });
    assert.deepEqual(await decrypt(byPassphrase, readEnteredKey("a passphrase")), bytes);
    assert.equal(await problemOf(decrypt(byPassphrase, readEnteredKey("another"))), "wrongKey");
    assert.equal(await problemOf(decrypt(byPassphrase, { identities: [one.identity] })), "wrongKey");
  });

  test("that was damaged, cut or lengthened fails, before or at its end", async () => {
    const { identity, recipient } = await createShareKey();
    const sealed = await encryptAnywhere(randomBytes(3 * CHUNK), { recipients: [recipient] });
    const flipped = (at: number): Uint8Array => sealed.map((byte, index) => (index === at ? byte ^ 1 : byte));
    const whole = CHUNK + 16;
    const damaged = {
      "a byte of the header": flipped(sealed.length - 3 * whole - 60),
      "a byte of the nonce": flipped(sealed.length - 3 * whole - 5),
      "a byte of a chunk": flipped(sealed.length - 2 * whole),
      "the last byte": flipped(sealed.length - 1),
      "cut after a chunk": sealed.subarray(0, -whole),
      "cut in a chunk": sealed.subarray(0, -1000),
      "cut in the header": sealed.subarray(0, 100),
      nothing: new Uint8Array(),
      "a byte more": Buffer.concat([sealed, Buffer.of(0)]),
      "a chunk twice": Buffer.concat([sealed, sealed.subarray(-whole)]),
    };
    for (const [what, bytes] of Object.entries(damaged))
      assert.equal(await problemOf(decrypt(bytes, { identities: [identity] })), "damaged", what);
  });

  test("whose header has no end, or requires too much work, is refused before it fills the memory", async () => {
    const { identity, recipient } = await createShareKey();
    const stanza = `-> X25519 ${"A".repeat(43)}\n${"A".repeat(43)}\n`;
    const headers: Readonly<Record<string, string>> = {
      "without a line break": "A".repeat(CHUNK),
      "of more and more keys": `${"A".repeat(43)}\n-> X25519 ${"A".repeat(43)}\n`.repeat(1000),
      "of one key with more and more lines": `${"A".repeat(64)}\n`.repeat(1000),
      "whose last line has no end": "A".repeat(CHUNK),
    };
    for (const [what, more] of Object.entries(headers)) {
      const begun = what.startsWith("whose last line") ? `${stanza}--- ` : `${stanza}-> X25519 ${"A".repeat(43)}\n`;
      let sentBytes = 0;
      const source = fromPieces(
        (async function* () {
          yield Buffer.from(`age-encryption.org/v1\n${begun}`);
          for (; sentBytes < 10 * MAX_HEADER_BYTES; sentBytes += more.length) yield Buffer.from(more);
        })(),
      );
      assert.equal(await problemOf(decryptStream(source, { identities: [identity] })), "unsupported", what);
      assert.ok(sentBytes < 1.5 * MAX_HEADER_BYTES, `${what}: ${sentBytes} bytes were read`);
    }
    const laborious = `age-encryption.org/v1\n-> scrypt ${"A".repeat(22)} 21\n${"A".repeat(43)}\n--- ${"A".repeat(43)}\n`;
    assert.equal(await problemOf(decrypt(Buffer.from(laborious), { passphrases: ["a passphrase"] })), "unsupported");
    const many = await encryptAnywhere(Buffer.from("words"), { recipients: Array.from({ length: 300 }, () => recipient) });
    assert.equal((await decrypt(many, { identities: [identity] }, 100)).toString(), "words");
  });

  test("is not decrypted with a mistyped key, which does not affect the other keys", async () => {
    const { identity, recipient } = await createShareKey();
    const sealed = await encryptAnywhere(Buffer.from("words"), { recipients: [recipient] });
    const mistaken = [identity.slice(0, -1), `${identity.slice(0, -1)}${identity.endsWith("Q") ? "P" : "Q"}`];
    for (const wrong of mistaken) {
      assert.equal(await problemOf(decrypt(sealed, readEnteredKey(wrong))), "wrongKey");
      assert.equal((await decrypt(sealed, { identities: [wrong, identity] })).toString(), "words");
    }
  });

  test("fails with the error of its source", async () => {
    const { identity, recipient } = await createShareKey();
    const sealed = await encryptAnywhere(randomBytes(3 * CHUNK), { recipients: [recipient] });
    for (const bytes of [0, 50, 100_000]) {
      const broken = fromPieces(
        (async function* () {
          yield sealed.subarray(0, bytes);
          throw new Error("the connection broke");
        })(),
      );
      assert.match(await problemOf(decryptStream(broken, { identities: [identity] }).then(collect)), /the connection broke/);
    }
  });

  test("has its key in the fragment of a link, in the form of a program for the format", async () => {
    const { identity } = await createShareKey();
    const link = withFragmentKey("https://files.example.org/d/7kXq9Zab", identity);
    assert.equal(link, `https://files.example.org/d/7kXq9Zab#key=${identity}`);
    assert.equal(withFragmentKey(link, identity), link);
    for (const fragment of [
      new URL(link).hash,
      `key=${identity}`,
      `#a=b&key=${identity.toLowerCase()}`,
      `#key=${identity}).`,
      `#key=${identity}%E2%80%8B`,
    ])
      assert.equal(readFragmentKey(fragment), identity);
    for (const fragment of ["", "#", "#key=", "#key=abc", `#${identity}`, `#key=${identity}<`])
      assert.equal(readFragmentKey(fragment), undefined);
  });
});

/** encryption, "Hidden names". */
describe("a file with its name", () => {
  const names = ["report.pdf", "Übersicht für März – 100 % fertig.txt", "docs/deep/a.txt", `${"長".repeat(1024)}`, "new\nline"];

  const wrap = (name: string, bytes: Uint8Array): Buffer => {
    const { before, after } = wrapName({ name, sizeBytes: bytes.length, modifiedMs: Date.UTC(2026, 0, 2), isExecutable: true });
    assert.equal(before.length + bytes.length + after.length, wrappedSize(bytes.length), "the size does not tell the name's length");
    return Buffer.concat([before, bytes, after]);
  };

  test("is restored with its bytes, in every size", async () => {
    for (const name of names)
      for (const size of [0, 1, 511, 512, 513, 100_000]) {
        const bytes = randomBytes(size);
        for (const pieceBytes of [100, 1_000_000]) {
          const { body, ...found } = await unwrapName(toStream(wrap(name, bytes), pieceBytes));
          assert.deepEqual(found, { name, sizeBytes: size, modifiedMs: Date.UTC(2026, 0, 2), isExecutable: true });
          assert.deepEqual(await collect(body), bytes);
        }
      }
  });

  test("is distinguished from other bytes, also from other archives", async () => {
    const archive = wrap("report.pdf", Buffer.from("bytes"));
    const others = [
      Buffer.alloc(0),
      Buffer.from("short"),
      randomBytes(5000),
      archive.subarray(0, 600),
      Buffer.from(archive.toString("latin1").replace("filehost: an", "filehost: no"), "latin1"),
    ];
    for (const bytes of others) {
      const { body, ...found } = await unwrapName(toStream(bytes));
      assert.deepEqual(
        [found, await collect(body)],
        [{ name: undefined, sizeBytes: undefined, modifiedMs: 0, isExecutable: false }, bytes],
      );
    }
    const { body } = await unwrapName(toStream(archive.subarray(0, wrappedSize(5) - 1024 - 512 + 2)));
    assert.equal(await problemOf(collect(body)), "damaged");
  });

  test("is an archive that tar unpacks", async () => {
    await using folder = await makeFolder();
    for (const [index, name] of ["report.pdf", "Übersicht für März – 100 % fertig.txt", "docs/deep/a.txt"].entries()) {
      const into = join(folder.path, String(index));
      await mkdir(into);
      const bytes = randomBytes(1000 + index);
      const { status, stderr } = spawnSync("tar", ["x", "-C", into], {
        input: wrap(name, bytes),
        env: { LC_ALL: "C.UTF-8", PATH: process.env.PATH },
      });
      assert.equal(status, 0, stderr.toString());
      assert.equal(stderr.toString(), "");
      assert.deepEqual(await readFile(join(into, name)), bytes);
    }
  });
});

const age = (args: readonly string[], input?: Uint8Array) => spawnSync("age", args, { input, maxBuffer: 64 * 1024 ** 2 });
const ageMissing = age(["--version"]).status === 0 ? undefined : "the program age is not installed";

/** encryption, "Other programs". */
describeUnless(ageMissing, "the reference program for the format", () => {
  test("decrypts files of this implementation, and the reverse", async () => {
    await using folder = await makeFolder();
    const { identity, recipient } = await createShareKey();
    const keyFile = join(folder.path, "key.txt");
    await writeFile(keyFile, `${identity}\n`);
    for (const size of SIZES) {
      const bytes = randomBytes(size);
      const decrypted = age(["-d", "-i", keyFile], await encryptAnywhere(bytes, { recipients: [recipient] }));
      assert.equal(decrypted.status, 0, decrypted.stderr.toString());
      assert.deepEqual(decrypted.stdout, bytes);
      const sealed = age(["-r", recipient], bytes);
      assert.equal(sealed.status, 0, sealed.stderr.toString());
      assert.deepEqual(await decrypt(sealed.stdout, { identities: [identity] }), bytes);
    }
  });
});
