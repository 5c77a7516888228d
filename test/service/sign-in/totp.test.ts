import assert from "node:assert/strict";
import { test } from "node:test";
import { findTotpStep, newTotpSecret, toTotpCode, totpUrl } from "../../../src/service/sign-in/totp.ts";

/** RFC 6238, appendix B: the key "12345678901234567890"; of its eight digits the last six. */
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const VECTORS: readonly (readonly [seconds: number, code: string])[] = [
  [59, "287082"],
  [1_111_111_109, "081804"],
  [1_111_111_111, "050471"],
  [1_234_567_890, "005924"],
  [2_000_000_000, "279037"],
  [20_000_000_000, "353130"],
];

/** accounts, "Two-step sign-in". */
test("computes the codes of RFC 6238", () => {
  for (const [seconds, code] of VECTORS) assert.equal(toTotpCode(SECRET, Math.floor(seconds / 30)), code);
});

test("the check accepts the code before, the current and the next one, and no others", () => {
  const nowMs = 1_234_567_890_000;
  const step = Math.floor(nowMs / 30_000);
  for (const drift of [-1, 0, 1]) assert.equal(findTotpStep(SECRET, toTotpCode(SECRET, step + drift), nowMs), step + drift);
  for (const drift of [-2, 2]) assert.equal(findTotpStep(SECRET, toTotpCode(SECRET, step + drift), nowMs), undefined);
  for (const text of ["", "5924", "005924\n0", "abcdef"]) assert.equal(findTotpStep(SECRET, text, nowMs), undefined);
});

test("makes a secret of 160 bits, and a URL that cannot be broken by names", () => {
  const secret = newTotpSecret((bytes) => new Uint8Array(bytes).fill(0xff));
  assert.equal(secret, "7".repeat(32));
  const url = new URL(totpUrl({ secret, issuer: "A & B?", account: "ada+x@example.org" }));
  assert.equal(url.searchParams.get("issuer"), "A & B?");
  assert.equal(url.searchParams.get("secret"), secret);
  assert.equal(decodeURIComponent(url.pathname).replace(/^\/*(?:totp\/)?/, ""), "A & B?:ada+x@example.org");
});
