import assert from "node:assert/strict";
import { test } from "node:test";
import { arrangeFiles, type ListRequest, readListRequest, toListQuery, WHOLE_SHIPMENT } from "../../web/share/file-listing.ts";

const filesOf = (paths: readonly string[]) =>
  paths.map((path, index) => ({
    id: `f${index}`,
    name: path.split("/").at(-1) || "unnamed",
    relativePath: path,
    sizeBytes: index,
    createdAtMs: index,
    contentType: "text/plain",
  }));
const list = (paths: readonly string[], request: Partial<ListRequest> = {}) =>
  arrangeFiles(filesOf(paths), { ...WHOLE_SHIPMENT, ...request });
const labels = (listing: ReturnType<typeof list>) => [
  ...listing.folders.map(({ name }) => `${name}/`),
  ...listing.files.map(({ label }) => label),
];

/** pages, "A list of many files". */
test("a list has folders before files, in natural order", () => {
  assert.deepEqual(labels(list(["b/10.txt", "b/9.txt", "z10", "a/c.txt", "z9", "b/1.txt"])), ["a/", "b/", "z9", "z10"]);
  const [, folder] = list(["x", "b/10.txt", "b/9.txt", "a/1"]).folders;
  assert.deepEqual(
    folder?.contents?.files.map(({ label }) => label),
    ["9.txt", "10.txt"],
  );
});

test("a folder that contains only a folder is shown together with it, and the list starts in the folder that contains everything", () => {
  assert.deepEqual(labels(list(["a/b/c/1", "a/b/c/2", "x"])), ["a/b/c/", "x"]);
  const below = list(["Trip/2025/1", "Trip/2026/2"]);
  assert.deepEqual([below.root, below.folder, ...labels(below)], ["Trip", "Trip", "2025/", "2026/"]);
});

test("a search finds names in all folders, regardless of case, accents and invisible characters", () => {
  const paths = ["Größe/ÉTÉ.txt", "b/no.txt", "ete\u200b2"];
  assert.deepEqual(labels(list(paths, { search: " été" })), ["ete\u200b2", "Größe/ÉTÉ.txt"]);
  assert.deepEqual(labels(list(paths, { search: "grosse" })), []);
});

test("a list is sorted by size and by time, the largest and newest first", () => {
  for (const sort of ["size", "newest"] as const) assert.deepEqual(labels(list(["a", "b", "c"], { sort })), ["c", "b", "a"]);
});

test("a page has 100 entries, folders first", () => {
  const paths = [...Array.from({ length: 150 }, (_, index) => `d${index}/x`), ...Array.from({ length: 70 }, (_, index) => `f${index}`)];
  assert.deepEqual(
    [1, 2, 3].map((page) => labels(list(paths, { page })).length),
    [100, 100, 20],
  );
  assert.deepEqual([list(paths, { page: 2 }).folders.length, list(paths, { page: 99 }).page, list(paths).pageCount], [50, 3, 3]);
});

test("unusual paths and an unknown folder are accepted", () => {
  assert.deepEqual(labels(list(["/a", "b/", "//"])), ["b/", "a", "unnamed"]);
  assert.deepEqual(labels(list(["a", "b"], { folder: "../etc" })), ["a", "b"]);
  assert.deepEqual(labels(arrangeFiles([], WHOLE_SHIPMENT)), []);
});

test("the written query is read again, and unknown values are ignored", () => {
  const request: ListRequest = { folder: "a & b/ü", search: "x=1", sort: "size", view: "grid", page: 3 };
  assert.deepEqual(readListRequest(new URLSearchParams(toListQuery(request))), request);
  assert.deepEqual(readListRequest(new URLSearchParams({ go: toListQuery(request), q: "other" })), request);
  assert.equal(readListRequest(new URLSearchParams("folder=/a//b/")).folder, "a/b");
  assert.deepEqual(readListRequest(new URLSearchParams("sort=x&view=y&page=-1")), WHOLE_SHIPMENT);
  assert.equal(toListQuery(WHOLE_SHIPMENT), "");
});

test("a list is a grid if more than half of two or more files are images, unless a view is chosen", () => {
  const view = (images: number, others: number, request: Partial<ListRequest> = {}) => {
    const files = filesOf(Array.from({ length: images + others }, (_, index) => `f${index}`));
    const typed = files.map((file, index) => (index < images ? { ...file, contentType: "image/jpeg" } : file));
    return arrangeFiles(typed, { ...WHOLE_SHIPMENT, ...request }).shownView;
  };
  assert.deepEqual([view(3, 1), view(2, 0), view(2, 1), view(2, 2), view(1, 0)], ["grid", "grid", "grid", "list", "list"]);
  assert.deepEqual([view(4, 0, { view: "list" }), view(0, 4, { view: "grid" })], ["list", "grid"]);
});
