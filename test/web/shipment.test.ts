import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliCompressSync, constants } from "node:zlib";
import type { ShareFile } from "../../web/share/share-page-props.ts";
import { aFile, folderOf, sharePage, thousands, UNLOCKED } from "./pages.ts";

const WAITING: Partial<ShareFile> = { scanStatus: "pending", scanCoverage: null };
const INFECTED: Partial<ShareFile> = { scanStatus: "unavailable", scanReason: "infected" };

const shipment = (files: readonly ShareFile[], more: Parameters<typeof sharePage>[1] = {}) =>
  sharePage({}, { title: "Trip", files, ...more });
const row = (html: string, id: string) => html.match(/<li[ >].*?<\/li>/gs)?.find((item) => item.includes(`"n-${id}"`)) ?? "";

test("the page shows each file with size, state and download, and all as one ZIP", () => {
  const html = shipment([
    aFile({ sizeBytes: 2048 }),
    aFile({ id: "b2", name: "Map.pdf", sizeBytes: 1024, ...WAITING }),
    aFile({ id: "c3", name: "Bad.exe", sizeBytes: 512, ...INFECTED }),
  ]);
  assert.match(html, /<h1 class="name"><bdi>Trip<\/bdi><\/h1>/);
  assert.match(html, /3\sfiles · 3\.5\sKB · <span class="unbroken">expires in 3\sdays/);
  assert.match(row(html, "aaaa1111bbbb2222"), /2\sKB<\/p>.*<button [^>]*name="fileId" value="aaaa1111bbbb2222"/s);
  assert.match(row(html, "b2"), /class="word wait">Scanning….*<button [^>]*disabled/s);
  assert.match(row(html, "c3"), /class="word bad">Blocked: malware/);
  assert.doesNotMatch(row(html, "c3"), /<button/);
  assert.match(html, /<form [^>]*method="post" action="\/d\/7kXq9Zab\/download"/);
  assert.match(html, /formaction="\/d\/7kXq9Zab\/archive"[^>]*>.*Download 1 of 3\sfiles <span class="aside">ZIP, 2\sKB/s);
  assert.match(html, /data-say="1 of 3\sfiles ready\."/);
  assert.match(html, /1 still uploading or being scanned, 1 blocked/);
  assert.match(html, /data-refresh/);
});

test("the page shows the common state of all files once", () => {
  const both = (file: Partial<ShareFile>) => shipment([aFile(file), aFile({ ...file, id: "b2" })]);
  assert.match(both({}), /Download all <span class="aside">ZIP, 6\.5\sMB.*All 2\sfiles scanned, no malware found/s);
  assert.match(both({ scanCoverage: "windowed" }), /2 of them in parts/);
  const unscanned = both({ scanCoverage: "none" });
  assert.match(unscanned, /Not scanned for malware.*Only open these files if/s);
  assert.equal(unscanned.match(/not scanned/gi)?.length, 2, "in the page and its announcement");
  assert.match(shipment([aFile(), aFile({ id: "b2", ...INFECTED })]), /1 of 2\sfiles blocked/);
  assert.match(both(WAITING), /<button [^>]*formaction="[^"]*"[^>]* disabled.*0 of 2\sfiles ready/s);
  assert.match(
    both({ sizeBytes: null, uploading: true, ...WAITING }),
    /<p class="quiet facts-line">2\sfiles · <span class="unbroken">expires/,
  );
});

test("the page says which files were not scanned if others were", () => {
  const html = shipment([aFile(), aFile({ id: "b2", scanCoverage: "none" })]);
  assert.match(html, /1\sfile not scanned for malware/);
  assert.match(row(html, "b2"), /Not scanned/);
  assert.doesNotMatch(row(html, "aaaa1111bbbb2222"), /scanned/i);
});

test("the page shows equal limits once, different limits with each file", () => {
  const limited = [aFile({ downloadsLeft: 2 }), aFile({ id: "b2", downloadsLeft: 1 })];
  const html = shipment(limited);
  assert.match(html, /Downloads of each file are limited\. The ZIP counts as one download of each\./);
  assert.match(html, /data-download="limited"/);
  assert.match(row(html, "b2"), /1\sdownload left/);
  assert.match(shipment(limited, { once: true }), /One download only for each file/);
});

