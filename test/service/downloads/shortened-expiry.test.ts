import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { THIS_MACHINE } from "../../../src/service/accounts/administrator.ts";
import { addUser } from "../../../src/service/administration/users.ts";
import { authorizeArchive } from "../../../src/service/downloads/authorize-archive.ts";
import { authorizeDownload } from "../../../src/service/downloads/authorize-download.ts";
import { openArchive } from "../../../src/service/downloads/open-archive.ts";
import { openDownload } from "../../../src/service/downloads/open-download.ts";
import { updateShareSettings } from "../../../src/service/files/update-share-settings.ts";
import { uploadStream } from "../../../src/service/uploads/upload-stream.ts";
import { openProcesses } from "../../jobs/support.ts";
import { callOf } from "../owner-calls.ts";

const BYTES = new TextEncoder().encode("ten bytes.");

/** expiry, "When a share expires"; downloads, "Limited shares". */
describe("a share whose owner shortens its expiry after URLs were issued", () => {
  for (const maxDownloads of [undefined, 9]) {
    test(`refuses the URLs from that expiry on, before a cleanup (maxDownloads ${maxDownloads})`, async () => {
      await using processes = await openProcesses();
      const { clock, ctxs } = processes;
      const [ctx] = ctxs;
      const { id: userId } = await addUser(ctx, THIS_MACHINE, { email: "owner@example.org", name: "Owner" });
      const call = callOf(userId);
      const { id: fileId, shortId } = await uploadStream(ctx, call, {
        name: "a.txt",
        type: "text/plain",
        sizeBytes: BYTES.length,
        body: new Blob([BYTES]).stream(),
        publish: { maxDownloads },
      });
      const archiveQuery = new URL((await authorizeArchive(ctx, call, { shortId })).url).searchParams;
      const fileQuery = new URL((await authorizeDownload(ctx, call, { fileId })).url).searchParams;
      const archive = () => openArchive(ctx, call, { shortId, query: archiveQuery, isHead: true });
      const select = () => ({ span: { start: 0, end: BYTES.length }, isBodyless: true });
      const download = () => openDownload(ctx, call, { fileId, query: fileQuery, isPrefetch: false, select });
      await updateShareSettings(ctx, call, { fileId, expiresAt: new Date(clock.nowMs + 1000).toISOString() });
      assert.equal((await archive()).files.length, 1);
      assert.equal((await download()).file.id, fileId);
      clock.nowMs += 1000;
      await assert.rejects(archive, { code: "NOT_FOUND" });
      await assert.rejects(download, { code: "NOT_FOUND" });
    });
  }
});
