import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { UsageError } from "../../../src/cli/failure.ts";
import { fromContract } from "../../../src/cli/options/from-contract.ts";
import { contract } from "../../../src/service/contract.ts";
import { publishFields } from "../../../src/service/shares/contract.ts";

const settings = contract.updateShareSettings.input.shape;

describe("options from the contract", () => {
  it("have the names, kinds, help and choices of the fields", () => {
    const { options } = fromContract(publishFields, ["expiresAt", "once", "maxDownloads", "visibility", "shareShortId"]);
    assert.deepEqual(options, {
      "expires-at": { kind: "text", value: "TIME", help: "When the share expires, within the tier's limit" },
      once: { kind: "flag", help: "One download only: the link stops working afterwards" },
      "max-downloads": { kind: "text", value: "N", help: "Largest number of downloads of each file; ignored if --once is given" },
      visibility: {
        kind: "text",
        value: "TEXT",
        help: "public requires a username; default: unlisted",
        choices: ["unlisted", "public"],
      },
      "share-short-id": {
        kind: "text",
        value: "ID",
        help: "The short ID of the shipment that the file joins: requires the owner's key or --share-token",
      },
    });
    assert.deepEqual(fromContract(settings, ["upstreamFileIds"]).options["upstream-file-ids"], {
      kind: "text",
      value: "ID",
      many: true,
      help: "IDs of the files that this file was made from",
    });
  });

  it("have an opposite for each flag if requested", () => {
    const { options, read } = fromContract(settings, ["once", "title"], { negatable: true });
    assert.deepEqual(Object.keys(options), ["once", "no-once", "title"]);
    assert.deepEqual(read("share", { once: false, "no-once": true, title: undefined }), { once: false });
    assert.deepEqual(read("share", { once: true, "no-once": false, title: undefined }), { once: true });
    assert.throws(() => read("share", { once: true, "no-once": true, title: undefined }), /--once or --no-once, not both/);
  });

  it("send only the given values, converted as the contract says", () => {
    const { read } = fromContract(settings, ["maxDownloads", "priceCents", "title", "expiresAt", "once", "upstreamFileIds"]);
    const none = { "max-downloads": undefined, title: undefined, once: false, "upstream-file-ids": [] };
    assert.deepEqual(read("share", none), {});
    const given = { "max-downloads": "3", "price-cents": "500", title: "", "expires-at": "2030-01-31T12:00", "upstream-file-ids": ["a"] };
    assert.deepEqual(read("share", given), {
      maxDownloads: 3,
      priceCents: 500,
      title: null,
      expiresAt: "2030-01-31T12:00:00.000Z",
      upstreamFileIds: ["a"],
    });
  });

  it("name every wrong value and the values that are allowed", () => {
    const { read } = fromContract(settings, ["maxDownloads", "expiresAt"]);
    const wrong = { "max-downloads": "0", "expires-at": "tomorrow" };
    assert.throws(
      () => read("share", wrong),
      (error) =>
        error instanceof UsageError &&
        error.help === "filehost share --help" &&
        error.message ===
          "--max-downloads: give a whole number of at least 1.\n" +
            "--expires-at: write a time such as 7d, 2030-01-31 or 2030-01-31T12:00.",
    );
  });

  it("take each time in each form, and sizes with units", () => {
    const { read, options } = fromContract(contract.createRequest.input.shape, ["maxFileBytes", "maxFiles", "expiresAt"]);
    assert.deepEqual([options["max-file-bytes"].value, options["max-files"].value], ["SIZE", "N"]);
    for (const [text, bytes] of [
      ["10MB", 10 * 1024 ** 2],
      ["1.5 GiB", 1.5 * 1024 ** 3],
      ["4096", 4096],
    ] as const)
      assert.deepEqual(read("requests create", { "max-file-bytes": text }), { maxFileBytes: bytes });
    assert.throws(() => read("requests create", { "max-files": "1.5KB1" }), UsageError);
    for (const [text, bounds] of [
      ["much", /: write a size such as 500MB or 2GB, at least 1\.$/],
      ["0", /: write a size such as 500MB or 2GB, at least 1\.$/],
      ["1024TB", /: write a size such as 500MB or 2GB, at most 999999999999999\.$/],
    ] as const)
      assert.throws(() => read("requests create", { "max-file-bytes": text }), bounds);
    const in7Days = read("requests create", { "expires-at": "7d" }).expiresAt ?? "";
    assert.ok(Math.abs(Date.parse(in7Days) - Date.now() - 7 * 86_400_000) < 60_000, in7Days);
  });
});
