import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { loadConfig } from "../../src/config/load.ts";
import { makeFolder } from "../support/folder.ts";

test("the configuration refuses a name, color, page, contact or logo that pages cannot show", async () => {
  await using folder = await makeFolder();
  const [empty, large, other] = ["empty.png", "large.png", "other.png"].map((name) => join(folder.path, name)) as [string, string, string];
  await writeFile(empty, "");
  await writeFile(other, "GIF89a");
  await writeFile(large, new Uint8Array(256 * 1024 + 1));
  const cases: readonly (readonly [name: string, value: string, message: RegExp])[] = [
    ["NAME", "x".repeat(41), /1 to 40 characters/],
    ["NAME", "a\u0007b", /without control characters/],
    ["ACCENT", "green", /such as #0b6b5d/],
    ["TERMS_URL", "javascript:alert(1)", /write a URL/],
    ["ABUSE_CONTACT", "nobody", /email address/],
    ["LOGO", other, /is damaged, or not an SVG, PNG or WebP image/],
    ["LOGO", folder.path, /is not a file/],
    ["LOGO", join(folder.path, "missing.svg"), /cannot be read/],
    ["LOGO", empty, /is empty/],
    ["LOGO", large, /larger than 256 KB/],
    ["LOGO", `${folder.path}/.svg`, /cannot be read/],
  ];
  for (const [name, value, message] of cases) assert.throws(() => loadConfig({ [`FILEHOST_${name}`]: value }), message, `${name}=${value}`);
});

test("the branding is read from the settings", () => {
  const { branding } = loadConfig({ FILEHOST_ABUSE_CONTACT: "abuse@example.org", FILEHOST_ACCENT: "#ABCDEF" }).config;
  assert.deepEqual(
    { name: branding.name, accent: branding.accent, abuseUrl: branding.abuseUrl, termsUrl: branding.termsUrl },
    { name: "filehost", accent: "#abcdef", abuseUrl: "mailto:abuse@example.org", termsUrl: undefined },
  );
});
