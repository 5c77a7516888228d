import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { MultipartError, readMultipart } from "../../../src/http/reading/multipart.ts";

interface Read {
  readonly parts: readonly (readonly [head: string, content: string])[];
  readonly error?: true;
}

/** Passes on a body in pieces that end at `ends`. Each is overwritten when the next one is requested, as the memory of a request is. */
async function* cut(body: Buffer, ends: readonly number[]): AsyncGenerator<Uint8Array> {
  let start = 0;
  for (const end of [...ends, body.length]) {
    const piece = new Uint8Array(body.subarray(start, end));
    yield piece;
    piece.fill(0x2a);
    start = end;
  }
}

async function read(body: Buffer, boundary: string, ends: readonly number[] = []): Promise<Read> {
  const parts: [string, string][] = [];
  try {
    for await (const { head, content } of readMultipart(cut(body, ends), boundary)) {
      let text = "";
      for await (const bytes of content) text += Buffer.from(bytes).toString("latin1");
      parts.push([Buffer.from(head).toString("latin1"), text]);
    }
    return { parts };
  } catch (error) {
    assert.ok(error instanceof MultipartError, String(error));
    return { parts, error: true };
  }
}

const everyByte = (body: Buffer): number[] => Array.from({ length: body.length - 1 }, (_, index) => index + 1);

/** Reads the body whole, divided at each offset, and byte by byte. */
async function assertRead(text: string, boundary: string, expected: Read): Promise<void> {
  const body = Buffer.from(text, "latin1");
  assert.deepEqual(await read(body, boundary), expected, JSON.stringify(text));
  for (const ends of [...everyByte(body).map((end) => [end]), everyByte(body)])
    assert.deepEqual(await read(body, boundary, ends), expected, `${JSON.stringify(text)} divided at ${ends}`);
}

const FAILED: Read = { parts: [], error: true };
const one = (content: string): Read => ({ parts: [["A: b", content]] });

