import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { brotliDecompressSync } from "node:zlib";
import { createPageCache } from "../../../src/http/responding/page-cache.ts";

const textOf = (body: string | Uint8Array): string => (typeof body === "string" ? body : new TextDecoder().decode(body));

describe("cached pages", () => {
  test("are rendered once for each key, and encoded as each client asks", async () => {
    const pages = createPageCache();
    let rendered = 0;
    const get = (key: string) =>
      pages.get(key, () => {
        rendered += 1;
        return { html: `<p>${key}</p>`, headers: { "X-Key": key } };
      });
    for (const key of ["a", "b", "a"]) {
      const page = get(key);
      assert.deepEqual(page.headers, { "X-Key": key });
      const plain = await page.encode(undefined);
      assert.deepEqual([textOf(plain.body), plain.headers["Content-Encoding"]], [`<p>${key}</p>`, undefined]);
      const compressed = await page.encode("br");
      assert.equal(brotliDecompressSync(compressed.body as Uint8Array).toString(), `<p>${key}</p>`);
      assert.equal(compressed.headers["Content-Encoding"], "br");
      assert.equal(await page.encode("br"), compressed);
    }
    assert.equal(rendered, 2);
  });

  test("are a thousand at most: the oldest makes room", () => {
    const pages = createPageCache();
    const rendered: string[] = [];
    const get = (key: string) =>
      pages.get(key, () => {
        rendered.push(key);
        return { html: key, headers: {} };
      });
    for (let index = 0; index <= 1000; index += 1) get(String(index));
    rendered.length = 0;
    get("1");
    get("1000");
    assert.deepEqual(rendered, []);
    get("0");
    assert.deepEqual(rendered, ["0"]);
  });
});
