import assert from "node:assert/strict";
import { test } from "node:test";
import { readWebpSize } from "../../../src/lib/formats/webp.ts";
import { pngOf } from "../../support/formats/images.ts";

const size = { width: 300, height: 17 };

test("the parser reads the size of a WebP image, lossy or lossless", async () => {
  const image = () => new Bun.Image(pngOf(size.width, size.height));
  assert.deepEqual(readWebpSize(await image().webp({ quality: 80 }).bytes()), size);
  assert.deepEqual(readWebpSize(await image().webp({ lossless: true }).bytes()), size);
});

test("the parser reads the size of an extended WebP image, which has several chunks", () => {
  const bytes = new Uint8Array(30);
  bytes.set(Buffer.from("RIFF....WEBPVP8X"));
  new DataView(bytes.buffer).setUint32(4, 22, true);
  bytes.set([size.width - 1 - 256, 1], 24);
  bytes.set([size.height - 1], 27);
  assert.deepEqual(readWebpSize(bytes), size);
});

test("the parser refuses bytes that are not a WebP image, or that are incomplete", async () => {
  const webp = await new Bun.Image(pngOf(20, 20)).webp().bytes();
  assert.equal(readWebpSize(webp.subarray(0, webp.length - 1)), undefined);
  assert.equal(readWebpSize(pngOf(20, 20)), undefined);
  assert.equal(readWebpSize(new Uint8Array()), undefined);
});
