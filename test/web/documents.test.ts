import assert from "node:assert/strict";
import { test } from "node:test";
import { assets } from "../../web/site/assets.ts";
import { MANIFEST_PATH } from "../../web/site/installed-site.ts";
import { type MessageKind, renderMessagePage } from "../../web/site/message-page.tsx";
import { allPages, ENGLISH, NOW_MS, showHomePage, showUploadedPage } from "./pages.ts";

for (const [name, html] of Object.entries(allPages())) {
  test(`the page "${name}" has no inline scripts or styles, nothing from other sites, and is hidden from search engines`, () => {
    assert.match(html, /^<!doctype html><html lang="en"><head><meta charset="utf-8"\/>/);
    assert.match(html, /<meta name="robots" content="noindex, nofollow"\/>/);
    assert.doesNotMatch(html, /<style|\sstyle=|\son[a-z]+=|javascript:/i);
    for (const [, attributes, body] of html.matchAll(/<script([^>]*)>(.*?)<\/script>/gs)) {
      assert.match(attributes ?? "", /src="\/assets\//);
      assert.equal(body, "");
    }
    const loaded = [...html.matchAll(/<(?:script|link)[^>]* (?:src|href)="([^"]*)"/g)].map((match) => match[1] ?? "");
    assert.ok(loaded.length >= 3);
    for (const path of loaded) assert.ok(assets.has(path) || path === MANIFEST_PATH, path);
    assert.equal(html.match(/<h1[ >]/g)?.length, 1);
    assert.equal(html.match(/<main /g)?.length, 1);
    assert.match(html, /<a class="skip" href="#main">/);
    assert.match(html, /role="status" aria-live="polite"/);
  });
}

/** Where forms make something, with the action that does. */
const MAKING = [
  ["/settings/keys", "create"],
  ["/settings/keys", "rotate"],
  ["/settings/webhooks", "create"],
  ["/admin/invites", "create"],
  ["/admin/users"],
  ["/requests"],
  [/^\/requests\/[^/]+\/(?:share|rotate)$/],
  [/^\/shares\/[^/]+\/downloads$/, "sendTo"],
] as const;

test("a form that makes something is marked, so that a double press sends it once", () => {
  const forms = Object.values(allPages()).flatMap((html) => [...html.matchAll(/<form ([^>]*method="post"[^>]*)>(.*?)<\/form>/gs)]);
  for (const [path, action] of MAKING) {
    const making = forms.filter(([, attributes = "", fields = ""]) => {
      const [, to = ""] = /action="([^"]*)"/.exec(attributes) ?? [];
      return (typeof path === "string" ? path === to : path.test(to)) && (action === undefined || fields.includes(`"${action}"`));
    });
    assert.ok(making.length > 0, `${path} ${action}`);
    for (const [, attributes = ""] of making) assert.match(attributes, /\bdata-once\b/, `${path} ${action}`);
  }
});

/** pages, "Closed shares". */
test("pages about blocked and removed files name the administrator, if there is a contact", () => {
  const site = { ...ENGLISH.site, abuseUrl: "mailto:abuse@example.org" };
  const contact = /class="button plain" href="mailto:abuse@example\.org"[^>]*>Contact the administrator</;
  for (const kind of ["missing", "blocked", "damaged", "takenDown", "noHandoff", "badSignedUrl", "error"] as const) {
    assert.match(renderMessagePage({ ...ENGLISH, site }, { kind }), contact);
    assert.doesNotMatch(renderMessagePage(ENGLISH, { kind }), contact);
  }
  // Only the sender can share again what has expired or is used up.
  for (const kind of ["deleted", "expired", "usedUp"] as const)
    assert.doesNotMatch(renderMessagePage({ ...ENGLISH, site }, { kind }), contact);
});

