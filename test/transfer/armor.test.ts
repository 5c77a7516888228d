import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { armor } from "age-encryption";
import { decodeArmor } from "../../src/transfer/encryption/armor.ts";
import { decryptStream } from "../../src/transfer/encryption/decrypt.ts";
import { beginEncryption, createFileKey, encryptStream } from "../../src/transfer/encryption/encrypt.ts";
import { createShareKey, type ShareKey } from "../../src/transfer/encryption/share-key.ts";
import { makeFolder, type TestFolder } from "../support/folder.ts";

const BEGIN = "-----BEGIN AGE ENCRYPTED FILE-----";
const END = "-----END AGE ENCRYPTED FILE-----";
const MB = 1024 ** 2;
const CHUNK = 64 * 1024;

const age = (args: readonly string[], input: Uint8Array | string) => spawnSync("age", args, { input, maxBuffer: 64 * MB });
const ageMissing = age(["--version"], "").status === 0 ? undefined : "the program age is not installed";

function toStream(bytes: Uint8Array, pieceBytes: number): ReadableStream<Uint8Array> {
  let from = 0;
  return new ReadableStream({
    pull(controller) {
      if (from >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(from, from + pieceBytes));
      from += pieceBytes;
    },
  });
}

const collect = async (stream: AsyncIterable<Uint8Array>): Promise<Buffer> => Buffer.concat(await Array.fromAsync(stream));

/** encryption, "Encrypted files". */
describe("an encrypted file that is written as text", () => {
  let folder: TestFolder;
  let key: ShareKey;
  let identityFile: string;
  before(async () => {
    folder = await makeFolder();
    key = await createShareKey();
    identityFile = join(folder.path, "identity.txt");
    await writeFile(identityFile, `${key.identity}\n`);
  });
  after(() => folder[Symbol.asyncDispose]());

  const decrypt = async (text: Uint8Array, pieceBytes = 10_000): Promise<Buffer> =>
    await collect(await decryptStream(toStream(text, pieceBytes), { identities: [key.identity] }));

  async function encrypt(bytes: Uint8Array): Promise<string> {
    const encryption = beginEncryption(await createFileKey({ recipients: [key.recipient] }));
    const source = (async function* () {
      yield bytes;
    })();
    return armor.encode(await collect(encryptStream(encryption, source)));
  }

  test("is decrypted if the program age wrote it, in pieces of every size", { skip: ageMissing }, async () => {
    for (const size of [0, 1, 2, 3, 47, 48, 49, CHUNK, CHUNK + 1, 300_000]) {
      const bytes = randomBytes(size);
      const { status, stdout } = age(["-a", "-r", key.recipient], bytes);
      assert.equal(status, 0);
      for (const pieceBytes of [1, 7, 65, 10_000, 10 * MB])
        assert.deepEqual(await decrypt(stdout, pieceBytes), bytes, `${size} bytes in pieces of ${pieceBytes}`);
      const withReturns = Buffer.from(stdout.toString().replaceAll("\n", "\r\n"));
      assert.deepEqual(await decrypt(withReturns, 1000), bytes);
    }
  });

  test("is accepted or refused like by the program age", { skip: ageMissing }, async () => {
    // The last line needs two characters of fill.
    const bytes = randomBytes(701);
    const text = await encrypt(bytes);
    const lines = text.split("\n");
    const write = (edit: (lines: string[]) => readonly string[]): string => edit([...lines]).join("\n");
    const texts: Readonly<Record<string, string>> = {
      "as it is": text,
      "with white space after": `${text}\n \t\r\n`,
      "without its last line break": text.trimEnd(),
      "with 1,100 blanks before": `${"\n".repeat(1100)}${text}`,
      "with 1,100 blanks after": `${text}${" ".repeat(1100)}`,
      "with words before": `words\n${text}`,
      "with words after": `${text}words`,
      "with an empty line in it": write((all) => all.toSpliced(3, 0, "")),
      "with a short line in it": write((all) => all.with(3, all[3]?.slice(0, 60) ?? "")),
      "with a long line in it": write((all) => [...all.slice(0, 3), `${all[3]}${all[4]}`, ...all.slice(5)]),
      "with another character": write((all) => all.with(3, `!${all[3]?.slice(1)}`)),
      "with a return in a line": write((all) => all.with(3, `${all[3]?.slice(0, 30)}\r${all[3]?.slice(31)}`)),
      "with two returns": write((all) => all.with(3, `${all[3]}\r\r`)),
      "with fill in it": write((all) => all.with(3, `${all[3]?.slice(0, 62)}==`)),
      "with bits in its fill": write((all) => all.map((line) => line.replace(/[A-Za-z0-9+/]=+$/, (fill) => `B${fill.slice(1)}`))),
      "without its last mark": write((all) => all.slice(0, -2)),
      "with another last mark": text.replace(END, "-----END SOMETHING ELSE-----"),
      "cut in a line": text.slice(0, 300),
      "cut in the last mark": text.slice(0, -10),
      "with a line less": write((all) => all.toSpliced(5, 1)),
      "with nothing in it": `${BEGIN}\n${END}\n`,
      "only its first mark": `${BEGIN}\n`,
    };
    const [accepted, refused]: [string[], string[]] = [[], []];
    for (const [what, written] of Object.entries(texts)) {
      const reference = age(["-d", "-i", identityFile], written);
      const isAccepted = reference.status === 0 && reference.stdout.equals(bytes);
      (isAccepted ? accepted : refused).push(what);
      const found = await decrypt(Buffer.from(written)).then(
        (decrypted) => decrypted.equals(bytes),
        ({ problem }: { problem?: string }) => problem,
      );
      assert.equal(found, isAccepted || "damaged", what);
    }
    assert.deepEqual(accepted, ["as it is", "with white space after", "without its last line break"]);
    assert.equal(refused.length, Object.keys(texts).length - accepted.length);
    // The format allows white space before it, which the program does not look for.
    for (const blanks of [`\n  \n\t\r\n`, "\n".repeat(1000)]) assert.deepEqual(await decrypt(Buffer.from(`${blanks}${text}`), 7), bytes);
  });

  test("is decoded in constant memory", async () => {
    const line = Buffer.from(`${"QUJD".repeat(16)}\n`);
    const piece = Buffer.concat(Array.from({ length: 1000 }, () => line));
    const pieces = 4000;
    let given = 0;
    const source = new ReadableStream<Uint8Array>({
      pull(controller) {
        given += 1;
        if (given === 1) controller.enqueue(Buffer.from(`${BEGIN}\n`));
        else if (given <= pieces + 1) controller.enqueue(piece);
        else {
          controller.enqueue(Buffer.from(`${END}\n`));
          controller.close();
        }
      },
    });
    let [length, ahead] = [0, 0];
    for await (const bytes of await decodeArmor(source)) {
      length += bytes.length;
      ahead = Math.max(ahead, given - Math.floor(length / 48_000));
    }
    assert.equal(length, pieces * 48_000);
    assert.ok(ahead < 10, `${ahead} pieces were read ahead`);
  });
});
