import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_RATES, mergeRates } from "../../src/domain/rates.ts";
import { DEFAULT_TIERS, describeBytes, effectiveTier } from "../../src/domain/tiers.ts";

const DAY_MS = 86_400_000;
const GB = 1024 ** 3;

/** interface, "Limits"; decisions, "Accounts, keys, tiers". */
test("the limits are those of the interface", () => {
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

test("Pro ends a day after its time", () => {
  const endsAt = 1_000 * DAY_MS;
  const pro = { tier: "pro", pro_until: endsAt } as const;
  assert.equal(effectiveTier(pro, endsAt - 1), "pro");
  assert.equal(effectiveTier(pro, endsAt + DAY_MS - 1), "pro");
  assert.equal(effectiveTier(pro, endsAt + DAY_MS), "free");
  assert.equal(effectiveTier({ tier: "pro", pro_until: null }, endsAt), "pro");
  assert.equal(effectiveTier({ tier: "free", pro_until: endsAt }, 0), "free");
});

test("an operator's limit changes that rate alone", () => {
  const rates = mergeRates({ free: 7 });
  assert.deepEqual(rates.free, { ...DEFAULT_RATES.free, limit: 7 });
  assert.deepEqual({ ...rates, free: DEFAULT_RATES.free }, DEFAULT_RATES);
});

test("bytes as a person reads them", () => {
  const read = [0, 1023, 1024, 1536, 1024 ** 2, GB, 1.5 * GB, 1024 * GB].map(describeBytes);
  assert.deepEqual(read, ["0 bytes", "1023 bytes", "1 KB", "1.5 KB", "1 MB", "1 GB", "1.5 GB", "1 TB"]);
});
