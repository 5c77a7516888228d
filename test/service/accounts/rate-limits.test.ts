import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { consume, consumeAll, getRate } from "../../../src/service/accounts/rate-limits.ts";
import { testEach } from "../../db/engines.ts";
import { makeDatabase } from "../../db/support.ts";

const NOW_MS = Date.UTC(2030, 0, 1);
const use = (subject: string, limit: number) =>
  ({ name: "importsAnonymous", subject, rate: { limit, windowMs: 60_000 }, nowMs: NOW_MS }) as const;

/** request limits, "Who counts as one caller": an address and the /48 around it. */
describe("a use that several limits count", () => {
  test("is counted by all limits, or by none if any is exceeded", async () => {
    await using database = await makeDatabase();
    const { db } = database;
    const take = (own: string, subnet48: string) =>
      database.transaction((transaction) => consumeAll(transaction, [use(own, 3), use(subnet48, 4)]));
    const left = async (subject: string, limit: number) => (await getRate(db, use(subject, limit))).remaining;
    for (let n = 0; n < 3; n += 1) assert.equal(await take("one", "around"), undefined);
    assert.equal((await take("one", "around"))?.resetsAtMs, NOW_MS + 60_000);
    assert.deepEqual([await left("one", 3), await left("around", 4)], [0, 1]);
    assert.equal(await take("two", "around"), undefined);
    for (let n = 0; n < 5; n += 1) assert.equal((await take("two", "around"))?.allowed, false);
    assert.deepEqual([await left("two", 3), await left("around", 4)], [2, 0]);
    assert.equal(await take("two", "elsewhere"), undefined);
  });
});

testEach("a window counts past a limit when its uses have no limit", async (makeDatabase) => {
  await using database = await makeDatabase();
  const { db } = database;
  for (let count = 1; count <= 5; count += 1) assert.equal((await consume(db, use("a share", Number.MAX_SAFE_INTEGER))).count, count);
  const { allowed, count, remaining } = await getRate(db, use("a share", 3));
  assert.deepEqual({ allowed, count, remaining }, { allowed: false, count: 5, remaining: 0 });
});

testEach("counts a rate limit exactly under concurrency", async (makeDatabase) => {
  await using one = await makeDatabase();
  await using other = await makeDatabase();
  const challenge = { name: "challenges", subject: "s", rate: { limit: 7, windowMs: 1_000 }, nowMs: 1 } as const;
  const states = await Promise.all(Array.from({ length: 40 }, (_, index) => consume((index % 2 ? one : other).db, challenge)));
  assert.equal(states.filter(({ allowed }) => allowed).length, 7);
});
