import assert from "node:assert/strict";
import { createHash } from "node:crypto";

const HEADER_BYTES = 32;
const CODE_SIGNATURE_COMMAND = 0x1d;
const CODE_DIRECTORY = 0xfade0c02;
const SHA256_TYPE = 2;

/**
 * Asserts that a Mach-O executable has a signature, and that the digest of each of its pages is correct. On arm64, macOS starts no other executables.
 */
export function assertSigned(executable: Buffer): void {
  const signature = executable.subarray(findSignature(executable));
  const directory = signature.subarray(findCodeDirectory(signature));
  const digests = directory.readUInt32BE(16);
  const pages = directory.readUInt32BE(28);
  const codeBytes = directory.readUInt32BE(32);
  const digestBytes = directory[36] ?? 0;
  assert.equal(directory[37], SHA256_TYPE);
  const pageBytes = 2 ** (directory[39] ?? 0);
  assert.equal(pages, Math.ceil(codeBytes / pageBytes));
  for (let page = 0; page < pages; page++) {
    const bytes = executable.subarray(page * pageBytes, Math.min(codeBytes, (page + 1) * pageBytes));
    const expected = directory.subarray(digests + page * digestBytes, digests + (page + 1) * digestBytes);
    assert.ok(createHash("sha256").update(bytes).digest().equals(expected), `the digest of page ${page} is wrong`);
  }
}

function findSignature(executable: Buffer): number {
  let at = HEADER_BYTES;
  for (let left = executable.readUInt32LE(16); left > 0; left--) {
    if (executable.readUInt32LE(at) === CODE_SIGNATURE_COMMAND) return executable.readUInt32LE(at + 8);
    at += executable.readUInt32LE(at + 4);
  }
  assert.fail("the executable is not signed");
}

function findCodeDirectory(signature: Buffer): number {
  for (let index = 0; index < signature.readUInt32BE(8); index++) {
    const at = signature.readUInt32BE(16 + index * 8);
    if (signature.readUInt32BE(at) === CODE_DIRECTORY) return at;
  }
  assert.fail("the signature has no digests");
}
