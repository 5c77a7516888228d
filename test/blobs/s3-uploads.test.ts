import assert from "node:assert/strict";
import { test } from "node:test";
import type { UploadProbe } from "../../src/blobs/s3-probe.ts";
import { decideUploads } from "../../src/blobs/s3-uploads.ts";

/** decisions, "Storage": which way parts take, by what a store does with those that it is not to take. */

const STRICT: UploadProbe = {
  withDigests: true,
  takesRightBytes: true,
  refusesOtherBytes: true,
  refusesOtherSizes: true,
  refusesCopies: true,
  refusesLateParts: true,
};

test("straight to a store that takes the announced bytes alone, unless it is told otherwise", () => {
  for (const setting of ["auto", "direct"] as const)
    assert.deepEqual(decideUploads(setting, STRICT), {
      isDirect: true,
      wantsCopy: false,
      withDigests: true,
      isAsWished: true,
      text: "parts of uploads go straight to the store",
    });
  assert.partialDeepStrictEqual(decideUploads("proxy", STRICT), { isDirect: false, isAsWished: true });
});

test("each thing that a store lets pass keeps auto from it, is named, and decides what direct makes of it", () => {
  const weaknesses = [
    [{ takesRightBytes: false }, "does not take presigned parts", { isDirect: false, wantsCopy: false }],
    [{ refusesCopies: false }, "lets whoever has an address copy other objects", { isDirect: false, wantsCopy: false }],
    [{ refusesOtherBytes: false }, "does not hold parts against their digest", { isDirect: true, wantsCopy: false }],
    [{ refusesOtherSizes: false }, "takes more bytes than an address is for", { isDirect: true, wantsCopy: false }],
    [{ refusesLateParts: false }, "takes parts after an upload's end", { isDirect: true, wantsCopy: true }],
  ] as const;
  for (const [weakness, named, direct] of weaknesses) {
    const probe = { ...STRICT, ...weakness };
    const auto = decideUploads("auto", probe);
    assert.deepEqual([auto.isDirect, auto.isAsWished], [false, true]);
    assert.equal(auto.text, `parts of uploads pass through this server: the store ${named}`);
    const told = decideUploads("direct", probe);
    assert.partialDeepStrictEqual(told, { ...direct, isAsWished: false });
    assert.ok(told.text.includes(named), told.text);
  }
});
