import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { assertRefused, call, type Upload, type UploadForm, upload } from "../support/api/api.ts";
import { uploadProtected } from "../support/pages/pages.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";

interface Text {
  readonly id: string;
  readonly name: string;
  readonly contentType: string;
  readonly text: string;
}

/** previews, "Texts". */
describe("the texts of a share", () => {
  let server: ServerWith<"owner">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: {} });
  });
  after(() => server[Symbol.asyncDispose]());

  const NOTES: UploadForm = { name: "notes.txt", type: "text/plain", bytes: "Room 12 at nine." };
  const textsOf = async (
    { shortId }: Pick<Upload, "shortId">,
    options: { key?: string; query?: string } = {},
  ): Promise<readonly Text[]> => {
    const { query = "", ...rest } = options;
    const { status, body } = await call(server, "GET", `/api/files/share/${shortId}/text${query}`, rest);
    assert.equal(status, 200, JSON.stringify(body));
    return body.data as unknown as Text[];
  };
  const uploadOwned = (form: UploadForm) => upload(server, form, { key: server.owner.key });

  test("contain small text and Markdown files, and count as no download", async () => {
    const file = await uploadOwned(NOTES);
    assert.deepEqual(await textsOf(file), [{ id: file.id, name: "notes.txt", contentType: "text/plain", text: "Room 12 at nine." }]);
    const [escaped] = await textsOf(await uploadOwned({ ...NOTES, bytes: "a\u001b[2Jb\u202e" }));
    assert.equal(escaped?.text, "a␛[2Jb[U+202E]");
    for (const form of [
      { ...NOTES, bytes: "x".repeat(65_537) },
      { name: "a.bin", bytes: Uint8Array.of(0, 1, 2) },
    ])
      assert.deepEqual(await textsOf(await uploadOwned(form)), []);
    const rows = await withDatabase(server, (db) => db.selectFrom("files").select("download_count").execute());
    assert.ok(rows.every(({ download_count }) => download_count === 0));
  });

  test("have 64 KB together for a shipment", async () => {
    const open = await uploadOwned({ ...NOTES, fields: { openShare: "true" } });
    const fields = { shareShortId: open.shortId };
    await uploadOwned({ ...NOTES, name: "large.md", bytes: "x".repeat(65_530), fields });
    await uploadOwned({ ...NOTES, name: "small.md", bytes: "small", fields });
    assert.deepEqual(
      (await textsOf(open)).map(({ name }) => name),
      ["notes.txt", "small.md"],
    );
  });

  test("are missing for a limited, priced, blocked or unscanned file", async () => {
    const limits: readonly Record<string, string>[] = [{ once: "true" }, { maxDownloads: "5" }];
    for (const fields of limits) assert.deepEqual(await textsOf(await uploadOwned({ ...NOTES, fields })), []);
    const change = async (table: "files" | "shares", set: object): Promise<readonly Text[]> => {
      const file = await uploadOwned(NOTES);
      await withDatabase(server, (db) => db.updateTable(table).set(set).where("short_id", "=", file.shortId).execute());
      return await textsOf(file);
    };
    assert.deepEqual(await change("shares", { price_cents: 500 }), []);
    assert.deepEqual(await change("files", { scan_status: "pending" }), []);
    assert.deepEqual(await change("files", { scan_status: "unavailable", scan_reason: "infected" }), []);
  });

  test("are shown for a protected share to its owner, and to callers who have unlocked it", async () => {
    const file = await uploadProtected(server, NOTES, { key: server.owner.key });
    assert.deepEqual(await textsOf(file), []);
    assert.equal((await textsOf(file, { key: server.owner.key })).length, 1);
    const json = { shortId: file.shortId, unlockCode: file.unlockCode };
    const { body } = await call(server, "POST", "/api/downloads/unlock", { json });
    assert.equal((await textsOf(file, { query: `?unlockToken=${String(body.unlockToken)}` })).length, 1);
    assert.deepEqual(await textsOf(file, { query: "?unlockToken=ul_x.y" }), []);
  });

  test("are 404 for an unknown, expired or private share", async () => {
    const expired = await uploadOwned(NOTES);
    const hidden = await uploadOwned(NOTES);
    const set = (shortId: string, values: object) =>
      withDatabase(server, (db) => db.updateTable("shares").set(values).where("short_id", "=", shortId).execute());
    await set(expired.shortId, { expires_at: 1 });
    await set(hidden.shortId, { is_private: 1 });
    for (const shortId of [expired.shortId, hidden.shortId, "unknown1"])
      assertRefused(await call(server, "GET", `/api/files/share/${shortId}/text`), { status: 404, code: "NOT_FOUND" });
    assert.equal((await textsOf(hidden, { key: server.owner.key })).length, 1);
  });

  test("are shown only to the owner if the page makes recipients wait", async () => {
    await using waiting = await withAccounts(startPlainServer({ FILEHOST_DOWNLOAD_WAIT: "5" }), { owner: {} });
    const { shortId } = await upload(waiting, NOTES, { key: waiting.owner.key });
    const count = async (key?: string): Promise<number> =>
      (
        (await call(waiting, "GET", `/api/files/share/${shortId}/text`, { ...(key !== undefined && { key }) })).body
          .data as unknown as Text[]
      ).length;
    assert.equal(await count(), 0);
    assert.equal(await count(waiting.owner.key), 1);
  });
});
