import assert from "node:assert/strict";
import { test } from "node:test";
import type { ShareAccess } from "../../web/share/share-page-props.ts";
import { renderSponsor, SPONSOR_PATH } from "../../web/share/sponsor.tsx";
import { aFile, aWait, folderOf, sharePage, UNLOCKED } from "./pages.ts";

const HANDOFF: ShareAccess = { kind: "unlocked", field: "handoffToken", token: "ho_abc" };
const READY = "ready=mftk0000.abc-_D";
const CARRIED = '<input type="hidden" name="ready" value="mftk0000.abc-_D"/>';
const BUTTONS = /<button class="button(?: small get)?" type="submit"[^>]*>/g;

const refreshOf = (html: string): string | undefined => /<noscript><meta http-equiv="refresh" content="([^"]*)"/.exec(html)?.[1];
const buttonsOf = (html: string): boolean[] => (html.match(BUTTONS) ?? []).map((button) => !button.includes(" disabled"));

test("the page disables every download during the wait, shows the wait, and refreshes at its end", () => {
  const one = sharePage({}, { wait: aWait(12) });
  assert.deepEqual(buttonsOf(one), [false]);
  assert.match(one, /aria-describedby="state wait"/);
  assert.match(one, /id="wait">You can download in <span data-seconds>12\sseconds<\/span>\.</);
  assert.match(one, /data-say="Scanned: no malware found\. You can download in 12\sseconds\."/);
  assert.match(one, / data-wait="12"/);
  assert.equal(refreshOf(one), `12; url=/d/7kXq9Zab?${READY}`);
  assert.ok(one.includes(CARRIED));
  const files = sharePage({}, { wait: aWait(1), files: folderOf(3) });
  assert.deepEqual(buttonsOf(files), [false, false, false, false, false]);
  assert.match(files, /data-say="[^"]* You can download in 1\ssecond\."/);
  assert.equal(files.split(CARRIED).length, 3, "in the form of the downloads and of the list");
});

test("the page does not announce the countdown", () => {
  const html = sharePage({}, { wait: aWait(12) });
  const note = html.slice(html.indexOf('id="wait"') - 40, html.indexOf("</main>"));
  assert.doesNotMatch(note, /aria-live|role="(?:status|alert)"/);
});

test("the page enables downloads after the wait, and sends its token with the forms", () => {
  const html = sharePage({}, { wait: aWait(0) });
  assert.deepEqual(buttonsOf(html), [true]);
  assert.doesNotMatch(html, /data-wait|id="wait"|state wait/);
  assert.equal(refreshOf(html), undefined);
  assert.ok(html.includes(CARRIED));
  assert.match(html, new RegExp(`data-refresh-url="/d/7kXq9Zab\\?${READY}"`));
});

test("a private link refreshes by its URL, and an unlocked page by a form with both tokens", () => {
  assert.equal(refreshOf(sharePage({}, { wait: aWait(5), access: HANDOFF })), `5; url=/h/ho_abc?${READY}`);
  const html = sharePage({}, { wait: aWait(5), access: UNLOCKED });
  assert.equal(refreshOf(html), undefined);
  assert.doesNotMatch(html, /data-refresh-url/);
  const again = /<form class="again".*?<\/form>/s.exec(html)?.[0] ?? "";
  assert.ok(again.includes(CARRIED) && again.includes('name="unlockToken"'), again);
});

test("a locked page starts the wait without showing it", () => {
  const html = sharePage({}, { wait: aWait(5), access: { kind: "locked" } });
  assert.doesNotMatch(html, /You can download in|data-wait/);
  assert.ok(html.includes(CARRIED));
  assert.equal(refreshOf(html), undefined);
});

test("the page shows the scan instead of the wait while no file can be downloaded", () => {
  const scanning = sharePage({ scanStatus: "scanning", scanCoverage: null }, { wait: aWait(5) });
  assert.doesNotMatch(scanning, /You can download in|data-wait/);
  assert.equal(refreshOf(scanning), `15; url=/d/7kXq9Zab?${READY}`);
  const blocked = sharePage({ scanStatus: "unavailable", scanReason: "infected" }, { wait: aWait(5) });
  assert.doesNotMatch(blocked, /You can download in/);
  assert.doesNotMatch(sharePage({ downloadsLeft: 0 }, { wait: aWait(5) }), /You can download in/);
  const some = [aFile(), aFile({ id: "b", scanStatus: "pending", scanCoverage: null })];
  const mixed = sharePage({}, { files: some, wait: aWait(40) });
  assert.match(mixed, /You can download in.* data-seconds>40\sseconds/);
  assert.equal(refreshOf(mixed), `15; url=/d/7kXq9Zab?${READY}`);
});

test("a sponsor is in a named frame with a sandbox, and a page without a sponsor has no frame", () => {
  const html = sharePage({}, { sponsored: true });
  const aside = /<\/main><aside [^>]*aria-labelledby="sponsor">(.*?)<\/aside>/s.exec(html)?.[1] ?? "";
  assert.match(aside, /<p class="quiet" id="sponsor">From this server’s sponsor<\/p>/);
  const frame = /<iframe [^>]*>/.exec(aside)?.[0] ?? "";
  assert.ok(frame.includes(`src="${SPONSOR_PATH}"`) && frame.includes('title="From this server’s sponsor"'), frame);
  assert.equal(/ sandbox="([^"]*)"/.exec(frame)?.[1], "allow-popups allow-popups-to-escape-sandbox");
  assert.doesNotMatch(sharePage(), /iframe|sponsor/);
});

test("the sponsor's fragment is unchanged, and its links open in new windows", () => {
  const html = renderSponsor("<p onclick=x>Größe & more");
  assert.match(html, /^<!doctype html><html lang="en">.*<meta name="color-scheme" content="light dark">/);
  assert.match(html, /<base target="_blank">/);
  assert.ok(html.includes("<body><p onclick=x>Größe & more</body>"));
});
