import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";

const HEADER_BYTES = 32;
const SEGMENT_COMMAND = 0x19;
const CODE_SIGNATURE_COMMAND = 0x1d;
const PAGE_BYTES = 4096;
const DIGEST_BYTES = 32;
const IDENTIFIER = "filehost\0";

/** Fields of the signature, as in `cs_blobs.h` of Apple's kernel. */
const EMBEDDED_SIGNATURE = 0xfade0cc0;
const CODE_DIRECTORY = 0xfade0c02;
const VERSION = 0x20400;
const FLAGS_ADHOC_LINKER_SIGNED = 0x20002;
const SHA256_TYPE = 2;
const MAIN_BINARY = 1n;
const INDEX_BYTES = 20;
const DIRECTORY_BYTES = 88;

/**
 * Signs a Mach-O executable ad hoc, in place of its signature. Bun 1.4.5 does so only for arm64. For x64 it leaves the signature of its runtime,
 * whose digests are wrong after the program is added, so that macOS may refuse to start the executable.
 */
export async function signMachO(path: string): Promise<void> {
  const executable = await readFile(path);
  await writeFile(path, sign(executable));
}

function sign(executable: Buffer): Buffer {
  const commands = [...listCommands(executable)];
  const signature = commands.find(({ command }) => command === CODE_SIGNATURE_COMMAND);
  const segment = (name: string) => commands.find(({ command, at }) => command === SEGMENT_COMMAND && nameOf(executable, at) === name);
  const linkEdit = segment("__LINKEDIT");
  const text = segment("__TEXT");
  if (signature === undefined || linkEdit === undefined || text === undefined)
    throw new Error("The executable has no place for a signature.");

  const codeBytes = executable.readUInt32LE(signature.at + 8);
  const pages = Math.ceil(codeBytes / PAGE_BYTES);
  const digestsAt = DIRECTORY_BYTES + IDENTIFIER.length;
  const directoryBytes = digestsAt + pages * DIGEST_BYTES;
  const signatureBytes = roundUp(INDEX_BYTES + directoryBytes, 16);

  // The segment at the end of the file contains the signature. The digests cover these numbers, so they are written first.
  executable.writeUInt32LE(signatureBytes, signature.at + 12);
  const linkEditBytes = codeBytes + signatureBytes - Number(executable.readBigUInt64LE(linkEdit.at + 40));
  executable.writeBigUInt64LE(BigInt(roundUp(linkEditBytes, PAGE_BYTES)), linkEdit.at + 32);
  executable.writeBigUInt64LE(BigInt(linkEditBytes), linkEdit.at + 48);

  const blob = Buffer.alloc(signatureBytes);
  writeNumbers(blob, 0, [EMBEDDED_SIGNATURE, INDEX_BYTES + directoryBytes, 1, 0, INDEX_BYTES]);
  const directory = blob.subarray(INDEX_BYTES);
  writeNumbers(directory, 0, [CODE_DIRECTORY, directoryBytes, VERSION, FLAGS_ADHOC_LINKER_SIGNED]);
  writeNumbers(directory, 16, [digestsAt, DIRECTORY_BYTES, 0, pages, codeBytes]);
  directory.set([DIGEST_BYTES, SHA256_TYPE, 0, Math.log2(PAGE_BYTES)], 36);
  directory.writeBigUInt64BE(executable.readBigUInt64LE(text.at + 40), 64);
  directory.writeBigUInt64BE(executable.readBigUInt64LE(text.at + 48), 72);
  directory.writeBigUInt64BE(MAIN_BINARY, 80);
  directory.write(IDENTIFIER, DIRECTORY_BYTES, "latin1");
  for (let page = 0; page < pages; page++) {
    const bytes = executable.subarray(page * PAGE_BYTES, Math.min(codeBytes, (page + 1) * PAGE_BYTES));
    createHash("sha256")
      .update(bytes)
      .digest()
      .copy(directory, digestsAt + page * DIGEST_BYTES);
  }
  return Buffer.concat([executable.subarray(0, codeBytes), blob]);
}

function* listCommands(executable: Buffer): Iterable<{ command: number; at: number }> {
  let at = HEADER_BYTES;
  for (let left = executable.readUInt32LE(16); left > 0; left--) {
    yield { command: executable.readUInt32LE(at), at };
    at += executable.readUInt32LE(at + 4);
  }
}

const nameOf = (executable: Buffer, segmentAt: number): string =>
  executable.toString("latin1", segmentAt + 8, segmentAt + 24).replace(/\0+$/, "");

const roundUp = (value: number, step: number): number => Math.ceil(value / step) * step;

function writeNumbers(blob: Buffer, from: number, values: readonly number[]): void {
  for (const [index, value] of values.entries()) blob.writeUInt32BE(value, from + index * 4);
}
