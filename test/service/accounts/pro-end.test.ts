import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS } from "../../../src/lib/text/duration.ts";
import { effectiveTier } from "../../../src/service/accounts/pro-end.ts";

/** accounts, "The end of Pro". */
test("Pro applies until one day after its end", () => {
  const endsAt = 1_000 * DAY_MS;
  const pro = { tier: "pro", pro_until: endsAt } as const;
  assert.equal(effectiveTier(pro, endsAt - 1), "pro");
  assert.equal(effectiveTier(pro, endsAt + DAY_MS - 1), "pro");
  assert.equal(effectiveTier(pro, endsAt + DAY_MS), "free");
  assert.equal(effectiveTier({ tier: "pro", pro_until: null }, endsAt), "pro");
  assert.equal(effectiveTier({ tier: "free", pro_until: endsAt }, 0), "free");
});
