import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { makeFolder } from "../../support/folder.ts";
import { pngOf } from "../../support/formats/images.ts";
import { until } from "../../support/until.ts";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { assertRefused, call, clientOf } from "../support/api/api.ts";
import { startSession } from "../support/api/callers.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { startServerInstances } from "../support/servers/server-instances.ts";

type Server = { readonly url: string };

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><script>alert(1)</script></svg>`;
const PNG = pngOf(200, 200);
const ADMINISTRATOR = { administrator: { isAdministrator: true } } as const;

const toBase64 = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString("base64");

/** The path of the logo on the front page; undefined: none. */
async function findLogo(server: Server): Promise<string | undefined> {
  const html = await (await fetch(server.url, { headers: { Accept: "text/html" } })).text();
  const path = /<img class="logo" src="([^"]+)"/.exec(html)?.[1];
  assert.equal(/<link rel="icon" href="([^"]+)"/.exec(html)?.[1]?.startsWith("/assets/logo-"), path !== undefined);
  return path;
}

const bytesAt = async (server: Server, path: string): Promise<Buffer> => Buffer.from(await (await fetch(server.url + path)).arrayBuffer());

/** configuration, "Settings in the database"; pages, "Branding". */
describe("the logo that administrators set while the server runs", () => {
  let server: ServerWith<"administrator">;
  before(async () => {
    server = await withAccounts(startPlainServer(), ADMINISTRATOR);
  });
  after(() => server[Symbol.asyncDispose]());

  const admin = () => clientOf(server, server.administrator);
  const setLogo = async (logo: string | null) => (await admin().call("updateSettings", { settings: { logo } })).data;
  const findSetting = async () => (await admin().call("getSettings", {})).data.settings.find(({ name }) => name === "logo");

  /** Sends the page's form. */
  async function sendForm(fields: Readonly<Record<string, string | File>>): Promise<{ status: number; html: string }> {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    const headers = {
      Accept: "text/html",
      Cookie: `session=${await startSession(server, server.administrator)}`,
      Origin: `http://localhost:${new URL(server.url).port}`,
    };
    const response = await fetch(`${server.url}/admin/settings`, { method: "POST", headers, body });
    return { status: response.status, html: await response.text() };
  }

  test("is on the pages and in the manifest with the next request, under a URL of its content", async () => {
    assert.equal(await findLogo(server), undefined);
    await setLogo(toBase64(PNG));
    const first = (await findLogo(server)) ?? "";
    assert.deepEqual(await bytesAt(server, first), Buffer.from(PNG));
    const manifest = (await (await fetch(`${server.url}/manifest.webmanifest`)).json()) as { icons: { src: string; sizes: string }[] };
    assert.deepEqual(manifest.icons, [{ src: first, type: "image/png", sizes: "200x200" }]);
    await setLogo(`data:image/png;base64,${toBase64(SVG)}`);
    const second = (await findLogo(server)) ?? "";
    assert.match(second, /\.svg$/);
    const shown = await fetch(server.url + second);
    assert.deepEqual(
      ["content-type", "content-security-policy", "x-content-type-options", "cache-control"].map((name) => shown.headers.get(name)),
      ["image/svg+xml", "sandbox; default-src 'none'; style-src 'unsafe-inline'", "nosniff", "public, max-age=31536000, immutable"],
    );
    // A page that is still open has the former one.
    const former = await fetch(server.url + first, { redirect: "manual" });
    assert.deepEqual([former.status, former.headers.get("location"), former.headers.get("cache-control")], [302, second, "no-store"]);
    await setLogo(null);
    assert.equal(await findLogo(server), undefined);
    assert.equal((await fetch(server.url + second)).status, 404);
  });

  test("is listed and recorded by its name, not by its bytes", async () => {
    await setLogo(toBase64(SVG));
    const name = ((await findLogo(server)) ?? "").replace("/assets/", "");
    const setting = await findSetting();
    assert.deepEqual([setting?.value, setting?.source, setting?.kind, setting?.default], [name, "database", "image", null]);
    const before = (await admin().call("listAuditLog", { subject: "logo" })).data.length;
    // The same image is no change.
    await setLogo(`data:;base64,${toBase64(SVG)}`);
    await setLogo(null);
    const { data: entries } = await admin().call("listAuditLog", { subject: "logo" });
    assert.equal(entries.length, before + 1);
    assert.deepEqual(
      [entries[0]?.action, entries[0]?.details, entries[0]?.actor?.id],
      ["setting.changed", { from: name, to: null }, server.administrator.userId],
    );
  });

  test("is set and removed by the page's form, which explains the problem of an image", async () => {
    const image = new File([SVG], "photo.jpg", { type: "image/jpeg" });
    const saved = await sendForm({ revision: "1000000", logo: image });
    assert.equal(saved.status, 200);
    assert.match(saved.html, /The change is active/);
    const path = (await findLogo(server)) ?? "";
    assert.ok(saved.html.includes(path));
    const cases: readonly (readonly [file: File | undefined, message: RegExp])[] = [
      [undefined, /Choose an image first/],
      [new File(["GIF89a"], "logo.svg", { type: "image/svg+xml" }), /This file has another format or is damaged/],
      [new File([new Uint8Array(256 * 1024 + 1)], "logo.png"), /larger than 256\sKB/],
      [new File([new Uint8Array(5 * 1024 ** 2)], "photo.png"), /larger than 256\sKB/],
    ];
    for (const [logo, message] of cases) {
      const refused = await sendForm({ revision: "1000000", ...(logo && { logo }) });
      assert.equal(refused.status, 400);
      assert.match(refused.html, message);
      assert.equal(await findLogo(server), path);
    }
    const { revision } = (await admin().call("getSettings", {})).data;
    await setLogo(toBase64(PNG));
    const stale = await sendForm({ revision: String(revision), logo: image });
    assert.equal(stale.status, 409);
    assert.match(stale.html, /Somebody changed this meanwhile/);
    assert.equal((await findSetting())?.value, ((await findLogo(server)) ?? "").replace("/assets/", ""));
    await setLogo(null);
  });

  test("is set by the command line from a file, and the server uses it", async () => {
    await using folder = await makeFolder();
    const [logo, other] = [join(folder.path, "logo"), join(folder.path, "other.svg")];
    await writeFile(logo, PNG);
    await writeFile(other, "GIF89a");
    const settings = async (...words: string[]) => await server.run(["settings", ...words]);
    const set = await settings("set", "logo", logo);
    assert.equal(set.code, 0, set.stderr);
    assert.match(set.stdout, /^logo: logo-[0-9a-f]{16}\.png\n$/);
    await until("the server follows", async () => (await findLogo(server)) !== undefined);
    for (const [path, message] of [
      [other, /other\.svg is damaged, or not an SVG, PNG or WebP image/],
      [join(folder.path, "missing"), /cannot be read/],
    ] as const) {
      const refused = await settings("set", "logo", path);
      assert.deepEqual([refused.code, message.test(refused.stderr)], [2, true], refused.stderr);
    }
    assert.ok(await findLogo(server));
    assert.equal((await settings("unset", "logo")).code, 0);
    await until("the server follows", async () => (await findLogo(server)) === undefined);
  });
});

