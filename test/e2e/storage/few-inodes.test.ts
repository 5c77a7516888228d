import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Health } from "../../../src/service/system/contract.ts";
import { mountDisk, unmountDisk, whyNoDisk } from "../../support/machine/small-disk.ts";
import { describeUnless } from "../../support/suite.ts";
import { postUpload, signedUrl, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

/** addresses, "Health". */
describeUnless(await whyNoDisk(), "a disk without free inodes", () => {
  test("refuses uploads like a full disk, serves files, and health reports it until some are removed", async () => {
    const dataDir = await mountDisk(400 * 1024 ** 2, { options: ",nr_inodes=300" });
    try {
      await using server = await startPlainServer({ FILEHOST_DATA: dataDir, FILEHOST_MIN_FREE: "1MB" });
      const health = async () => ((await (await fetch(`${server.url}/health`)).json()) as Health).checks.storage;
      const kept = await upload(server, { bytes: "kept" });
      assert.equal((await health()).ok, true);
      const others: string[] = [];
      try {
        for (;;) {
          const path = join(dataDir, `other-${others.length}`);
          await writeFile(path, "");
          others.push(path);
        }
      } catch (error) {
        assert.equal((error as NodeJS.ErrnoException).code, "ENOSPC");
      }
      const refused = await postUpload(server, { bytes: "refused" });
      assert.deepEqual([refused.status, refused.body.errorCode], [507, "STORAGE_FULL"], JSON.stringify(refused.body));
      const { ok, reason } = await health();
      assert.equal(ok, false);
      assert.match(reason ?? "", /no room for more files/);
      assert.equal((await fetch(await signedUrl(server, kept.id))).status, 200);
      assert.match((await server.run(["doctor"])).stdout, /free inodes/);
      for (const path of others) await rm(path);
      assert.equal((await health()).ok, true);
      await upload(server, { bytes: "stored" });
    } finally {
      await unmountDisk(dataDir);
    }
  });
});
