import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { parseReply } from "../../src/scan/clamd-stream.ts";
import { parseVersion } from "../../src/scan/clamd-version.ts";
import { eicar, selfTestArchive } from "../../src/scan/self-test.ts";

describe("clamd's words", () => {
  it("are read as what they mean for the file", () => {
    assert.deepEqual(parseReply("stream: OK"), { kind: "clean" });
    assert.deepEqual(parseReply("stream: Win.Test.EICAR_HDB-1 FOUND"), { kind: "found", signature: "Win.Test.EICAR_HDB-1" });
    assert.deepEqual(parseReply("INSTREAM size limit exceeded. ERROR"), { kind: "refused" });
    const kinds = {
      "stream: Heuristics.Encrypted.Zip FOUND": "found",
      "stream: Heuristics.Limits.Exceeded.MaxScanSize FOUND": "failed",
      "stream: (null) FOUND": "failed",
      "stream: Time limit reached ERROR": "failed",
      "stream: Can't allocate memory ERROR": "unreachable",
      "COMMAND READ TIMED OUT": "unreachable",
      "Error writing to temporary file. ERROR": "unreachable",
      "UNKNOWN COMMAND": "failed",
      "": "failed",
    } as const;
    for (const [text, kind] of Object.entries(kinds)) assert.equal(parseReply(text).kind, kind, text);
  });

  it("tell its version, and the age of its signatures where it has official ones", () => {
    assert.deepEqual(parseVersion("ClamAV 1.4.6"), { version: "ClamAV 1.4.6" });
    assert.deepEqual(parseVersion("ClamAV 1.4.3/27700/Fri Jul  8 08:31:02 2025"), {
      version: "ClamAV 1.4.3",
      signatures: "27700",
      signaturesBuiltAt: new Date(2025, 6, 8, 8, 31, 2).getTime(),
    });
    assert.deepEqual(parseVersion("ClamAV 1.4.3/27700/no time"), { version: "ClamAV 1.4.3", signatures: "27700" });
  });
});

describe("the self-test's archive", () => {
  it("has the size asked for, and never twice the same bytes", () => {
    const sizes = [1_024, 70_000, 2 * 1_024 * 1_024 + 1];
    for (const size of sizes) {
      const [one, two] = [Buffer.concat([...selfTestArchive(size)]), Buffer.concat([...selfTestArchive(size)])];
      assert.equal(one.length, size);
      assert.notDeepEqual(one, two);
      assert.ok(one.lastIndexOf(eicar()) > size - 300, "the pattern stands at the end");
    }
  });

  it("keeps the pattern out of the program's text", async () => {
    const folder = new URL("../../src/scan/", import.meta.url);
    for (const name of await readdir(folder)) {
      assert.equal((await readFile(new URL(name, folder))).indexOf(eicar()), -1, name);
    }
  });
});