test("is overridden by the logo of the environment, which cannot be replaced while the server runs", async () => {
  await using folder = await makeFolder();
  const path = join(folder.path, "logo.png");
  await writeFile(path, SVG);
  await using server = await withAccounts(startPlainServer(), ADMINISTRATOR);
  const admin = () => clientOf(server, server.administrator);
  await admin().call("updateSettings", { settings: { logo: toBase64(PNG) } });
  await server.restart({ signal: "SIGKILL" });
  assert.match((await findLogo(server)) ?? "", /\.png$/);
  await server.restart({ env: { FILEHOST_LOGO: path } });
  const shown = (await findLogo(server)) ?? "";
  assert.equal((await bytesAt(server, shown)).toString(), SVG);
  const { data } = await admin().call("getSettings", {});
  assert.ok(!JSON.stringify(data).includes(folder.path));
  const setting = data.settings.find(({ name }) => name === "logo");
  assert.deepEqual([setting?.value, setting?.source, setting?.fixedBy], [shown.replace("/assets/", ""), "environment", "FILEHOST_LOGO"]);
  for (const logo of [toBase64(PNG), null]) {
    const refused = await call(server, "PATCH", "/api/admin/settings", { ...server.administrator, json: { settings: { logo } } });
    assertRefused(refused, { status: 409, code: "CONFLICT" });
    assert.match(refused.body.error ?? "", /fixed by FILEHOST_LOGO/);
  }
  const headers = { Accept: "text/html", Cookie: `session=${await startSession(server, server.administrator)}` };
  const html = await (await fetch(`${server.url}/admin/settings`, { headers })).text();
  assert.match(html, /Fixed by FILEHOST_LOGO/);
  assert.doesNotMatch(html, /type="file"/);
  assert.equal(await findLogo(server), shown);
});

for (const database of ["server", "file"] as const)
  test(`is the same on two server instances with one database, a ${database}`, async () => {
    await using instances = await startServerInstances({ count: 2, database, env: { FILEHOST_SCANNER: "off", FILEHOST_MIN_FREE: "0" } });
    const [first, second] = [instances.instance(0), instances.instance(1)];
    const { id } = JSON.parse(
      (await first.run(["users", "create", "--email", "a@example.org", "--name", "A", "--admin", "--json"])).stdout,
    ) as { id: string };
    const key = (await first.run(["keys", "create", "--user", id, "--admin"])).stdout.trim();
    for (const image of [Buffer.from(PNG), Buffer.from(SVG)]) {
      const before = await findLogo(second);
      await clientOf(first, { key }).call("updateSettings", { settings: { logo: toBase64(image) } });
      const path = (await findLogo(first)) ?? "";
      // A proxy may send the requests of one page to both.
      assert.deepEqual(await bytesAt(second, path), image);
      if (before !== undefined) assert.deepEqual(await bytesAt(first, before), image);
      await until("the other follows", async () => (await findLogo(second)) === path);
    }
    await clientOf(second, { key }).call("updateSettings", { settings: { logo: null } });
    await until("the other follows", async () => (await findLogo(first)) === undefined);
  });
