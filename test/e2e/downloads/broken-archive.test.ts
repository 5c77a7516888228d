import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { makeFolder } from "../../support/folder.ts";
import { unzipMissing } from "../../support/formats/unzip.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { clientOf, type Upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { eventsOf } from "../support/servers/server-context.ts";
import { MB, someBytes } from "../support/uploads/multipart.ts";
import { atServer, putFile } from "../support/uploads/transfers.ts";

/** downloads, "Limited shares" and "Archives": one complete download, resumed after a broken transfer, and not a second. */
describeUnless(unzipMissing, "a broken transfer of a limited archive", () => {
  let server: ServerWith<"owner">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: { tier: "pro" } });
  });
  after(() => server[Symbol.asyncDispose]());

  const add = (name: string, sizeBytes: number, fields: Record<string, string>): Promise<Upload> =>
    putFile(server, `/${name}?${new URLSearchParams(fields)}`, someBytes(sizeBytes), server.owner.key);
  /** Uploads a shipment of files that may each be downloaded once; resolves to its archive's URL. */
  async function uploadShipment(sizes: Readonly<Record<string, number>>): Promise<{ url: string; files: Upload[] }> {
    const files: Upload[] = [];
    for (const [name, sizeBytes] of Object.entries(sizes)) {
      const [first] = files;
      files.push(await add(name, sizeBytes, first ? { shareShortId: first.shortId } : { openShare: "true", once: "true" }));
    }
    const { url } = await clientOf(server).call("authorizeArchive", { shortId: files[0]?.shortId ?? "" });
    return { url, files };
  }
  /** Reads at least `bytes` bytes, then aborts. */
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
  /** Lists the names in the archive at a URL; undefined for 404. */
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
  /** The size of the archive at a URL, in bytes. */
  const lengthAt = async (url: string): Promise<number> => Number((await fetch(url, { method: "HEAD" })).headers.get("content-length"));
  const waitForOneDownload = ({ id }: Upload): Promise<unknown> =>
    until(
      "the download is recorded",
      async () => (await eventsOf(server, id)).filter(({ type }) => type === "file.downloaded").length === 1,
    );

  // Half of it is much more than the socket buffers hold, which count as sent.
  const LARGE = 96 * MB;

  test("can be repeated until one download is complete", async () => {
    const { url, files } = await uploadShipment({ one: LARGE, two: 1000, three: 0 });
    await breakAfter(url, 1);
    assert.deepEqual(await namesAt(url), ["one", "two", "three"]);
    assert.equal(await namesAt(url), undefined);
    for (const file of files) await waitForOneDownload(file);
  });

  test("does not include completely sent files again", async () => {
    const { url, files } = await uploadShipment({ small: 2 * MB, large: LARGE, last: 1000 });
    await breakAfter(url, 3 * MB);
    assert.deepEqual(await namesAt(url), ["large", "last"]);
    assert.equal(await namesAt(url), undefined);
    for (const file of files) await waitForOneDownload(file);
  });

  test("does not include a file again once more than half of it was sent", async () => {
    const { url } = await uploadShipment({ large: LARGE, last: 1000 });
    await breakAfter(url, 0.6 * LARGE);
    assert.deepEqual(await namesAt(url), ["last"]);
    assert.equal(await namesAt(url), undefined);
  });

  test("never sends more than one and a half times a file's bytes, also after many breaks", async () => {
    const { url } = await uploadShipment({ large: LARGE, last: 1000 });
    const each = LARGE / 8;
    let tries = 0;
    for (; (await lengthAt(url)) > LARGE; tries += 1) await breakAfter(url, each);
    assert.ok(tries > 0 && tries * each <= 1.5 * LARGE, `${tries} times`);
    assert.deepEqual(await namesAt(url), ["last"]);
  });

  test("refuses a concurrent transfer of the same archive", async () => {
    const { url } = await uploadShipment({ large: LARGE });
    const slow = await fetch(url);
    assert.equal(slow.status, 200);
    assert.equal(await namesAt(url), undefined);
    assert.equal((await slow.arrayBuffer()).byteLength > LARGE, true);
    assert.equal(await namesAt(url), undefined);
  });

  test("cannot be repeated when the server was killed during it", async () => {
    const { url } = await uploadShipment({ small: 2 * MB, large: LARGE });
    const response = await fetch(url);
    const reader = response.body?.getReader();
    await reader?.read();
    await server.restart({ signal: "SIGKILL" });
    await reader?.cancel().catch(() => {});
    assert.equal(await namesAt(atServer(server, url)), undefined);
  });
});
