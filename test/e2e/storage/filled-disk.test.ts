import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { sql } from "kysely";
import { isStorageFull } from "../../../src/errors.ts";
import { hashToken } from "../../../src/lib/secrets/secrets.ts";
import { makeFolder } from "../../support/folder.ts";
import { fillDisk, mountDisk, unmountDisk, whyNoDisk } from "../../support/machine/small-disk.ts";
import type { TestServer } from "../../support/server.ts";
import { describeUnless } from "../../support/suite.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { clientOf, deleteFile, signedUrl, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { storedFiles, withDatabase } from "../support/servers/state.ts";

const run = promisify(execFile);
const EXPIRE_SHARE = join(import.meta.dirname, "expire-share.child.ts");
const refusal = await whyNoDisk();

/** disk space, "A disk that others fill". */
describeUnless(refusal, "a disk that another program fills", () => {
  test("has reserved space for downloads, deletions, cleanup and starts", async () => {
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
      assertLog(disk, "a restart");
      await assert.rejects(startPlainServer({ FILEHOST_DATA: join(disk, "data") }), /Another server uses the data folder/);
      await fillDisk(disk);
      await removeTwo();
      await server.restart({ signal: "SIGKILL" });
      assertLog(disk, "a crash");
      await fillDisk(disk);
      await removeTwo();
      const client = clientOf(server);
      for (let count = 0; count < 500; count += 1) await client.call("authorizeDownload", { fileId: files[0]?.id ?? "" });
      const data = { dataDir: join(disk, "data") };
      const [expired] = files.splice(0, 1);
      await run(process.execPath, [EXPIRE_SHARE, data.dataDir, expired?.shortId ?? ""]);
      for (const command of [["files", "list"], ["cleanup"], ["users", "list"]]) {
        const outcome = await server.run(command);
        assert.equal(outcome.code, 0, `${command}: ${outcome.stderr}`);
        assertLog(disk, `${command} beside a server`);
      }
      assert.equal((await storedFiles(data)).length, files.length, "the bytes of the expired file are removed");
      await server.kill();
      await fillDisk(disk);
      for (const command of [["files", "list"], ["cleanup"]]) {
        const outcome = await server.run(command);
        assert.equal(outcome.code, 0, `${command} after a crash: ${outcome.stderr}`);
        assertLog(disk, command.join(" "));
      }
      await server.restart();
      await removeTwo();
      await rm(filler);
      await upload(server, { bytes: "there is space again" });
      assertLog(disk, "all that");
    } finally {
      await unmountDisk(disk);
    }
  });

  test("allows downloads of shares without a limit when the reserved space is used up, and counts them later", async () => {
    await using folder = await makeFolder();
    const disk = await mountDisk(160 * 1024 ** 2, { at: folder.path });
    try {
      await using server = await startPlainServer({ FILEHOST_DATA: join(disk, "data"), FILEHOST_MIN_FREE: "0" });
      const unlimited = await upload(server, { bytes: "unlimited" });
      const limited = await upload(server, { bytes: "limited", fields: { maxDownloads: "5" } });
      const sent = await shareWithRecipient(server, { dataDir: join(disk, "data") });
      const filler = await fillDisk(disk);
      await useUpPages({ dataDir: join(disk, "data") });
      const client = clientOf(server);
      const archive = () => client.call("authorizeArchive", { shortId: unlimited.shortId });
      for (let count = 0; count < 40; count += 1) {
        const { url } = await client.call("authorizeDownload", { fileId: unlimited.id });
        assert.equal(await (await fetch(url)).text(), "unlimited");
        assert.equal((await fetch((await archive()).url)).status, 200);
      }
      await Promise.all(Array.from({ length: 20 }, () => client.call("authorizeDownload", { fileId: unlimited.id })));
      // The archive of a share of two files is one download of its recipient, whose first visit cannot be recorded either.
      const { unlockToken } = await client.call("unlockDownload", { handoffToken: sent.token });
      assert.equal((await fetch((await client.call("authorizeArchive", { shortId: sent.shortId, unlockToken })).url)).status, 200);
      const grants = await countUntilRefused(() => client.call("authorizeDownload", { fileId: limited.id }), 5);
      await rm(filler);
      await server.restart();
      assert.ok(server.logs().some(({ msg }) => msg?.includes("recorded that had waited for space")));
      const counts = await withDatabase({ dataDir: join(disk, "data") }, (db) =>
        db.selectFrom("files").select(["id", "download_count"]).execute(),
      );
      const countOf = (id: string) => counts.find((file) => file.id === id)?.download_count;
      assert.equal(countOf(unlimited.id), 100);
      assert.equal(countOf(limited.id), grants, "what was refused is not counted");
      const [recipient] = await withDatabase({ dataDir: join(disk, "data") }, (db) =>
        db.selectFrom("share_recipients").select("downloads").execute(),
      );
      assert.equal(recipient?.downloads, 1);
    } finally {
      await unmountDisk(disk);
    }
  });
});

/** Shares two files by a private link of one recipient. */
async function shareWithRecipient(
  server: TestServer,
  data: { readonly dataDir: string },
): Promise<{ readonly shortId: string; readonly token: string }> {
  const { key } = await addAccount(data);
  const { shortId } = await upload(server, { bytes: "one", fields: { openShare: "true" } }, { key });
  await upload(server, { bytes: "two", fields: { shareShortId: shortId } }, { key });
  const token = `hr_${crypto.randomUUID()}`;
  await withDatabase(data, async (db) => {
    const recipient = { id: crypto.randomUUID(), short_id: shortId, address: "grace@example.org", language: "en", status: "sent" } as const;
    await db
      .insertInto("share_recipients")
      .values({ ...recipient, created_at: Date.now() })
      .execute();
    await db
      .insertInto("recipient_links")
      .values({ token_hash: hashToken(token), recipient_id: recipient.id })
      .execute();
  });
  return { shortId, token };
}

/** The log has its room, whatever has ended. */
function assertLog(disk: string, when: string): void {
  const { size } = statSync(join(disk, "data/filehost.db-wal"));
  assert.ok(size >= 8 * 1024 ** 2, `the log has ${size} bytes after ${when}`);
}

/** Takes the free pages of the database, as its own growth does. */
async function useUpPages(data: { readonly dataDir: string }): Promise<void> {
  await withDatabase(data, async (db) => {
    await sql`CREATE TABLE filler (bytes BLOB)`.execute(db);
    for (let bytes = 4 * 1024 ** 2; bytes >= 512; bytes /= 2) {
      try {
        for (;;) await sql`INSERT INTO filler VALUES (zeroblob(${bytes}))`.execute(db);
      } catch (error) {
        assert.ok(isStorageFull(error), String(error));
      }
    }
  });
}

/** How often `attempt` succeeds, of `times`, before it is refused for the full disk. */
async function countUntilRefused(attempt: () => Promise<unknown>, times: number): Promise<number> {
  for (let count = 0; count < times; count += 1) {
    try {
      await attempt();
    } catch (error) {
      assert.equal(error instanceof Error && "code" in error ? error.code : error, "STORAGE_FULL");
      return count;
    }
  }
  return times;
}
