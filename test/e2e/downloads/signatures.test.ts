import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createKeyring } from "../../../src/lib/secrets/secrets.ts";
import { signDownloadUrl } from "../../../src/service/files/signed-url.ts";
import type { TestServer } from "../../support/server.ts";
import { signedUrl, type Upload, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

/** identifiers, "Signed URLs"; limits, "Times"; configuration, "The server's secret". */
describe("signed download URLs", () => {
  let server: TestServer;
  let file: Upload;
  let url: string;
  before(async () => {
    server = await startPlainServer();
    file = await upload(server, { name: "some.bin", bytes: "some bytes" });
    url = await signedUrl(server, file.id);
  });
  after(() => server[Symbol.asyncDispose]());

  const altered = (change: (address: URL) => void): string => {
    const address = new URL(url);
    change(address);
    return address.href;
  };
  const isRefused = async (address: string) => {
    for (const method of ["GET", "HEAD"]) {
      const response = await fetch(address, { method });
      assert.equal(response.status, 403, address);
      if (method === "GET") assert.equal(((await response.json()) as { errorCode: string }).errorCode, "SIGNATURE_INVALID");
    }
  };

  test("a URL with any altered parameter is refused", async () => {
    for (const name of new URL(url).searchParams.keys()) {
      await isRefused(altered((address) => address.searchParams.delete(name)));
      await isRefused(altered((address) => address.searchParams.set(name, "")));
      const value = new URL(url).searchParams.get(name) ?? "";
      await isRefused(altered((address) => address.searchParams.set(name, `${value}0`)));
      await isRefused(
        altered((address) => address.searchParams.set(name, value.startsWith("1") ? `2${value.slice(1)}` : `1${value.slice(1)}`)),
      );
    }
    await isRefused(altered((address) => address.searchParams.set("g", "x")));
    await isRefused(altered((address) => address.searchParams.set("p", "u")));
  });

  test("a URL with the id of another file is refused", async () => {
    const other = await upload(server, { bytes: "other" });
    for (const id of [other.id, "A".repeat(16), "nothing"]) {
      await isRefused(
        altered((address) => {
          address.pathname = address.pathname.replace(file.id, id);
        }),
      );
    }
  });

  test("an expired URL and one signed with another secret are refused", async () => {
    const secret = (await readFile(join(server.dataDir, "secret"), "utf8")).trim();
    const contentUrl = server.url;
    const sign = (from: string, expiresAtMs: number) =>
      signDownloadUrl(
        {
          urls: { contentUrl, siteUrl: contentUrl, mcpUrl: contentUrl, apiUrl: `${contentUrl}/api` },
          keyring: createKeyring(from),
        },
        { file, share: { credentials_version: 0, expires_at: null }, purpose: "download", expiresAtMs },
      );
    assert.equal((await fetch(sign(secret, Date.now() + 60_000))).status, 200);
    await isRefused(sign(secret, Date.now() - 1000));
    await isRefused(
      sign(
        secret.replace(/^./, (first) => (first === "0" ? "1" : "0")),
        Date.now() + 60_000,
      ),
    );
  });

  test("browsers get a page for a refused URL", async () => {
    const response = await fetch(
      altered((address) => address.searchParams.set("s", "x")),
      { headers: { Accept: "text/html" } },
    );
    assert.equal(response.status, 403);
    assert.match(response.headers.get("content-type") ?? "", /^text\/html/);
  });

  test("URLs are valid for an hour, those in the upload's response for a day, and never longer than the share", async () => {
    const endOf = (address: string) => Number.parseInt(new URL(address).searchParams.get("e") ?? "", 36) * 1000 - Date.now();
    assert.ok(Math.abs(endOf(await signedUrl(server, file.id)) - 3_600_000) < 30_000);
    assert.ok(Math.abs(endOf(file.url) - 24 * 3_600_000) < 30_000);
    const brief = await upload(server, { bytes: "x", fields: { ttl: "10m" } });
    assert.ok(Math.abs(endOf(brief.url) - 600_000) < 30_000);
    assert.ok(Math.abs(endOf(await signedUrl(server, brief.id)) - 600_000) < 30_000);
  });
});
