import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Ctx } from "../../../src/context.ts";
import { THIS_MACHINE } from "../../../src/service/accounts/administrator.ts";
import { addUser } from "../../../src/service/administration/users.ts";
import { authorizeArchive } from "../../../src/service/downloads/authorize-archive.ts";
import { authorizeDownload } from "../../../src/service/downloads/authorize-download.ts";
import { openDownload } from "../../../src/service/downloads/open-download.ts";
import { updateShareSettings } from "../../../src/service/files/update-share-settings.ts";
import { uploadStream } from "../../../src/service/uploads/upload-stream.ts";
import { openProcesses } from "../../jobs/support.ts";
import { callOf } from "../owner-calls.ts";

const BYTES = new TextEncoder().encode("ten bytes.");

/** Calls `work` once, with a context in which `change` commits before the first transaction of `work`. */
async function withChangeBefore<T>(ctx: Ctx, change: () => Promise<unknown>, work: (ctx: Ctx) => Promise<T>): Promise<T> {
  let isChanged = false;
  return await work({
    ...ctx,
    async transaction(run) {
      if (!isChanged) await change();
      isChanged = true;
      return await ctx.transaction(run);
    },
  });
}

async function setUp(ctx: Ctx, publish: { readonly maxDownloads?: number }) {
  const { id: userId } = await addUser(ctx, THIS_MACHINE, { email: "owner@example.org", name: "Owner" });
  const call = callOf(userId);
  const body = new Blob([BYTES]).stream();
  const file = await uploadStream(ctx, call, { name: "a.txt", type: "text/plain", sizeBytes: BYTES.length, body, publish });
  return {
    call,
    file,
    limit: (maxDownloads: number | null) => updateShareSettings(ctx, call, { fileId: file.id, maxDownloads }),
    open: (ctx: Ctx, url: string) =>
      openDownload(ctx, call, {
        fileId: file.id,
        query: new URL(url).searchParams,
        isPrefetch: false,
        select: () => ({ span: { start: 0, end: BYTES.length }, isBodyless: false }),
      }),
    count: async () =>
      (await ctx.db.selectFrom("files").select("download_count").where("id", "=", file.id).executeTakeFirstOrThrow()).download_count,
  };
}

/** sharing, "Changing a download limit" and "Protection". */
describe("a share whose limit or protection changes while a download is decided", () => {
  for (const [before, after] of [
    [undefined, 2],
    [1, 2],
    [2, null],
  ] as const) {
    test(`applies its new limit to the download (from ${before} to ${after})`, async () => {
      await using processes = await openProcesses();
      const [ctx] = processes.ctxs;
      const { call, file, limit, open, count } = await setUp(ctx, { maxDownloads: before });
      const { url } = await withChangeBefore(
        ctx,
        () => limit(after),
        (ctx) => authorizeDownload(ctx, call, { fileId: file.id }),
      );
      assert.equal(await count(), 1);
      assert.equal((await open(ctx, url)).isLimited, after !== null);
    });

    test(`applies its new limit to the archive (from ${before} to ${after})`, async () => {
      await using processes = await openProcesses();
      const [ctx] = processes.ctxs;
      const { call, file, limit, count } = await setUp(ctx, { maxDownloads: before });
      const { url } = await withChangeBefore(
        ctx,
        () => limit(after),
        (ctx) => authorizeArchive(ctx, call, { shortId: file.shortId }),
      );
      assert.equal(await count(), 1);
      assert.equal(new URL(url).searchParams.get("g") !== "", after !== null);
    });
  }

  test("refuses the download if the new limit is used up", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const { call, file, limit, count } = await setUp(ctx, {});
    const authorize = (ctx: Ctx) => authorizeDownload(ctx, call, { fileId: file.id });
    await authorize(ctx);
    await assert.rejects(
      withChangeBefore(ctx, () => limit(1), authorize),
      { code: "NOT_FOUND" },
    );
    assert.equal(await count(), 1);
  });

  test("refuses the uploader's URL, which was issued before, and counts nothing", async () => {
    for (const after of [5, null]) {
      await using processes = await openProcesses();
      const [ctx] = processes.ctxs;
      const { file, limit, open, count } = await setUp(ctx, { maxDownloads: 2 });
      await assert.rejects(
        withChangeBefore(
          ctx,
          () => limit(after),
          (ctx) => open(ctx, file.url),
        ),
        { code: "SIGNATURE_INVALID" },
      );
      assert.equal(await count(), 0);
    }
  });

  test("requires an unlock code if the share has become protected", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const { call, file, count } = await setUp(ctx, {});
    const protect = () => updateShareSettings(ctx, call, { fileId: file.id, protect: true });
    const decisions = [
      (ctx: Ctx) => authorizeDownload(ctx, call, { fileId: file.id }),
      (ctx: Ctx) => authorizeArchive(ctx, call, { shortId: file.shortId }),
    ];
    for (const decide of decisions) {
      await updateShareSettings(ctx, call, { fileId: file.id, protect: false });
      await assert.rejects(withChangeBefore(ctx, protect, decide), { code: "UNLOCK_REQUIRED" });
    }
    assert.equal(await count(), 0);
  });
});
