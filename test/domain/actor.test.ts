import assert from "node:assert/strict";
import { test } from "node:test";
import { anonymousQuotaOwner, ownerId, type Scope, scopeAllows, wideQuotaPrefix } from "../../src/domain/actor.ts";

/** interface, "Authentication"; decisions, "Accounts, keys, tiers". */
test("each scope allows itself and the lesser ones", () => {
  const scopes: readonly Scope[] = ["files_read", "files_write", "full"];
  const allowed = scopes.map((has) => scopes.filter((needed) => scopeAllows(has, needed)));
  assert.deepEqual(allowed, [["files_read"], ["files_read", "files_write"], ["files_read", "files_write", "full"]]);
});

test("nobody owns what an anonymous caller makes", () => {
  assert.equal(ownerId({ kind: "anonymous", tier: "anonymous", quotaOwner: "anon:x" }), null);
});

test("the quota of an IPv6 address lies in that of its /48; others in none", () => {
  const owner = anonymousQuotaOwner({ own: "own", wide: "wide" });
  const prefix = wideQuotaPrefix(owner);
  assert.ok(prefix !== undefined && owner.startsWith(prefix) && owner !== prefix);
  assert.ok(anonymousQuotaOwner({ own: "another", wide: "wide" }).startsWith(prefix));
  assert.ok(!anonymousQuotaOwner({ own: "own", wide: "wider" }).startsWith(prefix));
  for (const alone of [anonymousQuotaOwner({ own: "own", wide: undefined }), "user:u", "agents:a"])
    assert.equal(wideQuotaPrefix(alone), undefined);
});