test("the page shows folders before files, and names without the folder", () => {
  const html = shipment(folderOf(6));
  const order = ["Trip", "2025", "IMG_2", "IMG_4", "2026", "IMG_3", "IMG_5", "IMG_0", "IMG_1"].map((text) =>
    html.lastIndexOf(`<bdi>${text}<`),
  );
  assert.ok(order.every((at) => at > 0));
  assert.deepEqual(
    order,
    order.toSorted((a, b) => a - b),
  );
  assert.match(html, /9f86d0[0-9a-f]+ {2}<\/span><bdi>Trip\/2026\/IMG_3\.jpg/);
  const hostile = shipment([aFile({ relativePath: `<img src=x>\u202e/"><b>/x.txt` }), aFile({ id: "b2" })]);
  // Values that the form sends back are not shown.
  assert.doesNotMatch(hostile.replaceAll(/ (?:value|data-folder|href)="[^"]*"/g, ""), /<img|<b>|\u202e/);
  assert.doesNotMatch(hostile, /<img|<b>/);
});

test("the page shows only number and size of a protected shipment until it is unlocked", () => {
  const files = [aFile(), aFile({ id: "b2", relativePath: "Secret folder/x.txt" })];
  const locked = shipment(files, { access: { kind: "locked" } });
  assert.match(locked, /<bdi>Protected files<\/bdi>.*2\sfiles · 6\.5\sMB/s);
  assert.doesNotMatch(locked, /<li class|Harbour|Secret|Trip|name="fileId"|\/archive|og:/);
  const lockedOne = shipment([aFile()], { access: { kind: "locked" } });
  assert.match(lockedOne, /<bdi>Protected file<\/bdi>.*1\sfile · 3\.3\sMB.*Report this file/s);
  assert.doesNotMatch(lockedOne, /Harbour|JPEG|JPG|Not scanned|no malware/);
  const unlocked = shipment(files, { access: UNLOCKED });
  assert.match(unlocked, /name="unlockToken" value="ul_abc\.def".*\/archive/s);
});

test("the page of a shipment with one file looks like the page of the file", () => {
  const html = shipment([aFile()], { title: null });
  assert.match(html, /<h1 class="name"><bdi>Harbour at dusk<\/bdi>/);
  assert.doesNotMatch(html, /archive|<li class/);
});

test("the page says that an empty shipment waits for its first file", () => {
  const html = shipment([], { title: null });
  assert.match(html, /<bdi>Waiting for the first file<\/bdi>.*This page updates automatically/s);
  assert.match(html, /data-refresh/);
  assert.doesNotMatch(html, /\/archive|NaN/);
});

test("the page shows folders of a large shipment closed, with number and size, and pages of its files", () => {
  const html = thousands();
  assert.match(html, /<details data-folder="Trip"><summary>.*1,998\sfiles · 6\.3\sGB.*<a class="go" href="\/d\/7kXq9Zab\?folder=Trip"/s);
  assert.match(html, /data-state="scanned\*2000"/);
  const folder = thousands({ folder: "Trip/2025" });
  assert.equal(folder.match(/name="fileId"/g)?.length, 100);
  assert.match(folder, /Page 1 of 10.*href="\/d\/7kXq9Zab\?folder=Trip%2F2025&amp;page=2"/s);
  assert.match(folder, /<nav class="path".*>All files<.*>Trip<.*aria-current="location">2025</s);
  const found = thousands({ search: "img_199" });
  assert.match(found, /11\sfiles found\..*Trip\/2026\/IMG_199/s);
});

test("an unlocked page leads to other parts of the list by forms with the token", () => {
  const html = thousands({}, { access: UNLOCKED });
  assert.match(html, /<form id="go" method="post" action="\/d\/7kXq9Zab\/unlock" hidden><input type="hidden" name="unlockToken"/);
  assert.match(html, /<button class="go" type="submit" form="go" name="go" value="folder=Trip"/);
  assert.doesNotMatch(html, /href="\/d\//);
});

test("the first view of 2,000 files has less than 60 KB, and the page of one file less than 30 KB", () => {
  const compressed = (html: string) => brotliCompressSync(html, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }).length;
  for (const html of [
    thousands(),
    thousands({ folder: "Trip/2025" }),
    thousands({ search: "img" }),
    thousands({ folder: "Trip/2025", view: "grid" }),
  ]) {
    assert.ok(compressed(html) < 15 * 1024, `${compressed(html)} bytes`);
  }
  assert.ok(compressed(sharePage()) < 8 * 1024, `${compressed(sharePage())} bytes`);
});
