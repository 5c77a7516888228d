import assert from "node:assert/strict";
import { test } from "node:test";
import { assets } from "../../web/assets.ts";
import { type MessageKind, renderMessagePage } from "../../web/message-page.tsx";
import { allPages, homePage, NOW_MS, uploadedPage } from "./pages.ts";

for (const [name, html] of Object.entries(allPages())) {
  test(`${name}: nothing inline, nothing from elsewhere, not for search engines`, () => {
    assert.match(html, /^<!doctype html><html lang="en"><head><meta charset="utf-8"\/>/);
    assert.match(html, /<meta name="robots" content="noindex, nofollow"\/>/);
    assert.doesNotMatch(html, /<style|\sstyle=|\son[a-z]+=|javascript:/i);
    for (const [, attributes, body] of html.matchAll(/<script([^>]*)>(.*?)<\/script>/gs)) {
      assert.match(attributes ?? "", /src="\/assets\//);
      assert.equal(body, "");
    }
    const loaded = [...html.matchAll(/<(?:script|link)[^>]* (?:src|href)="([^"]*)"/g)].map((match) => match[1] ?? "");
    assert.ok(loaded.length >= 3);
    for (const path of loaded) assert.ok(assets.has(path), path);
    assert.equal(html.match(/<h1[ >]/g)?.length, 1);
    assert.equal(html.match(/<main /g)?.length, 1);
    assert.match(html, /<a class="skip" href="#main">/);
    assert.match(html, /role="status" aria-live="polite"/);
  });
}

test("every message has a title, a reason and a next step, and quotes what it is given as text", () => {
  const kinds: Record<MessageKind, RegExp> = {
    missing: /nothing here/,
    expired: /has expired/,
    usedUp: /used up/,
    blocked: /is blocked/,
    damaged: /arrived damaged/,
    takenDown: /taken down/,
    unavailable: /not available/,
    notReady: /Not ready/,
    badAddress: /no longer works/,
    noDelivery: /does not work/,
    noDeletion: /nothing to remove/,
    deleted: /has been removed/,
    locked: /is protected/,
    payment: /has a price/,
    crossSite: /somewhere else/,
    refused: /did not work/,
    tooManyRequests: /too fast/,
    busy: /is busy/,
    error: /went wrong/,
  };
  for (const [kind, title] of Object.entries(kinds)) {
    const html = renderMessagePage({ kind: kind as MessageKind });
    assert.match(/<h1>(.*?)<\/h1>/.exec(html)?.[1] ?? "", title);
    assert.match(html, /<p data-message>[^<]+<\/p><p class="quiet">[^<]+<\/p>/);
  }
  const html = renderMessagePage({ kind: "error", detail: "<b>no</b>", requestId: `"<i>` });
  assert.match(html, /&lt;b>no&lt;\/b>/);
  assert.match(html, /Request id: <code>&quot;&lt;i><\/code>/);
});

test("the upload form begins with the file, then its settings", () => {
  const html = homePage({ scannerNote: "Nothing is <checked>." });
  assert.match(html, /<form [^>]*method="post" action="\/" enctype="multipart\/form-data"/);
  const order = ['name="file"', 'name="ttl"', 'name="once"'].map((field) => html.indexOf(field));
  assert.ok(order.every((at) => at > 0));
  assert.deepEqual(
    order,
    order.toSorted((a, b) => a - b),
  );
  assert.match(html, /curl -T file https:\/\/files\.example\.org\//);
  assert.match(html, /Nothing is &lt;checked>\./);
  assert.match(html, /Up to 1 GB, kept for at most 3 days\./);
});

test("only keep times within the limit are offered, the longest first and as no choice at all", () => {
  const values = (html: string) => [...html.matchAll(/<option value(?:="([^"]*)")?>/g)].map((match) => match[1] ?? "");
  assert.deepEqual(values(homePage()), ["", "24h", "1h"]);
  assert.deepEqual(values(homePage({ limits: { fileBytes: 1, retentionMs: null } })), ["", "90d", "30d", "7d", "3d", "24h", "1h"]);
});

test("where uploads are closed there is no form", () => {
  const html = homePage({ uploadsOpen: false });
  assert.doesNotMatch(html, /<form/);
  assert.match(html, /need an account/);
});

test("where uploads are closed the page says what to do, promises nothing else, and its command has a key", () => {
  const html = homePage({ uploadsOpen: false });
  assert.match(html, /Ask the administrator of this server for an account\./);
  assert.match(html, /<code id="curl">curl -T file -H &quot;Authorization: Bearer KEY&quot; https:\/\/files\.example\.org\/<\/code>/);
  assert.doesNotMatch(html, /No account needed|operator|\/assets\/upload-/);
});

test("an upload's answer shows the link, and the tokens where there are any", () => {
  const html = uploadedPage({ name: "<b>.txt", expiresAtMs: NOW_MS, once: true });
  assert.match(html, /<a id="link-aaaa1111bbbb2222" href="https:\/\/files\.example\.org\/d\/7kXq9Zab" data-link>/);
  assert.match(html, /shown only once/);
  assert.match(html, /<code id="deletion-token-aaaa1111bbbb2222">del_/);
  assert.match(html, /<code id="claim-token-aaaa1111bbbb2222">claim_/);
  assert.match(html, /<code id="file-id-aaaa1111bbbb2222">aaaa1111bbbb2222/);
  assert.match(html, /<code id="deletion-url-aaaa1111bbbb2222">https:\/\/files\.example\.org\/delete\/aaaa1111bbbb2222\/del_/);
  assert.match(html, /single use/);
  assert.match(html, /&lt;b>/);
  const owned = uploadedPage({ claimToken: undefined, deletionToken: undefined, deletionUrl: undefined, expiresAtMs: null });
  assert.doesNotMatch(owned, /shown only once|<code/);
  assert.match(owned, /never expires/);
});
