import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  askShare,
  assertRefused,
  authorize,
  call,
  clientOf,
  findInfo,
  getShare,
  type InputOf,
  signedUrl,
  type Upload,
} from "../support/api/api.ts";
import { cleanUp, eventsOf, findFile } from "../support/servers/server-context.ts";
import { withDatabase } from "../support/servers/state.ts";
import { type SettingsServer, settingsCalls, startSettingsServer } from "../support/shares/settings.ts";
import { authorizeWith, credentialsIn, unlock } from "../support/shares/shares.ts";
import { someBytes } from "../support/uploads/multipart.ts";

/** sharing, "Changing a download limit"; downloads, "Limited shares" and "Signed URLs". */
describe("a change of the download limit", () => {
  let server: SettingsServer;
  before(async () => {
    server = await startSettingsServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const { uploadAs, patch, patchAccepted } = settingsCalls(() => server);
  const change = (file: Upload, fields: Omit<InputOf<"updateShareSettings">, "fileId">) => patchAccepted("free", file, fields);
  const download = async (file: Upload, times = 1): Promise<void> => {
    for (let i = 0; i < times; i += 1) await signedUrl(server, file.id);
  };
  /** Downloads until the server refuses; resolves to how many succeeded. */
  const downloadsLeft = async (file: Upload): Promise<number> => {
    for (let count = 0; ; count += 1) {
      const response = await authorize(server, file.id);
      if (response.status === 200) continue;
      assertRefused(response, { status: 404, code: "NOT_FOUND" });
      return count;
    }
  };
  const archiveUrl = async ({ shortId }: Upload): Promise<string> => (await clientOf(server).call("authorizeArchive", { shortId })).url;
  const statusOf = async (url: string): Promise<number> => {
    const response = await fetch(url);
    await response.arrayBuffer();
    return response.status;
  };
  const eventTypesOf = async (file: Upload): Promise<string[]> => (await eventsOf(server, file.id)).map(({ type }) => type);

  test("counts the downloads since the upload", async () => {
    const file = await uploadAs("free");
    await download(file, 2);
    await change(file, { maxDownloads: 5 });
    assert.equal(await downloadsLeft(file), 3);
  });

  test("can raise, lower and clear the limit", async () => {
    const file = await uploadAs("free", { maxDownloads: "2" });
    await download(file);
    await change(file, { maxDownloads: 9 });
    await download(file, 3);
    await change(file, { maxDownloads: 6 });
    await download(file);
    await change(file, { maxDownloads: null });
    await download(file, 3);
    await change(file, { maxDownloads: 10 });
    assert.equal(await downloadsLeft(file), 2);
  });

  for (const maxDownloads of [2, 3]) {
    test(`ends the share if 3 downloads have used up the new limit of ${maxDownloads}, as the last download does`, async () => {
      const file = await uploadAs("free");
      await download(file, 3);
      await change(file, { maxDownloads });
      assertRefused(await authorize(server, file.id), { status: 404, code: "NOT_FOUND" });
      assertRefused(await askShare(server, file.shortId), { status: 404, code: "NOT_FOUND" });
      assert.match(await (await fetch(server.url + file.sharePath)).text(), /download/i);
      assert.equal((await findInfo(server, file.shortId))?.status_field, "expired");
      assert.deepEqual(await eventTypesOf(file), ["file.ready", ...Array<string>(3).fill("file.authorized"), "file.expired"]);
      assertRefused(await patch("free", file, { maxDownloads: null }), { status: 404, code: "NOT_FOUND" });
    });
  }

  test("keeps the bytes until the grants of counted downloads expire", async () => {
    const [limited, unlimited] = [await uploadAs("free", { maxDownloads: "9" }), await uploadAs("free")];
    for (const file of [limited, unlimited]) {
      await download(file);
      await change(file, { once: true });
    }
    const removeInMs = async (file: Upload): Promise<number> => ((await findFile(server, file.id))?.remove_at ?? 0) - Date.now();
    assert.ok((await removeInMs(limited)) > 3_000_000);
    assert.ok((await removeInMs(unlimited)) <= 0);
    await cleanUp(server);
    assert.deepEqual(
      [(await findFile(server, limited.id))?.blob_state, (await findFile(server, unlimited.id))?.blob_state],
      ["stored", "removed"],
    );
  });

  test("once is a limit of one download, also beside maxDownloads", async () => {
    for (const fields of [{ once: true }, { once: true, maxDownloads: 5 }, { once: true, maxDownloads: null }]) {
      const file = await uploadAs("free", { maxDownloads: "3" });
      await change(file, fields);
      assert.equal(await downloadsLeft(file), 1);
    }
  });

  test("once false clears a limit of once, and no other", async () => {
    const once = await uploadAs("free", { once: "true" });
    await change(once, { once: false });
    await download(once, 3);
    const limited = await uploadAs("free", { maxDownloads: "3" });
    await change(limited, { once: false });
    assert.equal(await downloadsLeft(limited), 3);
    const replaced = await uploadAs("free", { once: "true" });
    await change(replaced, { once: false, maxDownloads: 2 });
    assert.equal(await downloadsLeft(replaced), 2);
    const raised = await uploadAs("free", { once: "true" });
    await change(raised, { maxDownloads: 2 });
    await change(raised, { once: false });
    assert.equal(await downloadsLeft(raised), 2);
  });

  test("refuses wrong values and names the field", async () => {
    const file = await uploadAs("free");
    for (const fields of [{ maxDownloads: 0 }, { maxDownloads: -1 }, { maxDownloads: 1.5 }, { maxDownloads: "many" }, { once: "maybe" }]) {
      const response = await patch("free", file, fields);
      assertRefused(response, { status: 400, code: "VALIDATION_FAILED" });
      assert.equal(response.body.issues?.[0]?.path, Object.keys(fields)[0]);
    }
    await download(file, 2);
  });

  const changes: readonly (readonly [from: Record<string, string>, to: Omit<InputOf<"updateShareSettings">, "fileId">])[] = [
    [{}, { maxDownloads: 9 }],
    [{ maxDownloads: "8" }, { maxDownloads: 9 }],
    [{ maxDownloads: "9" }, { maxDownloads: 8 }],
    [{ maxDownloads: "9" }, { maxDownloads: null }],
  ];
  for (const [from, to] of changes) {
    test(`from ${JSON.stringify(from)} to ${JSON.stringify(to)} ends the signed URLs of files and archives`, async () => {
      const file = await uploadAs("free", from);
      const urls = async () => [await signedUrl(server, file.id), await archiveUrl(file)];
      const before = [file.url, ...(await urls())];
      await change(file, to);
      for (const url of before) assert.equal(await statusOf(url), 403, url);
      for (const url of await urls()) assert.equal(await statusOf(url), 200, url);
    });
  }

  test("to the limit that the share has ends nothing", async () => {
    const file = await uploadAs("free", { maxDownloads: "3" });
    const url = await signedUrl(server, file.id);
    await change(file, { maxDownloads: 3 });
    assert.equal(await statusOf(url), 200);
    const unlimited = await uploadAs("free");
    const again = await signedUrl(server, unlimited.id);
    await change(unlimited, { maxDownloads: null, once: false });
    assert.equal(await statusOf(again), 200);
  });

  test("keeps the credentials and the unlock tokens of a protected share", async () => {
    const file = await uploadAs("free", { protect: "true" });
    const { unlockCode, handoffToken } = credentialsIn(file);
    const { unlockToken } = await unlock(server, { fileId: file.id, unlockCode });
    const url = await signedUrl(server, file.id, { unlockToken });
    await change(file, { maxDownloads: 4 });
    assert.equal(await statusOf(url), 403);
    for (const credentials of [{ unlockCode }, { unlockToken }, { handoffToken }])
      assert.equal((await authorizeWith(server, file.id, credentials)).status, 200, JSON.stringify(credentials));
    assertRefused(await authorizeWith(server, file.id, { unlockToken }), { status: 404, code: "NOT_FOUND" });
  });

  test("lets a transfer that has started finish, and not resume", async () => {
    const bytes = someBytes(32 * 1024 ** 2);
    const headers = { Accept: "application/json" };
    const { body: uploaded } = await call<{ data: Upload }>(server, "PUT", "/a.bin", { key: server.free.key, headers, body: bytes });
    const file = uploaded.data;
    const url = await signedUrl(server, file.id);
    const { body } = await fetch(url);
    const reader = body?.getReader();
    const chunks = [(await reader?.read())?.value ?? new Uint8Array()];
    await change(file, { once: true });
    await cleanUp(server);
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) chunks.push(next.value);
    assert.ok(Buffer.concat(chunks).equals(bytes));
    assert.equal((await fetch(url, { headers: { Range: "bytes=1-" } })).status, 403);
  });

  test("applies to each file of a shipment, and ends files that have used it up", async () => {
    const join = { shareShortId: (await uploadAs("free", { openShare: "true" })).shortId };
    const [first, second] = [await uploadAs("free", join), await uploadAs("free", join)];
    await download(first, 2);
    const before = await archiveUrl(first);
    await change(second, { maxDownloads: 3 });
    assert.equal(await statusOf(before), 403);
    assert.equal((await findFile(server, first.id))?.status, "expired");
    assert.deepEqual((await getShare(server, first.shortId)).files?.length, 2);
    assert.equal(await statusOf(await archiveUrl(first)), 200);
    assert.equal(await downloadsLeft(second), 1);
    assert.deepEqual((await eventTypesOf(second)).filter((type) => type === "file.expired").length, 1);
  });

  test("by the shortId of a shipment closes it if all its files are used up", async () => {
    const first = await uploadAs("free", { openShare: "true" });
    const second = await uploadAs("free", { shareShortId: first.shortId });
    await archiveUrl(first);
    const { fileId } = (await clientOf(server, server.free).call("updateShareSettings", { shortId: first.shortId, maxDownloads: 1 })).data;
    assert.equal(fileId, first.shortId);
    for (const file of [first, second]) assert.equal((await findFile(server, file.id))?.status, "expired");
    assertRefused(await askShare(server, first.shortId), { status: 404, code: "NOT_FOUND" });
  });

  test("is refused for an immutable file if it allows fewer downloads", async () => {
    const file = await uploadAs("free", { maxDownloads: "5" });
    await change(file, { immutable: true });
    for (const fields of [{ maxDownloads: 4 }, { once: true }])
      assertRefused(await patch("free", file, fields), { status: 409, code: "IMMUTABLE" });
    for (const maxDownloads of [5, 6, null]) await change(file, { maxDownloads });
    assertRefused(await patch("free", file, { maxDownloads: 6 }), { status: 409, code: "IMMUTABLE" });
    await change(file, { immutable: false, maxDownloads: 4 });
  });

  test("during concurrent downloads counts each of them, and no URL from before it transfers", async () => {
    for (let round = 0; round < 5; round += 1) {
      const file = await uploadAs("free");
      const ask = () => authorize(server, file.id);
      const first = await Promise.all([
        ...Array.from({ length: 8 }, ask),
        change(file, { maxDownloads: 12 }),
        ...Array.from({ length: 16 }, ask),
      ]);
      const responses = [...first.filter((response) => "status" in response), ...(await Promise.all(Array.from({ length: 12 }, ask)))];
      const urls = responses.flatMap(({ status, body }) => (status === 200 ? [body.url ?? ""] : []));
      for (const response of responses) if (response.status !== 200) assertRefused(response, { status: 404, code: "NOT_FOUND" });
      const counted = await findFile(server, file.id);
      assert.deepEqual([counted?.download_count, counted?.status], [urls.length, "expired"]);
      const grants = await withDatabase(server, (db) =>
        db.selectFrom("download_grants").select("id").where("file_id", "=", file.id).execute(),
      );
      // More than 12 only if they were counted before the change, which then ended the share.
      assert.ok(urls.length === 12 || (urls.length > 12 && grants.length === 0), `${urls.length} downloads, ${grants.length} grants`);
      const statuses = await Promise.all(urls.map(statusOf));
      assert.equal(statuses.filter((status) => status === 200).length, grants.length);
      assert.equal(statuses.filter((status) => status === 403).length, urls.length - grants.length);
    }
  });

  test("during concurrent archives counts all files of each or none", async () => {
    for (let round = 0; round < 5; round += 1) {
      const first = await uploadAs("free", { openShare: "true" });
      const second = await uploadAs("free", { shareShortId: first.shortId });
      const ask = () => fetch(`${server.url}/api/files/share/${first.shortId}/archive`).then(({ status }) => status);
      const statuses = await Promise.all([
        ...Array.from({ length: 5 }, ask),
        change(first, { maxDownloads: 6 }),
        ...Array.from({ length: 10 }, ask),
      ]);
      const succeeded = statuses.filter((status) => status === 200).length;
      assert.deepEqual(statuses.filter((status) => status !== 200 && status !== 404).length, 1, JSON.stringify(statuses));
      const counts = [await findFile(server, first.id), await findFile(server, second.id)].map((file) => file?.download_count);
      assert.deepEqual(counts, [succeeded, succeeded]);
      assert.ok(succeeded >= 6);
    }
  });
});
