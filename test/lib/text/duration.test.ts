import assert from "node:assert/strict";
import { test } from "node:test";
import { describeDuration, parseTtl } from "../../../src/lib/text/duration.ts";

/** expiry, "How long a share is kept". */
test("parses minutes, hours, days and weeks", () => {
  assert.equal(parseTtl("30m"), 1_800_000);
  assert.equal(parseTtl("24h"), 86_400_000);
  assert.equal(parseTtl("7d"), 604_800_000);
  assert.equal(parseTtl("2w"), 1_209_600_000);
  assert.equal(parseTtl("9999w"), 9999 * 604_800_000);
});

test("parses no other texts", () => {
  for (const text of ["", "7", "d", "7 d", "7D", "-7d", "1.5h", "12345m", "1d1h", "7d\n", "١d", "1y"])
    assert.equal(parseTtl(text), undefined, JSON.stringify(text));
});

test("describes durations in the largest unit that divides them", () => {
  const described = [1000, 60_000, 300_000, 3_600_000, 5_400_000, 86_400_000, 259_200_000].map(describeDuration);
  assert.deepEqual(described, ["1 seconds", "1 minute", "5 minutes", "1 hour", "90 minutes", "1 day", "3 days"]);
});
