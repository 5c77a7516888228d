import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { parseVersion } from "../../../src/scan/clamd/server-info.ts";
import { parseScanReply } from "../../../src/scan/clamd/stream.ts";
import { eicarFile, selfTestArchive } from "../../../src/scan/eicar.ts";

describe("a response of clamd", () => {
  it("is parsed to an outcome", () => {
    assert.deepEqual(parseScanReply("stream: OK"), { kind: "clean" });
    assert.deepEqual(parseScanReply("stream: Win.Test.EICAR_HDB-1 FOUND"), { kind: "found", signature: "Win.Test.EICAR_HDB-1" });
    assert.deepEqual(parseScanReply("INSTREAM size limit exceeded. ERROR"), { kind: "refused" });
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
    for (const [text, kind] of Object.entries(kinds)) assert.equal(parseScanReply(text).kind, kind, text);
  });

  it("contains the version, and the age of the official signatures", () => {
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
  it("has the requested size, and different bytes each time", () => {
    const sizes = [1_024, 70_000, 2 * 1_024 * 1_024 + 1];
    for (const size of sizes) {
      const [one, two] = [Buffer.concat([...selfTestArchive(size)]), Buffer.concat([...selfTestArchive(size)])];
      assert.equal(one.length, size);
      assert.notDeepEqual(one, two);
      assert.ok(one.lastIndexOf(eicarFile()) > size - 300, "the pattern stands at the end");
    }
  });

  it("does not put the pattern into the program's text", async () => {
    const folder = new URL("../../../src/scan/", import.meta.url);
    const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".ts"));
    assert.ok(names.length > 10, "the sources were found");
    for (const name of names) assert.equal((await readFile(new URL(name, folder))).indexOf(eicarFile()), -1, name);
  });
});