describe("the reader of multipart bodies", () => {
  for (const line of [
    "--BbBx",
    "--BbB-",
    "--BbB-x",
    "--BbB--x",
    "--BbB --",
    "--BbB\tx",
    "--BbB-- x",
    "--BbB\rx",
    "--BbB\n",
    "--BbB--\n",
    "--Bb",
  ]) {
    test(`keeps the line ${JSON.stringify(line)} in a file`, async () => {
      await assertRead(`--BbB\r\nA: b\r\n\r\na\r\n${line}\r\nb\r\n--BbB--\r\n`, "BbB", one(`a\r\n${line}\r\nb`));
      await assertRead(`--BbB\r\nA: b\r\n\r\n${line}\r\n--BbB--\r\n`, "BbB", one(line));
      await assertRead(`--BbB\r\nA: b\r\n\r\n${line}b\r\n--BbB--`, "BbB", one(`${line}b`));
    });
  }

  test("reads padding after a boundary, a preamble and an epilogue", async () => {
    await assertRead("--BbB \t\r\nA: b\r\n\r\na\r\n--BbB-- \t \r\n", "BbB", one("a"));
    await assertRead("before\r\n--BbBx\r\n--BbB\r\nA: b\r\n\r\na\r\n--BbB--", "BbB", one("a"));
    await assertRead("--BbB\r\nA: b\r\n\r\na\r\n--BbB--\r\nafter\r\n--Bb", "BbB", one("a"));
    await assertRead("--BbB--", "BbB", { parts: [] });
  });

  test("reads boundaries of 1 and of 70 characters, and boundaries that contain themselves", async () => {
    for (const boundary of ["a", "-", "x".repeat(70), "abab", "----"]) {
      const content = `\r\n-\r\n--\r\r\n${boundary}\r\n-${boundary}\r\n\r\n--${boundary.slice(0, -1)}\n--${boundary}`;
      await assertRead(`--${boundary}\r\nA: b\r\n\r\n${content}\r\n--${boundary}--\r\n`, boundary, one(content));
    }
  });

  test("reads empty contents and several parts", async () => {
    const parts = [
      ["A: b", ""],
      ["C: d\r\nE: f", "\r\n"],
      ["", "x"],
    ] as const;
    const body = parts.map(([head, content]) => `--b\r\n${head}${head && "\r\n"}\r\n${content}\r\n`).join("");
    await assertRead(`${body}--b--\r\n`, "b", { parts });
  });

  for (const end of [
    "",
    "\r\n",
    "\r\n--Bb",
    "\r\n--BbB",
    "\r\n--BbB\r\n",
    "\r\n--BbB-",
    "\r\n--BbB--x",
    "\r\n--BbB--\n",
    "\r\n--BbB--\r",
    "\n--BbB--\n",
  ]) {
    test(`rejects a body that ends with ${JSON.stringify(end)} and without its closing delimiter`, async () => {
      const { error } = await read(Buffer.from(`--BbB\r\nA: b\r\n\r\nabc${end}`), "BbB");
      assert.equal(error, true);
      const body = Buffer.from(`--BbB\r\nA: b\r\n\r\nabc${end}`);
      for (const cutAt of everyByte(body)) assert.equal((await read(body, "BbB", [cutAt])).error, true);
    });
  }

  test("rejects a boundary after the closing delimiter: the file itself has that line", async () => {
    for (const rest of ["\r\nb\r\n--BbB--\r\n", "\r\n--BbB\r\n", "\r\n--BbB--"])
      await assertRead(`--BbB\r\nA: b\r\n\r\na\r\n--BbB--${rest}`, "BbB", { ...one("a"), error: true });
  });

  test("rejects line ends without CR, long heads, long padding, and bodies without a boundary", async () => {
    await assertRead("--b\nA: b\n\na\n--b--\n", "b", FAILED);
    await assertRead("", "b", FAILED);
    await assertRead("nothing", "b", FAILED);
    for (const body of [
      `--b\r\nA: ${"x".repeat(90_000)}\r\n\r\na\r\n--b--`,
      `--b\r\nA: ${"x".repeat(90_000)}`,
      `--b${" ".repeat(400)}\r\n`,
    ])
      assert.deepEqual(await read(Buffer.from(body), "b"), FAILED);
  });

  test("skips content that its reader does not read", async () => {
    const heads: string[] = [];
    const body = Buffer.from("--b\r\nA: 1\r\n\r\nlong content\r\n--b\r\nA: 2\r\n\r\nmore\r\n--b--");
    for await (const { head, content } of readMultipart(cut(body, everyByte(body)), "b")) {
      heads.push(Buffer.from(head).toString());
      for await (const _ of content) break;
    }
    assert.deepEqual(heads, ["A: 1", "A: 2"]);
  });

  test("reads every content that has no line of its boundary, however it is divided", async () => {
    const fragment = fc.constantFrom("\r\n", "\r", "\n", "-", "--", "b", "--b", "\r\n--b", "\r\n--bb", " ", "\t", "x", "\0", "\u00ff");
    const content = fc
      .array(fragment, { maxLength: 12 })
      .map((fragments) => fragments.join(""))
      .filter((text) => !/\r\n--b(?:--)?[ \t]*\r\n/.test(`\r\n${text}\r\n`));
    const divided = fc.tuple(fc.array(content, { minLength: 1, maxLength: 4 }), fc.array(fc.nat(), { maxLength: 30 }));
    await fc.assert(
      fc.asyncProperty(divided, async ([contents, cuts]) => {
        const text = `${contents.map((one) => `--b\r\nA: b\r\n\r\n${one}\r\n`).join("")}--b--\r\n`;
        const body = Buffer.from(text, "latin1");
        const ends = cuts.map((cut) => cut % body.length).sort((first, second) => first - second);
        assert.deepEqual(await read(body, "b", ends), { parts: contents.map((one) => ["A: b", one]) });
      }),
      { numRuns: 2000 },
    );
  });

  test("rejects or reads whatever arrives, in the same way however it is divided", async () => {
    const text = fc
      .array(fc.constantFrom("--b", "\r\n", "\r\n--b", "--", "A: b", "\r\n\r\n", "x", " "), { maxLength: 20 })
      .map((all) => all.join(""));
    await fc.assert(
      fc.asyncProperty(text, async (text) => {
        const body = Buffer.from(text);
        assert.deepEqual(await read(body, "b", everyByte(body)), await read(body, "b"));
      }),
      { numRuns: 2000 },
    );
  });
});
