import assert from "node:assert/strict";
import { test } from "node:test";
import { parseShareUri, readShareReference, toShareUri } from "../../src/mcp/share-link.ts";

/** sharing, "Aliases". */
test("a share is named by its short ID or its alias, in a link, alone and in the URI of a resource", async () => {
  const api = { findHosts: async () => ["files.example.org"] };
  for (const shortId of ["7kXq9Zab", "trip-to-rome", "Trip-To-Rome"]) {
    for (const text of [shortId, `https://files.example.org/d/${shortId}`, toShareUri(shortId)])
      assert.deepEqual(await readShareReference(api, text), { shortId });
  }
  assert.equal(parseShareUri("filehost://share/7kXq9Zab#notes"), "7kXq9Zab");
  for (const wrong of ["a-b", "trip--to", "filehost://share/-rome"])
    await assert.rejects(readShareReference(api, wrong), /not the link of a share/);
});
