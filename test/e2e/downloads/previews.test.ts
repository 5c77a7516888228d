import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { clientOf, deleteFile, type Upload, type UploadForm, upload } from "../support/api/api.ts";
import { hiddenField, postForm, uploadProtected, uploadShipment } from "../support/pages/pages.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";

const PNG = Uint8Array.from(
  Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64"),
);
const IMAGE: UploadForm = { name: "Übung 1.png", type: "image/png", bytes: PNG };

type Server = Awaited<ReturnType<typeof startPlainServer>> & ServerWith<"owner" | "pro">;

describe("previews", () => {
  let server: Server;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: {}, pro: { tier: "pro" } });
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
  });

  const pageOf = async (path: string): Promise<string> =>
    await (await fetch(server.url + path, { headers: { Accept: "text/html" } })).text();
  /** The URL of the preview on a page, undefined if it has none. */
  const urlIn = (html: string): string | undefined =>
    /id="preview">(?:<div class="picture[^"]*">(?:<svg.*?<\/svg>)?<a [^>]*>)?<(?:img|audio|video|iframe) src="([^"]+)"/
      .exec(html)?.[1]
      ?.replaceAll("&amp;", "&");
  const previewOf = async (file: Pick<Upload, "sharePath">): Promise<string> => {
    const html = await pageOf(file.sharePath);
    return urlIn(html) ?? assert.fail(html);
  };
  const uploadOwned = (form: UploadForm = IMAGE) => upload(server, form, { key: server.owner.key });
  const statusOf = async (url: string): Promise<number> => (await fetch(url)).status;
  const counts = (shortId: string) =>
    withDatabase(server, async (db) => ({
      files: await db.selectFrom("files").select("download_count").where("short_id", "=", shortId).execute(),
      events: await db.selectFrom("events").select("type").where("type", "like", "file.%load%").execute(),
      grants: await db.selectFrom("download_grants").select("id").execute(),
    }));

  const setShare = (file: Upload, set: object) =>
    withDatabase(server, (db) => db.updateTable("shares").set(set).where("short_id", "=", file.shortId).execute());

  /** previews, "Which files have one". */
  test("a page has a preview only of an unlimited, unlocked, clean file of a listed type", async () => {
    assert.ok(await previewOf(await uploadOwned()));
    const none: readonly UploadForm[] = [
      { ...IMAGE, fields: { once: "true" } },
      { ...IMAGE, fields: { maxDownloads: "5" } },
      { name: "a.bin", type: "application/octet-stream", bytes: Uint8Array.of(0, 1, 2) },
    ];
    for (const form of none) assert.doesNotMatch(await pageOf((await uploadOwned(form)).sharePath), /id="preview"/);
    const change = async (set: object) => {
      const file = await uploadOwned();
      await withDatabase(server, async (db) => {
        await db.updateTable("files").set(set).where("id", "=", file.id).execute();
      });
      return await pageOf(file.sharePath);
    };
    const priced = await uploadOwned();
    await setShare(priced, { price_cents: 100 });
    assert.doesNotMatch(await pageOf(priced.sharePath), /id="preview"/);
    for (const set of [{ scan_status: "scanning" }, { scan_status: "pending" }, { blob_state: "uploading" }])
      assert.doesNotMatch(await change(set), /id="preview"/, JSON.stringify(set));
  });

  /** The configured URL has the port of the first start. */
  const atServer = (url: string): string => server.url + new URL(url).pathname + new URL(url).search;

  test("a protected share has a preview after it was unlocked, by code or handoff link, and none before a wait", async () => {
    const file = await uploadProtected(server, IMAGE);
    assert.doesNotMatch(await pageOf(file.sharePath), /id="preview"/);
    const unlocked = await postForm(server, `${file.sharePath}/unlock`, { unlockCode: file.unlockCode });
    const url = urlIn(unlocked.html) ?? assert.fail(unlocked.html);
    assert.equal(await statusOf(atServer(url)), 200);
    assert.ok(urlIn(await pageOf(new URL(file.handoffUrl).pathname)));
    assert.doesNotMatch((await postForm(server, `${file.sharePath}/unlock`, { unlockCode: "ZZZZZZ" })).html, /id="preview"/);
  });

  /** previews, "Signed URLs". */
  test("the bytes have the headers of a download, inline, and count no download", async () => {
    const file = await uploadOwned();
    const url = atServer(await previewOf(file));
    const before = await counts(file.shortId);
    const whole = await fetch(url);
    assert.equal(whole.status, 200);
    assert.deepEqual(new Uint8Array(await whole.arrayBuffer()), PNG);
    const expected = {
      "content-type": "image/png",
      "content-length": String(PNG.length),
      "accept-ranges": "bytes",
      etag: `"${file.id}"`,
      "cache-control": "private, no-store",
      "content-security-policy": "sandbox; default-src 'none'",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    };
    for (const [name, value] of Object.entries(expected)) assert.equal(whole.headers.get(name), value, name);
    assert.match(whole.headers.get("content-disposition") ?? "", /^inline; .*filename\*=UTF-8''%C3%9Cbung%201\.png$/);
    const range = await fetch(url, { headers: { Range: "bytes=10-19" } });
    assert.deepEqual([range.status, range.headers.get("content-range")], [206, `bytes 10-19/${PNG.length}`]);
    assert.deepEqual(new Uint8Array(await range.arrayBuffer()), PNG.subarray(10, 20));
    assert.equal((await fetch(url, { headers: { Range: "bytes=5000-" } })).status, 416);
    assert.equal((await fetch(url, { headers: { "If-None-Match": `"${file.id}"` } })).status, 304);
    assert.equal((await fetch(url, { headers: { "If-Match": '"other"' } })).status, 412);
    const head = await fetch(url, { method: "HEAD" });
    assert.deepEqual([head.status, head.headers.get("content-length")], [200, String(PNG.length)]);
    assert.deepEqual(await counts(file.shortId), before);
    assert.deepEqual(before.files, [{ download_count: 0 }]);
  });

  test("SVG and PDF are never shown outside a frame", async () => {
    const svg = await uploadOwned({
      name: "a.svg",
      type: "image/svg+xml",
      bytes: '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>',
    });
    const response = await fetch(atServer(await previewOf(svg)));
    assert.match(response.headers.get("content-disposition") ?? "", /^attachment/);
    assert.equal(response.headers.get("content-type"), "image/svg+xml");
    const pdf = await uploadOwned({ name: "a.pdf", type: "application/pdf", bytes: "%PDF-1.4\n" });
    const bytes = atServer(await previewOf(pdf)).replace("?", "/a.pdf?");
    assert.match((await fetch(bytes)).headers.get("content-disposition") ?? "", /^attachment/);
  });

  const key = () => server.owner.key;
  const ends: Readonly<Record<string, (file: Upload) => Promise<unknown>>> = {
    "deletion, 404": (file) => deleteFile(server, { fileId: file.id }, { key: key() }),
    "takedown, 404": (file) => server.run(["takedown", file.shortId]),
    "the blocklist, 404": async ({ sha256 }) => {
      for (const change of ["add", "remove"]) await server.run(["blocklist", change, sha256 ?? ""]);
    },
    "expiry, 404": (file) => setShare(file, { expires_at: Date.now() - 1 }),
    "a download limit, 404": (file) => setShare(file, { max_downloads: 3 }),
    "a price, 404": (file) => setShare(file, { price_cents: 100 }),
    "protection, 403": (file) => clientOf(server, { key: key() }).call("updateShareSettings", { fileId: file.id, protect: true }),
  };

  for (const [name, act] of Object.entries(ends)) {
    test(`a preview's URL ends with ${name}`, async () => {
      const file = await uploadOwned();
      const text = await uploadOwned({ bytes: "text" });
      const urls = [atServer(await previewOf(file)), atServer(await previewOf(text))];
      for (const url of urls) assert.equal(await statusOf(url), 200);
      for (const ended of [file, text]) await act(ended);
      for (const url of urls) assert.equal(await statusOf(url), Number(name.split(", ").at(-1)));
    });
  }

  test("a URL is valid for one file, one purpose and 15 minutes", async () => {
    const [one, other] = [await uploadOwned(), await uploadOwned()];
    const url = new URL(atServer(await previewOf(one)));
    const expiry = Number.parseInt(url.searchParams.get("e") ?? "", 36);
    const leftSeconds = expiry - Date.now() / 1000;
    assert.ok(leftSeconds > 14 * 60 && leftSeconds <= 15 * 60, String(leftSeconds));
    const changed = (from: string, to: string): string => url.href.replace(from, to);
    const forged = [
      changed(one.id, other.id),
      changed(`e=${url.searchParams.get("e")}`, `e=${(expiry + 60).toString(36)}`),
      changed("/pv/", "/dl/"),
      changed("?e=", "?p=d&e=").replace("/pv/", "/dl/"),
      changed("?", "?x"),
      url.origin + url.pathname,
    ];
    for (const wrong of forged) assert.equal(await statusOf(wrong), 403, wrong);
    const download = (await clientOf(server).call("authorizeDownload", { fileId: one.id })) as { url: string };
    assert.equal(await statusOf(atServer(download.url).replace("/dl/", "/pv/")), 403);
  });

  /** previews, "Documents". */
  test("a document has a sandbox and the beginning of the text, and no URL has the bytes of a text or an archive", async () => {
    const file = await uploadOwned({ name: "a.html", type: "text/html", bytes: `<script>alert(1)</script>${"x".repeat(300 * 1024)}` });
    const url = atServer(await previewOf(file));
    const response = await fetch(url, { headers: { Accept: "text/html" } });
    assert.match(response.headers.get("content-type") ?? "", /^text\/html/);
    const policy = response.headers.get("content-security-policy") ?? "";
    assert.match(
      policy,
      /^sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src \*:\*\/assets\/; base-uri 'none'; form-action 'none', /,
    );
    assert.doesNotMatch(policy, /script-src|connect-src|img-src|frame-src/);
    const html = await response.text();
    assert.match(html, /This is the beginning\./);
    assert.match(html, /&lt;.*script/);
    assert.doesNotMatch(html, /<script/);
    assert.ok(html.length < 270 * 1024, String(html.length));
    assert.equal(await statusOf(url.replace("?", "/a.html?")), 404);
    const image = atServer(await previewOf(await uploadOwned()));
    assert.equal(await statusOf(image.replace(/\/[^/]*\?/, "?")), 404);
  });

  test("the list of a ZIP escapes its names", async () => {
    const share = await uploadShipment(server, { key: server.pro.key, paths: ["a/b.txt", "c.txt"] });
    const { url } = (await clientOf(server).call("authorizeArchive", { shortId: share.shortId })) as { url: string };
    const bytes = Buffer.from(await (await fetch(atServer(url))).arrayBuffer());
    const zip = Buffer.from(bytes.toString("latin1").replaceAll("a/b.txt", "<b>/..x"), "latin1");
    const file = await uploadOwned({ name: "a.zip", type: "application/zip", bytes: zip });
    const html = await (await fetch(atServer(await previewOf(file)))).text();
    assert.match(html, /<summary><bdi>&lt;b(?:>|&gt;)<\/bdi>.*<bdi>\.\.x<\/bdi>/);
    assert.match(html, /<bdi>c\.txt<\/bdi>/);
    const broken = await uploadOwned({ name: "b.zip", type: "application/zip", bytes: zip.subarray(0, -30) });
    assert.match(await (await fetch(atServer(await previewOf(broken)))).text(), /The list of files cannot be read\./);
  });

  /** previews, "The policy of the page". */
  test("the policy of a page allows the elements that its files need, and no others", async () => {
    const policyOf = async (path: string): Promise<string> => (await fetch(server.url + path)).headers.get("content-security-policy") ?? "";
    const previews = `${new URL(await previewOf(await uploadOwned())).origin}/pv/`;
    const image = await policyOf((await uploadOwned()).sharePath);
    const thumbnails = previews.replace("/pv/", "/thumb/");
    assert.equal(image.split(`img-src 'self' data: ${thumbnails} ${previews}`).length, 3, image);
    assert.doesNotMatch(image, /media-src|frame-src/);
    const text = await policyOf((await uploadOwned({ bytes: "text" })).sharePath);
    assert.equal(text.split(`frame-src ${previews}`).length, 3, text);
    assert.doesNotMatch(text, /media-src|img-src 'self' data: /);
    const sound = await policyOf((await uploadOwned({ name: "a.mp3", type: "audio/mpeg", bytes: "ID3" })).sharePath);
    assert.equal(sound.split(`media-src ${previews}`).length, 3, sound);
    const locked = await policyOf((await uploadProtected(server, IMAGE)).sharePath);
    assert.ok(locked.includes(previews), "a script may unlock the page in place");
    for (const path of ["/", "/d/nowhere1", (await uploadOwned({ ...IMAGE, fields: { once: "true" } })).sharePath])
      assert.doesNotMatch(await policyOf(path), /\/pv\//, path);
  });

  /** previews, "Previews of shipments". */
  test("the page of a shipment shows the preview of the chosen file, also after unlocking", async () => {
    const open = await uploadShipment(server, { key: server.pro.key, paths: ["a.txt", "b.txt"] });
    assert.doesNotMatch(await pageOf(open.sharePath), /id="preview"/);
    const url = urlIn(await pageOf(`${open.sharePath}?file=${open.id}`)) ?? assert.fail();
    assert.match(await (await fetch(atServer(url))).text(), /bytes of a\.txt/);
    assert.doesNotMatch(await pageOf(`${open.sharePath}?file=nothing`), /id="preview"/);
    const other = await uploadOwned();
    assert.doesNotMatch(await pageOf(`${open.sharePath}?file=${other.id}`), /id="preview"/);
    const secret = await uploadShipment(server, { key: server.pro.key, paths: ["a.txt", "b.txt"], fields: { protect: "true" } });
    assert.doesNotMatch(await pageOf(`${secret.sharePath}?file=${secret.id}`), /id="preview"/);
    const unlocked = await postForm(server, `${secret.sharePath}/unlock`, { unlockCode: secret.unlockCode ?? "" });
    const unlockToken = hiddenField(unlocked.html, "unlockToken") ?? assert.fail(unlocked.html);
    const shown = await postForm(server, `${secret.sharePath}/preview`, { unlockToken, fileId: secret.id });
    assert.ok(urlIn(shown.html));
    assert.equal((await postForm(server, `${secret.sharePath}/preview`, { fileId: secret.id })).status, 403);
    assert.ok(urlIn(await pageOf(`${new URL(secret.handoffUrl ?? "").pathname}?file=${secret.id}`)));
  });
});

/** previews, "Signed URLs": the content URL, and the wait before downloads. */
test("previews are below the content URL, and begin after the wait", async () => {
  await using server = await startPlainServer({ FILEHOST_CONTENT_URL: "http://bytes.example", FILEHOST_DOWNLOAD_WAIT: "300" });
  const file = await upload(server, IMAGE);
  const page = await fetch(server.url + file.sharePath);
  assert.match(
    page.headers.get("content-security-policy") ?? "",
    /img-src 'self' data: http:\/\/bytes\.example\/thumb\/ http:\/\/bytes\.example\/pv\//,
  );
  assert.doesNotMatch(await page.text(), /id="preview"/);
  await server.restart({ env: { FILEHOST_DOWNLOAD_WAIT: "0" } });
  const html = await (await fetch(server.url + file.sharePath)).text();
  const [, url = ""] = /<img src="(http:\/\/bytes\.example\/pv\/[^"]+)"/.exec(html) ?? [];
  assert.equal((await fetch(server.url + url.replace("http://bytes.example", "").replaceAll("&amp;", "&"))).status, 200);
});
