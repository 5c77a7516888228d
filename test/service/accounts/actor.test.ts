import assert from "node:assert/strict";
import { test } from "node:test";
import {
  anonymousQuotaOwner,
  fairKey,
  ownerId,
  type Scope,
  scopeAllows,
  subnet48QuotaPrefix,
} from "../../../src/service/accounts/actor.ts";

/** accounts, "Keys and scopes"; fair queues, "The key of a job". */
test("a scope includes itself and the lesser scopes", () => {
  const scopes: readonly Scope[] = ["files_read", "files_write", "full"];
  const allowed = scopes.map((has) => scopes.filter((needed) => scopeAllows(has, needed)));
  assert.deepEqual(allowed, [["files_read"], ["files_read", "files_write"], ["files_read", "files_write", "full"]]);
});

test("uploads of an anonymous caller have no owner", () => {
  assert.equal(ownerId({ kind: "anonymous", tier: "anonymous", quotaOwner: "anon:x" }), null);
});

test("the quota of an IPv6 address is part of its /48; other quotas are part of none", () => {
  const owner = anonymousQuotaOwner({ own: "own", subnet48: "net" });
  const prefix = subnet48QuotaPrefix(owner);
  assert.ok(prefix !== undefined && owner.startsWith(prefix) && owner !== prefix);
  assert.ok(anonymousQuotaOwner({ own: "another", subnet48: "net" }).startsWith(prefix));
  assert.ok(!anonymousQuotaOwner({ own: "own", subnet48: "other" }).startsWith(prefix));
  for (const alone of [anonymousQuotaOwner({ own: "own", subnet48: undefined }), "user:u", "agents:a"])
    assert.equal(subnet48QuotaPrefix(alone), undefined);
});

test("callers in one IPv6 /48 share a fairness key; others have their own", () => {
  const keys = ["user:1", "anon:4444", "anon:48:64", "anon:48:65"].map(fairKey);
  assert.deepEqual(keys, ["user:1", "anon:4444", "anon:48:", "anon:48:"]);
});
