import assert from "node:assert/strict";
import { test } from "node:test";
import { ownerId, type Scope, scopeAllows } from "../../src/domain/actor.ts";

/** interface, "Authentication"; decisions, "Accounts, keys, tiers". */
test("each scope allows itself and the lesser ones", () => {
  const scopes: readonly Scope[] = ["files_read", "files_write", "full"];
  const allowed = scopes.map((has) => scopes.filter((needed) => scopeAllows(has, needed)));
  assert.deepEqual(allowed, [["files_read"], ["files_read", "files_write"], ["files_read", "files_write", "full"]]);
});

test("nobody owns what an anonymous caller makes", () => {
  assert.equal(ownerId({ kind: "anonymous", tier: "anonymous", quotaOwner: "anon:x" }), null);
});
