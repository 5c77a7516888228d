import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { makeFolder } from "../support/folder.ts";
import { until } from "../support/until.ts";
import { unzipMissing } from "../support/unzip.ts";
import { type ServerWith, withAccounts } from "./support/accounts.ts";
import { call, type Upload } from "./support/api.ts";
import { eventsOf } from "./support/inside.ts";
import { MB, someBytes } from "./support/multipart.ts";
import { startPlainServer } from "./support/plain.ts";
import { here, putFile } from "./support/transfers.ts";

/** decisions, "Downloads": one whole delivery, a broken transfer included, and not a second. */
describe("the transfer of a limited archive that breaks off", { skip: unzipMissing }, () => {
  let server: ServerWith<"owner">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: { tier: "pro" } });
  });
  after(() => server[Symbol.asyncDispose]());

  const add = (name: string, sizeBytes: number, fields: Record<string, string>): Promise<Upload> =>
    putFile(server, `/${name}?${new URLSearchParams(fields)}`, someBytes(sizeBytes), server.owner.key);
  /** A shipment of files that may each be downloaded once, and the address of its archive. */
  async function ship(sizes: Readonly<Record<string, number>>): Promise<{ url: string; files: Upload[] }> {
    const files: Upload[] = [];
    for (const [name, sizeBytes] of Object.entries(sizes)) {
      const [first] = files;
      files.push(await add(name, sizeBytes, first ? { shareShortId: first.shortId } : { openShare: "true", once: "true" }));
    }
    const { status, body } = await call(server, "GET", `/api/files/share/${files[0]?.shortId}/archive`);
    assert.equal(status, 200, JSON.stringify(body));
    return { url: body.url ?? "", files };
  }
  /** Reads at least so many bytes, and breaks off. */
  async function breakAfter(url: string, bytes: number): Promise<void> {
    const broken = new AbortController();
    const response = await fetch(url, { signal: broken.signal });
    assert.equal(response.status, 200, await (response.ok ? "" : response.text()));
    let read = 0;
    for await (const chunk of response.body ?? []) {
      read += chunk.length;
      if (read >= bytes) break;
    }
    broken.abort();
  }
  /** The names in the archive that an address answers; undefined where that is 404. */
  async function namesAt(url: string): Promise<string[] | undefined> {
    const response = await fetch(url);
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (response.status === 404) return undefined;
    assert.equal(response.status, 200);
    await using folder = await makeFolder();
    const path = join(folder.path, "a.zip");
    await writeFile(path, bytes);
    const tested = spawnSync("unzip", ["-tqq", path], { encoding: "utf8" });
    assert.equal(tested.status, 0, tested.stdout + tested.stderr);
    return spawnSync("unzip", ["-Z1", path], { encoding: "utf8" }).stdout.trim().split("\n");
  }
  /** How many bytes the archive at an address has now. */
  const lengthAt = async (url: string): Promise<number> => Number((await fetch(url, { method: "HEAD" })).headers.get("content-length"));
  const deliveredOnce = ({ id }: Upload): Promise<unknown> =>
    until("it is delivered", async () => (await eventsOf(server, id)).filter(({ type }) => type === "file.downloaded").length === 1);

  // Its half is much more than what the two kernels hold for a connection, which counts as sent.
  const LARGE = 96 * MB;

  test("can be begun again at once, and is over when it was whole", async () => {
    const { url, files } = await ship({ one: LARGE, two: 1000, three: 0 });
    await breakAfter(url, 1);
    assert.deepEqual(await namesAt(url), ["one", "two", "three"]);
    assert.equal(await namesAt(url), undefined);
    for (const file of files) await deliveredOnce(file);
  });

  test("does not bring back the files that were sent whole", async () => {
    const { url, files } = await ship({ small: 2 * MB, large: LARGE, last: 1000 });
    await breakAfter(url, 3 * MB);
    assert.deepEqual(await namesAt(url), ["large", "last"]);
    assert.equal(await namesAt(url), undefined);
    for (const file of files) await deliveredOnce(file);
  });

  test("past the half of a file does not bring that one back", async () => {
    const { url } = await ship({ large: LARGE, last: 1000 });
    await breakAfter(url, 0.6 * LARGE);
    assert.deepEqual(await namesAt(url), ["last"]);
    assert.equal(await namesAt(url), undefined);
  });

  test("again and again never has more than one and a half times a file's bytes", async () => {
    const { url } = await ship({ large: LARGE, last: 1000 });
    const each = LARGE / 8;
    let tries = 0;
    for (; (await lengthAt(url)) > LARGE; tries += 1) await breakAfter(url, each);
    assert.ok(tries > 0 && tries * each <= 1.5 * LARGE, `${tries} times`);
    assert.deepEqual(await namesAt(url), ["last"]);
  });

  test("is one at a time", async () => {
    const { url } = await ship({ large: LARGE });
    const slow = await fetch(url);
    assert.equal(slow.status, 200);
    assert.equal(await namesAt(url), undefined);
    assert.equal((await slow.arrayBuffer()).byteLength > LARGE, true);
    assert.equal(await namesAt(url), undefined);
  });

  test("gives nothing back where the server was killed", async () => {
    const { url } = await ship({ small: 2 * MB, large: LARGE });
    const response = await fetch(url);
    const reader = response.body?.getReader();
    await reader?.read();
    await server.restart({ signal: "SIGKILL" });
    await reader?.cancel().catch(() => {});
    assert.equal(await namesAt(here(server, url)), undefined);
  });
});
