import assert from "node:assert/strict";
import { test } from "node:test";
import { renderSharePage } from "../../web/share/share-page.tsx";
import type { ShareFile, SharePageProps } from "../../web/share/share-page-props.ts";
import { catalogue } from "../../web/texts/catalogue.ts";
import { aFile, ENGLISH, sharePage, shareProps, UNLOCKED } from "./pages.ts";

const BUTTON = /<button class="button" type="submit"[^>]*>/;
const DISABLED = /<button class="button" type="submit" disabled/;
const RELOAD = /<noscript><meta http-equiv="refresh" content="15"\/><\/noscript>/;

/** pages, "The page of a share"; pages, "Link previews". */
test("the page shows the name, type and download of a scanned file", () => {
  const html = sharePage();
  assert.match(html, /<h1 class="name"><bdi>Harbour at dusk<\/bdi><bdi class="ext">\.jpg<\/bdi><\/h1>/);
  assert.match(html, /JPEG image/);
  assert.match(html, /3\.3\sMB/);
  assert.match(html, /in 3\sdays/);
  assert.match(html, /<time datetime="2026-11-23T12:00:00\.000Z">23 November 2026, 12:00 UTC<\/time>/);
  assert.match(html, /Scanned: no malware found/);
  assert.match(
    html,
    /<form [^>]*method="post" action="\/d\/7kXq9Zab\/download"[^>]*><input type="hidden" name="fileId" value="aaaa1111bbbb2222"\/>/,
  );
  assert.match(html, BUTTON);
  assert.doesNotMatch(html, DISABLED);
  assert.doesNotMatch(html, /data-refresh|http-equiv/);
  assert.match(html, /<code id="sha256">9f86d081/);
});

const states: { file: Partial<ShareFile>; says: RegExp; download: boolean; waits: boolean }[] = [
  { file: { uploading: true, scanStatus: "pending", scanCoverage: null }, says: /Still uploading/, download: false, waits: true },
  {
    file: { scanStatus: "pending", scanCoverage: null },
    says: /Scanning the file….*You can download when it finishes/,
    download: false,
    waits: true,
  },
  { file: { scanStatus: "scanning", scanCoverage: null }, says: /Scanning the file…/, download: false, waits: true },
  { file: { scanCoverage: "windowed" }, says: /Scanned in parts: no malware found/, download: true, waits: false },
  { file: { scanCoverage: "none" }, says: /Not scanned for malware/, download: true, waits: false },
  { file: { scanCoverage: null }, says: /Not scanned for malware/, download: true, waits: false },
  { file: { scanStatus: "unavailable", scanReason: "infected" }, says: /Blocked: malware found/, download: false, waits: false },
  {
    file: { scanStatus: "unavailable", scanReason: "scan_failed" },
    says: /Blocked: scan failed/,
    download: false,
    waits: false,
  },
  {
    file: { scanStatus: "unavailable", scanReason: "scan_failed", failure: "digest_mismatch" },
    says: /Blocked: the file arrived damaged.*Ask the sender to upload it again/,
    download: false,
    waits: false,
  },
  {
    file: { scanStatus: "unavailable", scanReason: null },
    says: /Blocked: scan failed/,
    download: false,
    waits: false,
  },
];

for (const { file, says, download, waits } of states) {
  test(`the page of a file in state ${JSON.stringify(file)} ${download ? "offers" : "does not offer"} the download, and ${waits ? "refreshes" : "does not refresh"} itself`, () => {
    const html = sharePage(file);
    assert.match(html, says);
    assert.equal(DISABLED.test(html), waits);
    assert.equal(BUTTON.test(html), download || waits);
    assert.equal(html.includes("data-refresh"), waits);
    assert.equal(RELOAD.test(html), waits);
  });
}

test("the page shows download limits and a missing expiry", () => {
  const limits: [Partial<ShareFile>, Partial<SharePageProps>, RegExp, boolean][] = [
    [{ downloadsLeft: 1 }, { once: true }, /One download only/, true],
    [{ downloadsLeft: 1 }, {}, /1\sdownload left/, true],
    [{ downloadsLeft: 12 }, {}, /12\sdownloads left/, true],
    [{ downloadsLeft: 0 }, {}, /No downloads left/, false],
    [{}, { expiresAtMs: null }, /<dd>Never<\/dd>/, true],
    [{ uploading: true }, { expiresAtMs: null, expiresAfterMs: 3_600_000 }, /<dd>1\shour after the upload<\/dd>/, false],
  ];
  for (const [file, share, says, download] of limits) {
    const html = sharePage(file, share);
    assert.match(html, says);
    assert.equal(DISABLED.test(html), !download);
  }
});

