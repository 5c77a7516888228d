import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { reservePort } from "../../support/network/free-ports.ts";
import type { TestServer } from "../../support/server.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { assertRefused, call, postUpload, signedUrl, type Upload, upload } from "../support/api/api.ts";
import { sendRaw } from "../support/api/raw-http.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { toPdf } from "../support/uploads/pdf.ts";

/** addresses, "The content host" and "Other sites". */
describe("the content host", () => {
  let server: TestServer;
  let site: string;
  let content: string;
  let file: Upload;
  let shipment: string;
  /** URLs from before the setting. */
  let earlier: Record<string, string>;
  before(async () => {
    const port = await reservePort();
    [site, content] = [`localhost:${port}`, `bytes.example:${port}`];
    server = await startPlainServer({ FILEHOST_LISTEN: `127.0.0.1:${port}`, FILEHOST_URL: `http://${site}` });
    file = await upload(server, { name: "a.pdf", type: "application/pdf", bytes: toPdf({ text: "Hello" }) });
    shipment = file.shortId;
    earlier = await signedUrls();
    await server.restart({ env: { FILEHOST_CONTENT_URL: `http://${content}` } });
  });
  after(() => server?.[Symbol.asyncDispose]());

  /** Requests a URL, or a path of a host, from the server of this test. */
  function ask(target: string, init: RequestInit = {}): Promise<Response> {
    const url = new URL(target);
    const headers = { ...(init.headers as Record<string, string>), Host: url.host };
    return fetch(server.url + url.pathname + url.search, { redirect: "manual", ...init, headers });
  }

  /** The URLs of a file's bytes, as the API and the page give them. */
  async function signedUrls(): Promise<Record<string, string>> {
    const archive = (await call(server, "GET", `/api/files/share/${shipment}/archive`)).body as unknown as { url: string };
    const page = await (await ask(`http://${site}${file.sharePath}`)).text();
    const document = /<iframe src="([^"]+)"/.exec(page)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const preview = new URL(document);
    preview.pathname += "/a.pdf";
    return { download: await signedUrl(server, file.id), archive: archive.url, document, preview: preview.href };
  }

  test("serves signed URLs, which name it, by GET and HEAD, and URLs from before the setting, and each works on the site", async () => {
    for (const [issued, urls] of [
      [site, earlier],
      [content, await signedUrls()],
    ] as const)
      for (const [name, url] of Object.entries(urls)) {
        assert.equal(new URL(url).host, issued, name);
        for (const host of [site, content])
          for (const method of ["GET", "HEAD"])
            assert.equal((await ask(url.replace(issued, host), { method })).status, 200, `${method} ${name} of ${issued} at ${host}`);
      }
  });

  test("serves the style sheet and the scripts of documents, and no other asset", async () => {
    const { document = "" } = await signedUrls();
    const assetsOf = (html: string) => [...new Set(html.match(/\/assets\/[^"]+/g))];
    const own = assetsOf(await (await ask(document)).text());
    assert.equal(own.length, 4);
    for (const path of own) assert.equal((await ask(`http://${content}${path}`)).status, 200, path);
    const others = assetsOf(await (await ask(`http://${site}/`)).text());
    assert.ok(others.length > 2);
    for (const path of others) assert.equal((await ask(`http://${content}${path}`)).status, 404, path);
  });

  test("serves no page, no operation, no sign-in, no upload and no other method", async () => {
    const { download = "" } = await signedUrls();
    const requests: readonly (readonly [string, string])[] = [
      ["GET", "/"],
      ["GET", file.sharePath],
      ["GET", "/signin"],
      ["POST", "/signin"],
      ["GET", "/settings"],
      ["GET", "/docs"],
      ["GET", "/robots.txt"],
      ["GET", "/llms.txt"],
      ["GET", "/service-worker.js"],
      ["GET", "/manifest.webmanifest"],
      ["GET", "/health"],
      ["GET", "/api/health"],
      ["GET", "/api/agent/capabilities"],
      ["POST", "/api/shares"],
      ["POST", "/api/auth/sign-in"],
      ["PUT", "/name.txt"],
      ["POST", "/"],
      ["PUT", "/up/abc/1"],
      ["PUT", "/de/dg_abc"],
      ["POST", new URL(download).pathname],
      ["DELETE", new URL(download).pathname],
    ];
    for (const host of [content, content.toUpperCase(), content.replace("example", "example.")])
      for (const [method, path] of requests) {
        const headers = { Accept: "text/html", Host: host, "Content-Type": "application/json" };
        const response = await fetch(server.url + path, { method, headers, redirect: "manual" });
        assert.equal(response.status, 404, `${method} ${path} at ${host}`);
        assert.equal(((await response.json()) as { errorCode: string }).errorCode, "NOT_FOUND");
      }
    assert.equal((await ask(`http://${content}/`, { method: "HEAD" })).status, 404);
    assert.equal((await ask(`http://${site}/signin`)).status, 200);
  });

  test("reads no key and no cookie, and sets no cookie", async () => {
    const { key } = await addAccount(server);
    const signedUp = await call(server, "POST", "/api/auth/sign-up", {
      json: { email: "ada@example.org", password: "correct horse battery", name: "Ada" },
    });
    const session = (signedUp.body.data as { sessionToken: string }).sessionToken;
    const { download = "", document = "" } = await signedUrls();
    const all: readonly Readonly<Record<string, string>>[] = [
      { Cookie: `session=${session}` },
      { Authorization: `Bearer ${key}` },
      { "X-Service-Api-Key": "invalid" },
    ];
    for (const credentials of all) {
      const headers = { Accept: "text/html", ...credentials };
      for (const url of [download, document, `${document}&lang=de`]) {
        const response = await ask(url, { headers });
        assert.equal(response.status, 200, JSON.stringify(credentials));
        assert.deepEqual(response.headers.getSetCookie(), []);
        assert.equal(response.headers.get("ratelimit-policy"), (await ask(url)).headers.get("ratelimit-policy"));
      }
      assert.equal((await ask(`http://${content}/settings`, { headers })).status, 404);
      assert.equal((await ask(`http://${content}/api/me`, { headers })).status, 404);
    }
  });

  test("counts as another site for changes: its pages need a key, and never act in a session", async () => {
    const { key } = await addAccount(server);
    const signedUp = await call(server, "POST", "/api/auth/sign-up", {
      json: { email: "bo@example.org", password: "correct horse battery", name: "Bo" },
    });
    const session = (signedUp.body.data as { sessionToken: string }).sessionToken;
    const browsers: readonly Readonly<Record<string, string>>[] = [{}, { "Sec-Fetch-Site": "same-site" }, { Cookie: `session=${session}` }];
    for (const browser of browsers) {
      const headers = { ...browser, Origin: `http://${content}` };
      assertRefused(await postUpload(server, { bytes: "x" }, { headers }), { status: 403, code: "CROSS_SITE_REQUEST" });
      const form = { method: "POST", headers, body: new URLSearchParams({ fileId: file.id }) };
      assert.equal((await ask(`http://${site}${file.sharePath}/download`, form)).status, 403);
      const own = { headers: { ...browser, Origin: `http://${site}` } };
      assert.equal((await postUpload(server, { bytes: "x" }, own)).status, 200, JSON.stringify(browser));
    }
    assert.equal((await postUpload(server, { bytes: "x" }, { key, headers: { Origin: `http://${content}` } })).status, 200);
  });

  test("redirects a browser whose URL fails to the site, which explains it", async () => {
    const { download = "" } = await signedUrls();
    const bad = new URL(download);
    bad.searchParams.set("s", "wrong");
    const response = await ask(bad.href, { headers: { Accept: "text/html" } });
    const location = response.headers.get("location") ?? "";
    assert.deepEqual([response.status, location], [302, `http://${site}${bad.pathname}${bad.search}`]);
    const page = await ask(location, { headers: { Accept: "text/html" } });
    assert.equal(page.status, 403);
    assert.match(await page.text(), /This download link does not work/);
    assert.equal((await ask(bad.href)).status, 403);
  });

  test("redirects to the same URL of the site, whatever name the URL contains", async () => {
    const { pathname } = new URL((await signedUrls()).download ?? "");
    const folder = pathname.slice(0, pathname.lastIndexOf("/"));
    for (const name of [
      "%E6%97%A5%E6%9C%AC%E8%AA%9E.txt",
      "日本語.txt",
      "%0d%0aX-Evil:%201",
      "%00",
      "%FF",
      "%",
      "a%3Fb",
      "😀",
      "a%22b",
      "%25",
    ]) {
      for (const path of [`${folder}/${name}?e=1&s=bad&n=%E6%97%A5`, `${folder}/${name}`]) {
        const { status, text } = await sendRaw(server, [
          Buffer.from(`GET ${path} HTTP/1.1\r\nHost: ${content}\r\nAccept: text/html\r\nConnection: close\r\n\r\n`),
        ]);
        assert.equal(status, 302, `${path}: ${text}`);
        const location = /^location: (.*)$/im.exec(text)?.[1]?.trim() ?? "";
        assert.equal(location, new URL(path, `http://${site}`).href, path);
        assert.match(text, /^x-request-id: \S+/im, path);
        assert.doesNotMatch(text, /^x-evil/im);
      }
    }
  });

  test("is not used for uploads, whose URLs belong to the site", async () => {
    const { key } = await addAccount(server);
    const { body } = await call(server, "POST", "/api/files/upload-delegations", { key, json: { name: "b.txt" } });
    const { uploadUrl } = body.data as { uploadUrl: string };
    assert.equal(new URL(uploadUrl).host, site);
    assert.equal((await ask(uploadUrl.replace(site, content), { method: "PUT", body: "bytes" })).status, 404);
    assert.equal((await ask(uploadUrl, { method: "PUT", body: "bytes" })).status, 200);
  });

  test("is checked by the doctor and the overview: it must exist, and have a separate name", async () => {
    const check = async (contentUrl: string) => {
      await server.restart({ env: { FILEHOST_CONTENT_URL: contentUrl } });
      const [doctor, overview] = [await server.run(["doctor", "--json"]), await server.run(["overview", "--json"])];
      const { findings } = JSON.parse(doctor.stdout) as { findings: Finding[] };
      const { warnings } = JSON.parse(overview.stdout) as { warnings: string[] };
      const found = findings.filter(({ what }) => what === "FILEHOST_CONTENT_URL").map(({ status, detail }) => `${status}: ${detail}`);
      return { found: found.join(), hasWarning: warnings.includes("no_content_url") };
    };
    const port = site.split(":")[1];
    const unset = await check("");
    assert.match(unset.found, /^warn: is not set/);
    const sameName = await check(`http://localhost:${Number(port) + 1}`);
    assert.match(sameName.found, /^warn: .* has the host name of the site/);
    const separate = await check(`http://127.0.0.1:${port}`);
    assert.match(separate.found, /^ok: .* serves the bytes of files alone/);
    assert.deepEqual([unset.hasWarning, sameName.hasWarning, separate.hasWarning], [true, true, false]);
  });
});

interface Finding {
  readonly what: string;
  readonly status: string;
  readonly detail: string;
}
