import assert from "node:assert/strict";
import { getQuota, reserveQuota } from "../../src/service/accounts/quotas.ts";
import { testEach } from "./engines.ts";

/** request limits, "Number of files". */
testEach("concurrent reservations fit the file limit exactly; existing ones may grow after the limit was lowered", async (make) => {
  await using database = await make();
  const reserve = (files: number, limitFiles: number, bytes = 0) =>
    reserveQuota(database.db, { owner: "user:a", bytes, limitBytes: 100, files, limitFiles });
  const taken = await Promise.all(Array.from({ length: 20 }, () => reserve(1, 7)));
  assert.equal(taken.filter(Boolean).length, 7);
  assert.deepEqual([await reserve(0, 3, 10), await reserve(1, 3)], [true, false]);
  assert.equal(await reserve(1, 8, 200), false);
  assert.deepEqual(await getQuota(database.db, "user:a"), { usedBytes: 0, reservedBytes: 10, files: 7 });
});
