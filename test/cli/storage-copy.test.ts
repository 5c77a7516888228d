import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { openTwoStores } from "../service/maintenance/copy-storage/support.ts";
import { joinSwift, swiftMissing, type TestSwift } from "../support/services/swift.ts";
import { describeUnless } from "../support/suite.ts";
import { makeDataFolder, run } from "./support.ts";

const COPY = ["storage", "copy", "--from", "disk", "--to", "s3"] as const;

describe("storage copy", () => {
  it("explains an invalid command line", async () => {
    await using folder = await makeDataFolder();
    for (const [words, reason] of [
      [["storage", "copy", "--to", "s3"], /requires --from STORE/],
      [["storage", "copy", "--from", "tape", "--to", "s3"], /not valid for --from\. Choose one of disk, s3/],
      [[...COPY, "--parallel", "0"], /--parallel must be a number from 1 to 64/],
      [[...COPY, "--parallel", "65"], /--parallel must be a number from 1 to 64/],
      [[...COPY, "--parallel", "4x"], /--parallel must be a number from 1 to 64/],
    ] as const) {
      const { code, stdout, stderr } = await run(words, folder.env);
      assert.deepEqual([code, stdout], [2, ""], stderr);
      assert.match(stderr, reason);
    }
    const { code, stderr } = await run(COPY, folder.env);
    assert.equal(code, 4);
    assert.match(stderr, /No filehost database/);
    const half = { ...folder.env, FILEHOST_S3_BUCKET: "files", FILEHOST_S3_ACCESS_KEY_ID: "me" };
    assert.match((await run(COPY, half)).stderr, /FILEHOST_S3_ACCESS_KEY_ID and FILEHOST_S3_SECRET_ACCESS_KEY: set both or neither/);
  });

  describeUnless(swiftMissing, "copying to a bucket", () => {
    let swift: TestSwift;
    before(async () => {
      swift = await joinSwift();
    });

    it("prints what was copied, what failed and the next step", async () => {
      await using stores = await openTwoStores(swift);
      await stores.addFile(stores.disk, { bytes: new Uint8Array(2 * 1024 ** 2) });
      const bad = await stores.addFile(stores.disk);
      await writeFile(stores.path("blobs", bad.key), "cut");
      const stray = "0123456789abcdef0123456789abcdef";
      await stores.s3
        .stage(stray, 0, { isDirect: true })
        .then((staged) => stores.s3.writeAll(staged, empty()).then(() => stores.s3.commit(staged)));

      const dry = await run([...COPY, "--dry-run"], stores.env);
      assert.equal(dry.code, 0, dry.stderr);
      assert.equal(dry.stdout, "2  to copy (2 MB)\n1  unknown at the target, kept\n");
      assert.match(
        dry.stderr,
        /^Dry run: nothing was changed\.\nCheck the unknown bytes with `filehost audit` once FILEHOST_STORAGE is s3\./,
      );

      const told = await run(COPY, stores.env);
      assert.equal(told.code, 1);
      const lines = told.stdout.split("\n");
      assert.deepEqual(lines.slice(0, 3), ["1  copied and verified (2 MB)", "1  unknown at the target, kept", "1  NOT copied"]);
      assert.match(lines[3] ?? "", new RegExp(`^failed  ${bad.id}  the source has 3 bytes instead of 1000$`));
      assert.match(told.stderr, /filehost audit/);

      await stores.disk.remove(bad.key);
      await stores.setState(bad.key, "removed");
      const again = await run(COPY, stores.env);
      assert.equal(again.code, 0);
      assert.match(again.stdout, /^0 {2}copied and verified \(0 bytes\)\n1 {2}already at the target \(2 MB\)\n/);
    });

    it("uses only the data folder, and creates no database", async () => {
      await using folder = await makeDataFolder();
      await mkdir(join(folder.path, "data"));
      await using stores = await openTwoStores(swift);
      const { code } = await run(COPY, { ...stores.env, FILEHOST_DATA: join(folder.path, "data") });
      assert.equal(code, 4);
    });
  });
});

async function* empty(): AsyncGenerator<Uint8Array> {}
