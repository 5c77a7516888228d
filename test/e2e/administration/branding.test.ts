import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { makeFolder } from "../../support/folder.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

const LOGO = `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`;

/** pages, "Branding". */
test("pages show the administrator's name, logo, color and pages", async () => {
  await using folder = await makeFolder();
  const logo = join(folder.path, "logo.svg");
  await writeFile(logo, LOGO);
  await using server = await startPlainServer({
    FILEHOST_NAME: `Ann's <b>files`,
    FILEHOST_LOGO: logo,
    FILEHOST_ACCENT: "#AA0066",
    FILEHOST_TERMS_URL: "https://example.org/terms",
    FILEHOST_ABUSE_CONTACT: "abuse@example.org",
  });
  const html = await (await fetch(server.url, { headers: { Accept: "text/html" } })).text();
  assert.match(html, /<title>[^<]* – Ann's &lt;b>files<\/title>/);
  assert.match(html, /href="https:\/\/example\.org\/terms"/);
  assert.match(html, /href="mailto:abuse@example\.org"/);
  assert.doesNotMatch(html, /Imprint|Privacy/);
  const [, logoPath = ""] = /<img class="logo" src="([^"]+)"/.exec(html) ?? [];
  const shown = await fetch(server.url + logoPath);
  assert.equal(await shown.text(), LOGO);
  assert.equal(shown.headers.get("content-type"), "image/svg+xml");
  // Opened alone, the image must not run its script with this site's authority.
  assert.match(shown.headers.get("content-security-policy") ?? "", /sandbox/);
  const [, stylePath = ""] = /href="(\/assets\/accent-[^"]+)"/.exec(html) ?? [];
  assert.match(await (await fetch(server.url + stylePath)).text(), /--accent:#aa0066/);
});