test("the page escapes hostile names and keeps the text direction", () => {
  const html = sharePage(
    { name: `"><script>alert('x')</script>\u202e\u2066<img src=x onerror=alert(1)>.html`, id: `"onclick="x`, contentType: `"><b>/x` },
    { shortId: `../"><b>` },
  );
  assert.doesNotMatch(html, /<script>|<img|<b>|"onclick/);
  assert.doesNotMatch(html, /[\u202a-\u202e\u2066-\u2069]/);
  assert.match(html, /&lt;script>alert\('x'\)/);
  assert.match(html, /action="\/d\/\.\.%2F%22%3E%3Cb%3E\/download"/);
});

test("the page shows the extension of a very long name", () => {
  const html = sharePage({ name: `${"x".repeat(240)}.docx` });
  assert.match(html, /<bdi>x{70,80}…x+<\/bdi><bdi class="ext">\.docx<\/bdi>/);
});

/** accounts, "The name that recipients see". */
test("the page begins with the name of its sender, without invisible characters", () => {
  const html = sharePage({}, { senderName: "Ada \u202eLovelace<b>" });
  assert.match(html, /<article class="card share"><p class="quiet from">From <bdi>Ada Lovelace&lt;b><\/bdi><\/p>/);
  const german = renderSharePage({ ...ENGLISH, language: "de", texts: catalogue.de }, shareProps({}, { senderName: "Ada" }));
  assert.match(german, /Von <bdi>Ada<\/bdi>/);
  for (const senderName of [undefined, null, " \u200b "]) assert.doesNotMatch(sharePage({}, { senderName }), /class="quiet from"/);
});

test("the page shows the sender's title and message before the file", () => {
  const html = sharePage({}, { title: "  The harbour ", message: "Hello" });
  assert.match(html, /<title>The harbour – filehost<\/title>/);
  assert.match(
    html,
    /<h1 class="name"><bdi>The harbour<\/bdi><\/h1>.*<bdi>Harbour at dusk<\/bdi>.*<blockquote dir="auto">Hello<.*\/download"/s,
  );
});

test("the page has a card for messengers, but not before a protected share is unlocked", () => {
  const html = sharePage({}, { title: "The harbour" });
  assert.match(html, /<meta property="og:title" content="The harbour"\/>/);
  assert.match(html, /property="og:description" content="JPEG image, 3\.3\sMB"/);
  assert.match(html, /<meta name="twitter:card" content="summary"\/>/);
  const image =
    /<meta name="twitter:card" content="summary_large_image"\/><meta property="og:image" content="https:\/\/files\.example\.org\/d\/7kXq9Zab\/card\.webp"/;
  assert.match(sharePage({ thumbnailUrl: "https://files.example.org/thumb/x" }), image);
  assert.doesNotMatch(sharePage({ thumbnailUrl: "https://files.example.org/thumb/x" }, { access: UNLOCKED }), /og:image/);
  const locked = sharePage({}, { title: "The harbour", message: "Secret words", access: { kind: "locked" } });
  assert.doesNotMatch(locked, /og:|twitter:|The harbour|Secret words|9f86d0/);
  assert.match(locked, /<title>Protected file – filehost<\/title>/);
  assert.match(locked, /Harbour at dusk.*JPEG image/s);
});

test("the page folds facts for few recipients", () => {
  const details = (html: string) => /<details id="details".*?<\/details>/s.exec(html)?.[0] ?? "";
  const html = details(sharePage());
  assert.match(html, /curl -fLOJ https:\/\/files\.example\.org\/d\/7kXq9Zab\/download/);
  assert.match(html, /aria-label="QR code of the link"/);
  assert.match(html, /<a class="go" href="\/report\/7kXq9Zab">Report this file<\/a>/);
  assert.match(details(sharePage({}, { access: UNLOCKED })), /curl -fLOJ -H 'X-Unlock-Code: CODE' https/);
  assert.doesNotMatch(details(sharePage({}, { access: { kind: "locked" } })), /curl|9f86d0/);
});

test("the page shows the progress of an upload", () => {
  const file = { uploading: true, scanStatus: "pending", scanCoverage: null, sizeBytes: 2000, receivedBytes: 1500 } as const;
  assert.match(sharePage(file), /<progress value="75" max="100" aria-label="Uploading: 75\u00a0%"/);
  assert.doesNotMatch(sharePage({ ...file, sizeBytes: null }), /<progress/);
});

test("the page shows texts, dates and sizes in its language", () => {
  const page = renderSharePage({ ...ENGLISH, language: "de", texts: catalogue.de }, shareProps({ sizeBytes: 1_500_000, downloadsLeft: 2 }));
  assert.match(
    page,
    /<html lang="de">.*JPEG-Bild · 1,4\sMB · .*läuft in 3\sTagen ab.*Herunterladen.*Noch 2\sDownloads übrig\..*23\. November 2026/s,
  );
});

/** pages, "Closed shares". */
test("the page links from blocked files to the administrator, if the site names one", () => {
  const page = { ...ENGLISH, site: { ...ENGLISH.site, abuseUrl: "mailto:abuse@example.org" } };
  const blocked = { scanStatus: "unavailable", scanReason: "infected" } as const;
  const link = /<a class="go" href="mailto:abuse@example\.org" rel="noopener">Contact the administrator<\/a>/;
  assert.match(renderSharePage(page, shareProps(blocked)), link);
  assert.match(renderSharePage(page, shareProps({}, { files: [aFile(), aFile({ id: "b2", ...blocked })] })), link);
  assert.doesNotMatch(renderSharePage(page, shareProps()), link);
  assert.doesNotMatch(sharePage(blocked), /Contact the administrator/);
});
