import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseByIds, decodeSelection, encodeSelection } from "../../../src/service/downloads/archive-selection.ts";

const SIGNED_MS = 1000;
const fileOf = (id: string, over: Partial<Parameters<typeof encodeSelection>[0][number]> = {}) => ({
  id,
  name: `${id}.txt`,
  relative_path: null as string | null,
  created_at: 1,
  status: "active" as "active" | "deleted",
  ended_at: null as number | null,
  ...over,
});
const FILES = Array.from({ length: 20 }, (_, index) => fileOf(`f${index}`));
const idsOf = (files: readonly { readonly id: string }[]) => files.map(({ id }) => id);

/** downloads, "Archives". */
test("chooses files by ID and by folder, in whole segments", () => {
  const files = [fileOf("a"), { ...fileOf("b"), relative_path: "Trip/b" }, { ...fileOf("c"), relative_path: "Trips/c" }];
  assert.deepEqual(idsOf(chooseByIds(files, {})), ["a", "b", "c"]);
  assert.deepEqual(idsOf(chooseByIds(files, { folder: "Trip" })), ["b"]);
  assert.deepEqual(idsOf(chooseByIds(files, { folder: "Trip", fileIds: "c, a" })), ["a", "b", "c"]);
  assert.throws(() => chooseByIds(files, { fileIds: "unknown" }), { code: "NOT_FOUND" });
});

test("a selection finds the chosen files again, also if others have been added and some have ended", () => {
  const chosen = [FILES[0], FILES[7], FILES[19]].filter((file) => file !== undefined);
  const selection = encodeSelection(FILES, chosen, SIGNED_MS);
  const later = [
    ...FILES.map((file) =>
      file.id === "f3" || file.id === "f7" ? { ...file, status: "deleted" as const, ended_at: SIGNED_MS + 1 } : file,
    ),
    fileOf("new", { created_at: SIGNED_MS + 1 }),
  ];
  assert.deepEqual([...decodeSelection(later, selection, SIGNED_MS)], ["f0", "f7", "f19"]);
});

test("a selection finds nothing rather than other files if the list cannot be matched", () => {
  const selection = encodeSelection(FILES, FILES.slice(2, 4), SIGNED_MS);
  assert.deepEqual([...decodeSelection([fileOf("joined"), ...FILES], selection, SIGNED_MS)], []);
  assert.deepEqual([...decodeSelection(FILES, "AAAA.x", SIGNED_MS)], []);
});

test("a selection is short for 10,000 files", () => {
  const many = Array.from({ length: 10_000 }, (_, index) => fileOf(`f${index}`));
  assert.ok(encodeSelection(many, many, SIGNED_MS).length < 1700);
});
