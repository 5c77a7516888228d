import assert from "node:assert/strict";
import { test } from "node:test";
import { decideUploads } from "../../../src/blobs/s3/capabilities.ts";
import type { UploadProbe } from "../../../src/blobs/s3/probe.ts";

/** storage, "Parts and an S3 store": how parts are uploaded, by the capabilities of the store. */

const STRICT: UploadProbe = {
  usesChecksums: true,
  acceptsExpectedBytes: true,
  rejectsWrongDigest: true,
  rejectsWrongSize: true,
  rejectsCopies: true,
  rejectsPartsAfterCompletion: true,
};

test("parts are sent directly to a store that enforces the expected bytes, unless configured otherwise", () => {
  for (const setting of ["auto", "direct"] as const)
    assert.deepEqual(decideUploads(setting, STRICT), {
      usesPresignedParts: true,
      copiesOnCompletion: false,
      usesChecksums: true,
      matchesSetting: true,
      text: "clients send parts directly to the store",
    });
  assert.partialDeepStrictEqual(decideUploads("proxy", STRICT), { usesPresignedParts: false, matchesSetting: true });
});

test("each missing capability disables presigned parts in auto mode, is named in the log, and decides what direct mode does", () => {
  const weaknesses = [
    [{ acceptsExpectedBytes: false }, "rejects presigned parts", { usesPresignedParts: false, copiesOnCompletion: false }],
    [
      { rejectsCopies: false },
      "allows copies of other objects through a presigned URL",
      { usesPresignedParts: false, copiesOnCompletion: false },
    ],
    [{ rejectsWrongDigest: false }, "does not enforce the digests of parts", { usesPresignedParts: true, copiesOnCompletion: false }],
    [{ rejectsWrongSize: false }, "does not enforce the sizes of parts", { usesPresignedParts: true, copiesOnCompletion: false }],
    [
      { rejectsPartsAfterCompletion: false },
      "accepts parts after the upload has ended",
      { usesPresignedParts: true, copiesOnCompletion: true },
    ],
  ] as const;
  for (const [weakness, named, direct] of weaknesses) {
    const probe = { ...STRICT, ...weakness };
    const auto = decideUploads("auto", probe);
    assert.deepEqual([auto.usesPresignedParts, auto.matchesSetting], [false, true]);
    assert.equal(auto.text, `parts pass through the server: the store ${named}`);
    const told = decideUploads("direct", probe);
    assert.partialDeepStrictEqual(told, { ...direct, matchesSetting: false });
    assert.ok(told.text.includes(named), told.text);
  }
});
