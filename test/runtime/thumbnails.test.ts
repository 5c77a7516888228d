import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { runtime } from "#runtime";
import { readWebpSize } from "../../src/lib/formats/webp.ts";
import { readOutput, writeOutput } from "../../src/runtime/images/child-output.ts";
import { THUMBNAIL_COMMAND, type ThumbnailResult } from "../../src/runtime/runtime.ts";
import { animatedGif, colorsOf, isBluish, isReddish, pngOf, SECRET, turnedJpeg } from "../support/formats/images.ts";
import { until } from "../support/until.ts";

const never = new AbortController().signal;

async function* inChunks(bytes: Uint8Array, size = 64 * 1024): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.slice(start, start + size);
}

async function make(image: Uint8Array | AsyncIterable<Uint8Array>, signal = never): Promise<ThumbnailResult> {
  assert.ok(runtime.thumbnails);
  return await runtime.thumbnails.make(image instanceof Uint8Array ? inChunks(image) : image, signal);
}

async function makeImages(image: Uint8Array): Promise<Extract<ThumbnailResult, { kind: "made" }>> {
  const result = await make(image);
  if (result.kind !== "made") assert.fail(result.reason);
  return result;
}

const thumbnailOf = async (image: Uint8Array): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array((await makeImages(image)).images.thumbnail);

