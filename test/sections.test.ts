import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { test } from "node:test";
import { ERRORS } from "../src/errors.ts";

/**
 * The sections of the two documents that say what holds. A test names what it shows in its first comment, as in
 * `interface, "Errors" and "Limits"; decisions, "Uploads"`.
 */
const SECTIONS = {
  interface: [
    ...["File", "Publish fields", "Share metadata", "File info item", "Folder", "Agent key", "Challenge", "Protection credentials"],
    ...["Remote import job", "Webhook event", "Safety-check status", "File status", "Import job status", "Transition table", "Endpoints"],
    ...["Agent and system", "Upload and import", "Ownership", "Listing", "Sharing and download", "Authentication", "Events", "Errors"],
    ...["Limits", "Versioning", "Seller payouts"],
  ],
  decisions: [
    ...["Addresses", "Configuration", "Identifiers and secrets", "Model", "Uploads", "Remote import", "Downloads", "Storage"],
    ...["Expiry and removal", "Scanning", "Accounts, keys, tiers", "Idempotency", "Envelopes", "Webhooks", "Errors", "Listing"],
    ...["Command line", "Payments"],
  ],
} as const;

/** Those of which nothing is served yet: once something is, they belong above. */
const NOT_SERVED = { interface: ["What the service does", "MCP tools"], decisions: ["MCP"] } as const;

const tests = await Array.fromAsync(glob("**/*.test.ts", { cwd: import.meta.dirname }), async (name) => ({
  name,
  text: await readFile(`${import.meta.dirname}/${name}`, "utf8"),
}));

/** The quoted names after `interface, ` or `decisions, `, up to the next of the two or the end of the comment. */
function namedIn(text: string, document: keyof typeof SECTIONS): readonly string[] {
  const comments = text.match(/^\/\*\* .* \*\/$/gm) ?? [];
  const lists = comments.flatMap((comment) => [...comment.matchAll(new RegExp(`\\b${document}, ("[^;]*)`, "g"))]);
  return lists.flatMap(([, list = ""]) => [...list.matchAll(/"([^"]+)"/g)].map(([, name = ""]) => name));
}

for (const document of ["interface", "decisions"] as const) {
  const sections: ReadonlySet<string> = new Set(SECTIONS[document]);
  test(`every section of ${document} has a test that names it, and no test names another`, () => {
    const named = new Set<string>();
    for (const { name, text } of tests) {
      for (const section of namedIn(text, document)) {
        const isKnown = sections.has(section) || NOT_SERVED[document].some((other) => other === section);
        assert.ok(isKnown, `${name} names "${section}", which ${document} has not`);
        named.add(section);
      }
    }
    assert.deepEqual(
      [...sections].filter((section) => !named.has(section)),
      [],
    );
  });
}

test("every error code is met by a test", () => {
  const met = tests.map(({ text }) => text.toUpperCase()).join("\n");
  assert.deepEqual(
    Object.keys(ERRORS).filter((code) => !new RegExp(`\\b${code}\\b`).test(met)),
    [],
  );
});
