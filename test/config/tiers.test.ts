import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_RATES, mergeRates } from "../../src/config/rates.ts";
import { DEFAULT_TIERS } from "../../src/config/tiers.ts";
import { DAY_MS } from "../../src/lib/text/duration.ts";

const GB = 1024 ** 3;

/** limits, "Tiers" and "Rates". */
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

test("a configured limit changes only that rate", () => {
  const rates = mergeRates({ free: 7 });
  assert.deepEqual(rates.free, { ...DEFAULT_RATES.free, limit: 7 });
  assert.deepEqual({ ...rates, free: DEFAULT_RATES.free }, DEFAULT_RATES);
});
