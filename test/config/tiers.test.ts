import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_RATES, mergeRates } from "../../src/config/rates.ts";
import { DEFAULT_TIERS, effectiveTier } from "../../src/config/tiers.ts";

const DAY_MS = 86_400_000;
const GB = 1024 ** 3;

/** limits, "Tiers" and "Rates"; accounts, "The end of Pro". */
test("the default limits are the documented ones", () => {
  const { anonymous, free, pro } = DEFAULT_TIERS;
  assert.deepEqual([anonymous.fileBytes, anonymous.storageMaxBytes, anonymous.retentionMs], [GB, GB, 3 * DAY_MS]);
  assert.deepEqual([free.fileBytes, free.storageMaxBytes, free.retentionMs], [5 * GB, 10 * GB, 7 * DAY_MS]);
  assert.deepEqual([pro.fileBytes, pro.storageBytes, pro.storageMaxBytes, pro.retentionMs], [35 * GB, 100 * GB, 1024 * GB, 90 * DAY_MS]);
  const perMinute = [DEFAULT_RATES.anonymous, DEFAULT_RATES.free, DEFAULT_RATES.pro];
  assert.deepEqual(
    perMinute.map(({ limit, windowMs }) => [limit, windowMs]),
    [
      [100, 60_000],
      [100, 60_000],
      [1000, 60_000],
    ],
  );
});

test("Pro applies until one day after its end", () => {
  const endsAt = 1_000 * DAY_MS;
  const pro = { tier: "pro", pro_until: endsAt } as const;
  assert.equal(effectiveTier(pro, endsAt - 1), "pro");
  assert.equal(effectiveTier(pro, endsAt + DAY_MS - 1), "pro");
  assert.equal(effectiveTier(pro, endsAt + DAY_MS), "free");
  assert.equal(effectiveTier({ tier: "pro", pro_until: null }, endsAt), "pro");
  assert.equal(effectiveTier({ tier: "free", pro_until: endsAt }, 0), "free");
});

test("a configured limit changes only that rate", () => {
  const rates = mergeRates({ free: 7 });
  assert.deepEqual(rates.free, { ...DEFAULT_RATES.free, limit: 7 });
  assert.deepEqual({ ...rates, free: DEFAULT_RATES.free }, DEFAULT_RATES);
});
