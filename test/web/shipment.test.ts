import assert from "node:assert/strict";
import { test } from "node:test";
import type { ShareFile } from "../../web/share-view.ts";
import { aFile, folderOf, sharePage, UNLOCKED } from "./pages.ts";

const WAITING: Partial<ShareFile> = { scanStatus: "pending", scanCoverage: null };
const INFECTED: Partial<ShareFile> = { scanStatus: "unavailable", scanReason: "infected" };

const shipment = (files: readonly ShareFile[], more: Parameters<typeof sharePage>[1] = {}) =>
  sharePage({}, { name: "Trip", files, ...more });
const row = (html: string, id: string) => html.match(/<li>.*?<\/li>/gs)?.find((item) => item.includes(`"state-${id}"`)) ?? "";

test("shows each file with size, state and download, and all as one ZIP", () => {
  const html = shipment([
    aFile({ sizeBytes: 2048 }),
    aFile({ id: "b2", name: "Map.pdf", sizeBytes: 1024, ...WAITING }),
    aFile({ id: "c3", name: "Bad.exe", sizeBytes: 512, ...INFECTED }),
  ]);
  assert.match(html, /<h1 class="name"><bdi>Trip<\/bdi><\/h1>/);
  assert.match(html, /3 files, 3\.5 KB, expires in 3 days/);
  assert.match(
    row(html, "aaaa1111bbbb2222"),
    /2 KB · <span class="word">Scanned<\/span>.*<button [^>]*name="fileId" value="aaaa1111bbbb2222"/s,
  );
  assert.match(row(html, "b2"), /class="word wait">Scanning….*<button [^>]*disabled/s);
  assert.match(row(html, "c3"), /class="word bad">Blocked: malware/);
  assert.doesNotMatch(row(html, "c3"), /<button/);
  assert.match(html, /<form [^>]*method="post" action="\/d\/7kXq9Zab\/download"/);
  assert.match(html, /formaction="\/d\/7kXq9Zab\/archive"[^>]*>.*Download 1 of 3 files <span class="aside">ZIP, 2 KB/s);
  assert.match(html, /data-say="1 of 3 files ready\."/);
  assert.match(html, /1 still uploading or being scanned for malware, 1 blocked/);
  assert.match(html, /data-refresh/);
});

test("shows the common state of all files once", () => {
  const both = (file: Partial<ShareFile>) => shipment([aFile(file), aFile({ ...file, id: "b2" })]);
  assert.match(both({}), /All 2 files scanned, no malware found.*Download all <span class="aside">ZIP, 6\.5 MB/s);
  assert.match(both({ scanCoverage: "windowed" }), /2 of them in parts/);
  assert.match(both({ scanCoverage: "none" }), /Not scanned for malware.*Only open them if/s);
  assert.match(shipment([aFile(), aFile({ id: "b2", ...INFECTED })]), /1 of 2 files blocked/);
  assert.match(both(WAITING), /0 of 2 files ready.*<button [^>]*formaction="[^"]*" disabled/s);
  assert.match(both({ sizeBytes: null, uploading: true, ...WAITING }), /<p class="quiet">2 files, expires/);
});

test("shows equal limits once, different limits with each file", () => {
  const limited = [aFile({ downloadsLeft: 2 }), aFile({ id: "b2", downloadsLeft: 1 })];
  const html = shipment(limited);
  assert.match(html, /Downloads of each file are limited\. The ZIP counts as one download of each\./);
  assert.match(html, /data-download="limited"/);
  assert.match(row(html, "b2"), /1 download left/);
  assert.match(shipment(limited, { once: true }), /One download only for each file/);
});

test("groups files by folder and shows names without the folder", () => {
  const html = shipment(folderOf(6));
  const order = ["IMG_0", "IMG_1", "Trip / 2025", "IMG_2", "IMG_4", "Trip / 2026", "IMG_3", "IMG_5"].map((text) =>
    html.indexOf(`<bdi>${text}<`),
  );
  assert.ok(order.every((at) => at > 0));
  assert.deepEqual(
    order,
    order.toSorted((a, b) => a - b),
  );
  assert.match(html, /9f86d0[0-9a-f]+ {2}Trip\/2026\/IMG_3\.jpg/);
  const hostile = shipment([aFile({ relativePath: `<img src=x>\u202e/"><b>/x.txt` })]);
  assert.doesNotMatch(hostile, /<img|<b>|\u202e/);
});

test("shows the files of a protected shipment without downloads until it is unlocked", () => {
  const locked = shipment([aFile(), aFile({ id: "b2" })], { access: { kind: "locked" } });
  assert.equal(locked.split("</main>")[0]?.match(/<li>/g)?.length, 2);
  assert.doesNotMatch(locked, /name="fileId"|\/archive/);
  const unlocked = shipment([aFile(), aFile({ id: "b2" })], { access: UNLOCKED });
  assert.equal(unlocked.match(/name="unlockToken" value="ul_abc\.def"/g)?.length, 1);
  assert.match(unlocked, /\/archive/);
});

test("renders a thousand files in less than 1 MB", () => {
  const html = shipment(folderOf(1000));
  assert.ok(html.length < 1024 ** 2, `${html.length} characters`);
  assert.match(html, /data-state="scanned\*1000"/);
});