/** Reads an image, red on the left (of turned ones, red at the top when they are upright) and blue on the other side. */
const fixture = (name: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(readFileSync(join(import.meta.dirname, "../support/formats/images", name)));

const concat = (...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.concat(parts));

/** The folder in /proc of the child process, once it no longer is the shell or `env`. */
function findChild(): string | undefined {
  const pids = readdirSync("/proc/self/task").flatMap((task) => readIfThere(`/proc/self/task/${task}/children`).split(" "));
  const commandOf = (pid: string): string => readIfThere(`/proc/${pid}/cmdline`);
  const child = pids.find((pid) => pid !== "" && commandOf(pid).startsWith(process.execPath) && commandOf(pid).includes(THUMBNAIL_COMMAND));
  return child && `/proc/${child}`;
}

/** The text of a file of /proc; empty if its thread or process has ended meanwhile. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** The names of the chunks of a WebP image. */
function chunkNames(webp: Uint8Array): string[] {
  const bytes = Buffer.from(webp);
  const names: string[] = [];
  for (let at = 12; at < bytes.length; at += 8 + bytes.readUInt32LE(at + 4) + (bytes.readUInt32LE(at + 4) % 2))
    names.push(bytes.toString("latin1", at, at + 4).trim());
  return names;
}

/** thumbnails, "Which files have one". */
describe("the process that makes a thumbnail", () => {
  test("fails for an image of more pixels than the server's memory permits, and is the first that the system ends", async () => {
    assert.ok(runtime.thumbnails);
    assert.equal((await runtime.thumbnails.make(inChunks(pngOf(300, 200)), never, 60_000)).kind, "made");
    assert.equal((await runtime.thumbnails.make(inChunks(pngOf(300, 200)), never, 59_999)).kind, "failed");
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    async function* waiting(): AsyncGenerator<Uint8Array> {
      yield pngOf(10, 10);
      await held;
    }
    const made = make(waiting());
    const child = await until("the child runs", () => findChild());
    assert.equal(readIfThere(join(child, "oom_score_adj")).trim(), "1000");
    release();
    assert.equal((await made).kind, "made");
  });

  for (const [size, expected] of [
    [
      { width: 2000, height: 1000 },
      { width: 480, height: 240 },
    ],
    [
      { width: 300, height: 3000 },
      { width: 48, height: 480 },
    ],
    [
      { width: 20, height: 10 },
      { width: 20, height: 10 },
    ],
  ] as const) {
    test(`reduces ${size.width} × ${size.height} to ${expected.width} × ${expected.height}`, async () => {
      assert.deepEqual(readWebpSize(await thumbnailOf(pngOf(size.width, size.height))), expected);
    });
  }

  test("turns the image as its EXIF data say, and drops all metadata", async () => {
    const image = await turnedJpeg(800, 400);
    assert.ok(Buffer.from(image).includes(SECRET));
    const thumbnail = await thumbnailOf(image);
    assert.deepEqual(readWebpSize(thumbnail), { width: 240, height: 480 });
    const [top, bottom] = await colorsOf(thumbnail, 1, 2);
    assert.ok(top && isReddish(top) && bottom && isBluish(bottom), JSON.stringify([top, bottom]));
    assert.deepEqual(chunkNames(thumbnail), ["VP8"]);
    assert.ok(!Buffer.from(thumbnail).includes(SECRET));
  });

  for (const [name, upright] of [
    ["plain.avif", false],
    ["turned.avif", true],
    ["plain.heic", false],
    ["turned.png", true],
    ["turned.webp", true],
    ["moving.apng", false],
  ] as const) {
    test(`decodes ${name} and turns it as its data say`, async () => {
      const { images } = await makeImages(fixture(name));
      const size = upright ? { width: 80, height: 160 } : { width: 160, height: 80 };
      assert.deepEqual(readWebpSize(images.thumbnail), size);
      assert.deepEqual({ width: images.width, height: images.height }, size);
      const [first, second] = await colorsOf(new Uint8Array(images.thumbnail), upright ? 1 : 2, upright ? 2 : 1);
      assert.ok(first && isReddish(first) && second && isBluish(second), JSON.stringify([first, second]));
      assert.equal(images.reduced !== undefined, name.endsWith(".heic"), "browsers show the others");
    });
  }

  test("does not turn a HEIC image as its EXIF data say, because only its properties count", async () => {
    assert.deepEqual(readWebpSize(await thumbnailOf(fixture("exif.heic"))), { width: 160, height: 80 });
  });

  test("puts the first frame of an animated WebP onto its canvas", async () => {
    const { images } = await makeImages(fixture("moving.webp"));
    assert.deepEqual(readWebpSize(images.thumbnail), { width: 160, height: 80 });
    const [, left, right] = await colorsOf(new Uint8Array(images.thumbnail), 4, 1);
    assert.ok(left && isReddish(left) && right && isReddish(right), JSON.stringify([left, right]));
    assert.deepEqual([images.reduced, images.placeholder], [undefined, undefined], "it moves, and has transparent parts");
  });

  test("reduces an image of 12 megapixels, and gives its size and a placeholder", async () => {
    const jpeg = new Uint8Array(await new Bun.Image(pngOf(4000, 3000)).jpeg({ quality: 95 }).bytes());
    const { images } = await makeImages(jpeg);
    assert.deepEqual([images.width, images.height], [4000, 3000]);
    assert.deepEqual(readWebpSize(images.reduced ?? new Uint8Array()), { width: 1600, height: 1200 });
    assert.deepEqual(readWebpSize(images.thumbnail), { width: 480, height: 360 });
    assert.ok((images.reduced?.length ?? 0) < jpeg.length);
    assert.match(images.placeholder ?? "", /^data:image\/png;base64,/);
    assert.equal((await makeImages(pngOf(1600, 20))).images.reduced, undefined);
  });

  test("drops the text of a PNG", async () => {
    const thumbnail = await thumbnailOf(pngOf(60, 40));
    assert.ok(!Buffer.from(thumbnail).includes(SECRET));
    const [left, right] = await colorsOf(thumbnail, 2, 1);
    assert.ok(left && isReddish(left) && right && isBluish(right));
  });

  test("shows the first frame of an animation", async () => {
    const [color] = await colorsOf(await thumbnailOf(animatedGif()), 1, 1);
    assert.ok(color && isReddish(color), JSON.stringify(color));
  });

  for (const [name, image] of [
    ["an AVIF that ends early", fixture("plain.avif").subarray(0, 340)],
    ["a HEIC that ends early", fixture("plain.heic").subarray(0, 450)],
    ["an animated WebP that ends early", fixture("moving.webp").subarray(0, 100)],
    ["an AVIF of random bytes", concat(fixture("plain.avif").subarray(0, 32), crypto.getRandomValues(new Uint8Array(50_000)))],
    ["a HEIC of random bytes", concat(fixture("plain.heic").subarray(0, 32), crypto.getRandomValues(new Uint8Array(50_000)))],
    ["text with an image's name", new TextEncoder().encode("not an image")],
    ["nothing", new Uint8Array()],
    ["a PNG that ends early", pngOf(1000, 1000).subarray(0, 200)],
    ["a PNG that claims a hundred million pixels and one", pngOf(10, 10, { width: 100_000_001, height: 1 })],
    ["a PNG that claims more pixels than it has", pngOf(10, 10, { width: 9_000, height: 9_000 })],
    ["a PNG that claims four billion pixels", pngOf(10, 10, { width: 65_535, height: 65_535 })],
    ["random bytes after a PNG's signature", crypto.getRandomValues(new Uint8Array(50_000)).fill(0x89, 0, 1)],
  ] as const) {
    test(`makes none of ${name}`, async () => {
      assert.equal((await make(image)).kind, "failed");
    });
  }

  test("has an environment of one variable of the runtime, and limits on its memory, time and files", async () => {
    let found: { environment: string; limits: string } | undefined;
    async function* image(): AsyncGenerator<Uint8Array> {
      const folder = await until("the shell has become the program", findChild);
      found = { environment: readFileSync(`${folder}/environ`, "utf8"), limits: readFileSync(`${folder}/limits`, "utf8") };
      yield pngOf(10, 10);
    }
    assert.equal((await make(image())).kind, "made");
    assert.equal(found?.environment, "BUN_JSC_jitMemoryReservationSize=67108864\0");
    for (const limit of [/^Max cpu time +20 /m, /^Max file size +0 /m, /^Max core file size +0 /m, /^Max address space +2147483648 /m])
      assert.match(found?.limits ?? "", limit);
  });

  test("stops reading an image when its process has ended", async () => {
    let sentBytes = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        sentBytes += 16 * 1024 ** 2;
        yield new Uint8Array(16 * 1024 ** 2);
      }
    }
    assert.equal((await make(endless())).kind, "failed");
    assert.ok(sentBytes < 4 * 1024 ** 3, "the memory limit ended the process");
  });

  test("rejects with the error of the source, and when the server shuts down", async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield pngOf(10, 10).subarray(0, 20);
      throw new Error("the store is away");
    }
    await assert.rejects(make(broken()), /the store is away/);
    const stopping = new AbortController();
    async function* stopped(): AsyncGenerator<Uint8Array> {
      yield pngOf(10, 10).subarray(0, 20);
      stopping.abort(new Error("stopping"));
      yield pngOf(10, 10).subarray(20);
    }
    await assert.rejects(make(stopped(), stopping.signal), /stopping/);
  });
});

/** thumbnails, "Which files have one". */
describe("the output of the process", () => {
  const made = { thumbnail: fixture("turned.webp"), reduced: undefined, width: 3, height: 2, placeholder: undefined };

  test("is read as it was written", () => {
    for (const images of [made, { ...made, reduced: fixture("moving.webp"), placeholder: "data:image/png;base64,AAAA" }]) {
      const read = readOutput(writeOutput(images));
      assert.deepEqual(
        { ...read, thumbnail: new Uint8Array(read?.thumbnail ?? []), reduced: read?.reduced && new Uint8Array(read.reduced) },
        images,
      );
    }
  });

  test("is refused in any other form", () => {
    const whole = writeOutput(made);
    for (const bytes of [
      new Uint8Array(),
      whole.subarray(0, -1),
      concat(whole, new Uint8Array(1)),
      writeOutput({ ...made, width: 0 }),
      writeOutput({ ...made, thumbnail: pngOf(1, 1) }),
      writeOutput({ ...made, reduced: pngOf(1, 1) }),
      writeOutput({ ...made, placeholder: "https://example.org/a.png" }),
      writeOutput({ ...made, placeholder: 'data:image/png;base64,"><script>' }),
    ])
      assert.equal(readOutput(bytes), undefined);
  });
});
