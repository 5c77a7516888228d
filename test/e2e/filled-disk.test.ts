import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { makeFolder } from "../support/folder.ts";
import { fillDisk, mountDisk, unmountDisk, whyNoDisk } from "../support/small-disk.ts";
import { describeUnless } from "../support/suite.ts";
import { clientOf, deleteFile, signedUrl, upload } from "./support/api.ts";
import { startPlainServer } from "./support/plain-server.ts";
import { storedFiles, withDatabase } from "./support/state.ts";

const refusal = await whyNoDisk();

/** disk space, "A disk that others fill". */
describeUnless(refusal, "a disk that another program fills", () => {
  test("downloads, deletions, cleanup and starts have room of their own", async () => {
    await using folder = await makeFolder();
    const disk = await mountDisk(160 * 1024 ** 2, { at: folder.path });
    try {
      await using server = await startPlainServer({ FILEHOST_DATA: join(disk, "data"), FILEHOST_MIN_FREE: "0" });
      const files: Awaited<ReturnType<typeof upload>>[] = [];
      for (let index = 0; index < 12; index += 1) files.push(await upload(server, { bytes: `file ${index}` }));
      const filler = await fillDisk(disk);
      const removeTwo = async (): Promise<void> => {
        for (const file of files.splice(0, 2)) {
          const url = await signedUrl(server, file.id);
          assert.equal((await fetch(url)).status, 200);
          await deleteFile(server, { fileId: file.id, token: file.deletionToken });
          assert.equal((await fetch(url)).status, 404);
          await fillDisk(disk);
        }
      };
      await removeTwo();
      await server.restart();
      await fillDisk(disk);
      await removeTwo();
      await server.restart({ signal: "SIGKILL" });
      await fillDisk(disk);
      await removeTwo();
      const client = clientOf(server);
      for (let count = 0; count < 500; count += 1) await client.call("authorizeDownload", { fileId: files[0]?.id ?? "" });
      const data = { dataDir: join(disk, "data") };
      const [expired] = files.splice(0, 1);
      await withDatabase(data, (db) =>
        db
          .updateTable("shares")
          .set({ expires_at: Date.now() - 1 })
          .where("short_id", "=", expired?.shortId ?? "")
          .execute(),
      );
      for (const command of [["files", "list"], ["cleanup"], ["users", "list"]]) {
        const outcome = await server.run(command);
        assert.equal(outcome.code, 0, `${command}: ${outcome.stderr}`);
      }
      assert.equal((await storedFiles(data)).length, files.length, "the bytes of the expired file are removed");
      await server.kill();
      await fillDisk(disk);
      for (const command of [["files", "list"], ["cleanup"]]) {
        const outcome = await server.run(command);
        assert.equal(outcome.code, 0, `${command} after a crash: ${outcome.stderr}`);
      }
      await server.restart();
      await removeTwo();
      await rm(filler);
      await upload(server, { bytes: "there is space again" });
      assert.ok(statSync(join(disk, "data/filehost.db-wal")).size >= 8 * 1024 ** 2, "the log is kept");
    } finally {
      await unmountDisk(disk);
    }
  });
});
