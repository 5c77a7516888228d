import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeQR } from "qr/decode.js";
import { showUploadedPage } from "./pages.ts";

const PIXELS_A_MODULE = 4;

test("the QR code contains the link", () => {
  for (const shareUrl of ["https://files.example.org/d/7kXq9Zab", `https://${"long-name.".repeat(12)}example.org/d/7kXq9Zab`]) {
    const html = showUploadedPage({ shareUrl });
    const [, size = "", path = ""] = /<svg class="qr" viewBox="0 0 (\d+) \1"[^>]*><path d="([^"]+)"/.exec(html) ?? [];
    assert.equal(decodeQR(draw(Number(size), path)), shareUrl);
  }
});

/** The picture that a browser makes of the path, black on white. */
function draw(size: number, path: string) {
  const side = size * PIXELS_A_MODULE;
  const data = new Uint8Array(side * side * 4).fill(255);
  for (const [, x, y, width] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\3z/g)) {
    for (let down = 0; down < PIXELS_A_MODULE; down += 1) {
      const from = (Number(y) * PIXELS_A_MODULE + down) * side + Number(x) * PIXELS_A_MODULE;
      for (let at = from; at < from + Number(width) * PIXELS_A_MODULE; at += 1) data.fill(0, at * 4, at * 4 + 3);
    }
  }
  return { width: side, height: side, data };
}
