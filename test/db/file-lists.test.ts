import assert from "node:assert/strict";
import { toNameKeys } from "../../src/lib/text/file-name.ts";
import { countFiles, FILE_SORTS, listFilePage, listMatchingIds } from "../../src/service/files/listing-queries.ts";
import { readSendableFiles } from "../../src/service/recipients/send-rules.ts";
import { findShareNames } from "../../src/service/share-names.ts";
import { summarizeFiles } from "../../src/service/shares/share-list-queries.ts";
import { testEach } from "./engines.ts";

const OWNER = "owner";

/** listing, "Files". */
testEach("files are sorted and searched by indexes, from each end, on every engine", async (make) => {
  await using database = await make();
  const { db } = database;
  const times = { created_at: 1, updated_at: 1 };
  await db
    .insertInto("users")
    .values({ id: OWNER, name: "A person", email: "a@example.org", ...times })
    .execute();
  const names = ["Scan 10.pdf", "scan 2.pdf", "Ärger.txt", "ähnlich.txt", "Zoo.txt"];
  for (const [index, name] of names.entries()) {
    const id = `f${index}`;
    await db.insertInto("shares").values({ short_id: id, kind: "file", owner_id: OWNER, name, created_at: index }).execute();
    await db
      .insertInto("files")
      .values({
        ...{ id, short_id: id, owner_id: OWNER, quota_owner: OWNER, name, ...toNameKeys(name), size_bytes: 10 - index },
        ...{ content_type: "text/plain", blob_key: id, blob_state: "stored", created_at: index },
        scan_status: index === 4 ? "pending" : "clean",
      })
      .execute();
  }
  const filter = { ownerId: OWNER, folderId: null };
  const list = async (order: { sort: (typeof FILE_SORTS)[number]; isAscending: boolean }, words?: readonly string[]): Promise<string[]> => {
    const found = { ...filter, ...(words && { words }) };
    const total = await countFiles(db, found);
    const pages = await Promise.all(
      Array.from({ length: total }, (_, offset) => listFilePage(db, found, { ...order, offset, limit: 1, total })),
    );
    return pages.flat().map(({ file }) => file.name);
  };
  const byName = ["ähnlich.txt", "Ärger.txt", "scan 2.pdf", "Scan 10.pdf", "Zoo.txt"];
  assert.deepEqual(await list({ sort: "name", isAscending: true }), byName);
  assert.deepEqual(await list({ sort: "size", isAscending: false }), names);
  assert.deepEqual(await list({ sort: "created", isAscending: false }), names.toReversed());
  assert.equal((await list({ sort: "state", isAscending: true }))[0], "Zoo.txt");
  assert.deepEqual(await list({ sort: "name", isAscending: true }, ["scan", "pdf"]), ["scan 2.pdf", "Scan 10.pdf"]);
  for (const sort of FILE_SORTS) {
    assert.deepEqual(await list({ sort, isAscending: true }), (await list({ sort, isAscending: false })).toReversed(), sort);
  }
  assert.deepEqual(await listMatchingIds(db, filter, 2), ["f3", "f2"]);
});

/** listing, "Shares". */
testEach("a share of several files is named by the first one in natural order, not by the first one that arrived", async (make) => {
  await using database = await make();
  const { db } = database;
  await db.insertInto("shares").values({ short_id: "s", kind: "shipment", name: "", created_at: 1 }).execute();
  for (const [index, name] of ["IMG_10.jpg", "IMG_9.jpg", "img_2.jpg", "IMG_2.jpg", "IMG_11.jpg", "IMG_1.jpg"].entries()) {
    const id = `f${index}`;
    await db
      .insertInto("files")
      .values({
        ...{ id, short_id: "s", quota_owner: "x", name, ...toNameKeys(name), size_bytes: 1 },
        content_type: name === "IMG_2.jpg" ? "image/jpeg" : "image/png",
        ...{ blob_key: id, blob_state: "stored", created_at: index, scan_status: "clean" },
        status: name === "IMG_1.jpg" ? "deleted" : "active",
        download_count: name === "IMG_11.jpg" ? 3 : 0,
      })
      .execute();
  }
  const summary = (await summarizeFiles(db, ["s"])).get("s");
  assert.deepEqual([summary?.name, summary?.content_type, summary?.downloads], ["IMG_2.jpg", "image/jpeg", 3]);
  assert.equal((await findShareNames(db, ["s"])).get("s")?.name, "IMG_2.jpg");
  assert.equal((await readSendableFiles(db, "s")).name, "IMG_2.jpg");
});