test("closed shares differ in icon and words", () => {
  const kinds = ["missing", "expired", "usedUp", "blocked", "damaged", "takenDown"] as const;
  const pages = kinds.map((kind) => renderMessagePage(ENGLISH, { kind }));
  for (const part of [/<span class="badge.*?<\/span>/s, /<h1>.*?<\/h1>/]) {
    assert.equal(new Set(pages.map((html) => part.exec(html)?.[0])).size, kinds.length);
  }
  for (const html of pages) assert.doesNotMatch(html, /og:/);
});

test("every message has a title, a reason and a next step, and its detail is escaped", () => {
  const kinds: Record<MessageKind, RegExp> = {
    notFound: /Page not found/,
    missing: /Link not found/,
    expired: /has expired/,
    usedUp: /no downloads left/,
    blocked: /is blocked/,
    blocklisted: /Blocked by the administrator/,
    damaged: /arrived damaged/,
    takenDown: /taken down/,
    notAvailable: /not available/,
    notReady: /Not ready/,
    badSignedUrl: /download link does not work/,
    noHandoff: /does not work/,
    noDeletion: /Nothing to delete/,
    deleted: /File deleted/,
    reported: /Report sent/,
    noRequest: /Request not found/,
    noPublicPage: /no public page/,
    unknownApplication: /does not work/,
    requestUnavailable: /not available/,
    requestClosed: /is closed/,
    requestExpired: /has expired/,
    requestUsedUp: /everything it asked for/,
    requestFull: /no room/,
    locked: /needs a code/,
    payment: /has a price/,
    crossSite: /Open this page at/,
    refused: /did not work/,
    tooManyRequests: /Too many requests/,
    busy: /is busy/,
    error: /went wrong/,
  };
  for (const [kind, title] of Object.entries(kinds)) {
    const html = renderMessagePage(ENGLISH, { kind: kind as MessageKind });
    assert.match(/<h1>(.*?)<\/h1>/.exec(html)?.[1] ?? "", title);
    // A page that is not there has only its address to check.
    const isComplete = kind === "notFound" ? /<p data-message>[^<]+<\/p>/ : /<p data-message>[^<]+<\/p><p class="quiet">[^<]+<\/p>/;
    assert.match(html, isComplete);
  }
  for (const kind of ["notReady", "tooManyRequests", "busy", "error"] as const)
    assert.match(renderMessagePage({ ...ENGLISH, query: "?e=1&s=2" }, { kind }), /<a class="button" href="\?e=1&amp;s=2">Try again<\/a>/);
  assert.doesNotMatch(renderMessagePage(ENGLISH, { kind: "missing" }), /Try again/);
  const html = renderMessagePage(ENGLISH, { kind: "error", detail: "<b>no</b>", requestId: `"<i>` });
  assert.match(html, /&lt;b>no&lt;\/b>/);
  assert.match(html, /Request ID: <code>&quot;&lt;i><\/code>/);
});

test("the upload form has the file before the settings", () => {
  const html = showHomePage();
  assert.match(html, /<form [^>]*method="post" action="\/" enctype="multipart\/form-data"/);
  const order = ['name="file"', 'name="ttl"', 'name="protect"'].map((field) => html.indexOf(field));
  assert.ok(order.every((at) => at > 0));
  assert.deepEqual(
    order,
    order.toSorted((a, b) => a - b),
  );
  assert.match(html, /curl -T file https:\/\/files\.example\.org\//);
  assert.match(html, /Up to 1\sGB per file, for up to 3\sdays\./);
});

test("the upload form offers only retentions within the limit, the longest first and without a value", () => {
  const values = (html: string) => [...html.matchAll(/<option value(?:="([^"]*)")?>/g)].map((match) => match[1] ?? "");
  assert.deepEqual(values(showHomePage()), ["", "24h", "1h"]);
  assert.deepEqual(values(showHomePage({ limits: { fileBytes: 1, retention: { longestMs: 90 * 86_400_000, isKept: true } } })), [
    "",
    "90d",
    "30d",
    "7d",
    "3d",
    "24h",
    "1h",
  ]);
  assert.deepEqual(values(showHomePage({ limits: { fileBytes: 1, retention: { longestMs: 7 * 86_400_000, isKept: true } } })), [
    "",
    "7d",
    "3d",
    "24h",
    "1h",
  ]);
});

/** pages, "Uploads that need an account". */
test("the front page has no form if uploads are closed", () => {
  const html = showHomePage({ acceptsUploads: false });
  assert.doesNotMatch(html, /<form/);
  assert.match(html, /need an account/);
});

test("the front page says what to do if uploads are closed, and shows the command with a key", () => {
  const html = showHomePage({ acceptsUploads: false });
  assert.match(html, /Ask the administrator for an account\./);
  assert.match(html, /<code id="curl">curl -T file -H &quot;Authorization: Bearer KEY&quot; https:\/\/files\.example\.org\/<\/code>/);
  assert.doesNotMatch(html, /No account needed|operator|\/assets\/main-/);
});

test("the page of an upload shows its link, and its tokens if it has any", () => {
  const html = showUploadedPage({ name: "<b>.txt", expiresAtMs: NOW_MS, once: true });
  assert.match(html, /<a id="link-aaaa1111bbbb2222" href="https:\/\/files\.example\.org\/d\/7kXq9Zab" data-link>/);
  assert.match(html, /save it now/);
  assert.match(html, /<code id="deletion-token-aaaa1111bbbb2222">del_/);
  assert.match(html, /<code id="claim-token-aaaa1111bbbb2222">claim_/);
  assert.match(html, /<code id="file-id-aaaa1111bbbb2222">aaaa1111bbbb2222/);
  assert.match(html, /<code id="deletion-url-aaaa1111bbbb2222">https:\/\/files\.example\.org\/delete\/aaaa1111bbbb2222\/del_/);
  assert.match(html, /one download only/);
  assert.match(html, /&lt;b>/);
  const owned = showUploadedPage({ claimToken: undefined, deletionToken: undefined, deletionUrl: undefined, expiresAtMs: null });
  assert.doesNotMatch(owned, /save it now|<code/);
  assert.match(owned, /never expires/);
});

/** pages, "Forms": one look for all links to the page above. */
test("a page below another one has a link to it, directly above its title", () => {
  const below = [
    ...["adminUser", "adminDeleteUser", "adminReport", "shareDownloads", "ownRequest"],
    ...["settingsWebhook", "settingsEmail", "settingsDeleteAccount", "passkeys", "twoStepSetUp", "twoStepOn"],
  ];
  const pages = allPages();
  for (const name of below) assert.match(pages[name] ?? "", /<p class="back"><a href="\/[^"]*">← [^<]+<\/a><\/p><h1/, name);
});
