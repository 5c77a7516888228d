import assert from "node:assert/strict";
import { test } from "node:test";
import { NOW_MS, sharePage, UNLOCKED } from "./pages.ts";

const WAITING = { scanStatus: "pending", scanCoverage: null } as const;
const input = (html: string) => /<input class="code"[^>]*>/.exec(html)?.[0] ?? "";

test("a locked page describes the file and asks for the code", () => {
  const html = sharePage({ downloadsLeft: 1 }, { once: true, access: { kind: "locked" } });
  assert.match(html, /Harbour at dusk.*3\.3\sMB.*in 3\sdays/s);
  assert.doesNotMatch(html, /no malware found/);
  assert.doesNotMatch(html, /\/download"|name="fileId"/);
  assert.match(html, /<form class="unlock" method="post" action="\/d\/7kXq9Zab\/unlock"/);
  assert.match(html, /<label class="field" for="unlock-code">Code<\/label>/);
  assert.match(html, /One download only/);
  assert.match(input(html), /id="unlock-code" name="unlockCode"/);
  assert.match(input(html), /autocomplete="one-time-code"/);
  assert.match(input(html), /autocapitalize="characters"/);
  assert.match(input(html), /aria-describedby="unlock-hint"/);
  assert.doesNotMatch(input(html), /aria-invalid|autofocus/);
});

test("a problem is linked to the field and focuses it", () => {
  const html = sharePage({}, { access: { kind: "locked", problem: "That is <not> it.", retryAtMs: NOW_MS + 600_000 } });
  assert.match(input(html), /autofocus.*aria-invalid="true" aria-describedby="unlock-problem unlock-hint"/);
  assert.match(html, /<p class="quiet field-error" id="unlock-problem">That is &lt;not> it\. Try again in 10\sminutes, after <time/);
  assert.match(html, /data-say="That is &lt;not> it\."/);
  assert.match(html, /data-state="locked scanned"/);
});

test("an unlocked page sends its token with its forms, and does not show the code", () => {
  for (const field of ["unlockToken", "handoffToken"] as const) {
    const html = sharePage({}, { access: { kind: "unlocked", field, token: `"><b>` } });
    assert.match(html, new RegExp(`<input type="hidden" name="${field}" value="&quot;>&lt;b>"/><input type="hidden" name="fileId"`));
    assert.doesNotMatch(html, /<b>|unlock-code/);
  }
});

test("a waiting page refreshes without losing its access", () => {
  const byAddress = /http-equiv="refresh"/;
  const locked = sharePage(WAITING, { access: { kind: "locked" } });
  assert.match(locked, /data-refresh/);
  assert.doesNotMatch(locked, byAddress);
  assert.match(locked, /<form class="again" method="get" action="\/d\/7kXq9Zab">/);
  const unlocked = sharePage(WAITING, { access: UNLOCKED });
  assert.doesNotMatch(unlocked, byAddress);
  assert.match(
    unlocked,
    /<form class="again" method="post" action="\/d\/7kXq9Zab\/unlock" data-again><input type="hidden" name="unlockToken"/,
  );
  assert.match(sharePage(WAITING, { access: { ...UNLOCKED, field: "handoffToken" } }), byAddress);
  assert.doesNotMatch(sharePage({}, { access: UNLOCKED }), /class="again"/);
});

test("the sender's message is shown as plain text", () => {
  const html = sharePage({}, { message: "Hi,\n\n<script>x</script> https://example.org & more\n" });
  assert.match(html, /<blockquote dir="auto">Hi,\n\n&lt;script>x&lt;\/script> https:\/\/example\.org &amp; more<\/blockquote>/);
  assert.doesNotMatch(html, /<a [^>]*example\.org/);
  for (const message of [null, undefined, " \n"]) assert.doesNotMatch(sharePage({}, { message }), /blockquote/);
});
