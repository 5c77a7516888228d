import assert from "node:assert/strict";
import { test } from "node:test";
import { WorkBudget } from "../../../web/preview/work-budget.ts";

/** previews, "Documents": renderings let other requests run. */
test("only one of many renderings has a slice in an iteration of the event loop", async () => {
  let turn = 0;
  let isCounting = true;
  const count = (): void => {
    turn += 1;
    if (isCounting) setImmediate(count);
  };
  setImmediate(count);
  const turns: number[] = [];
  await Promise.all(
    Array.from({ length: 10 }, async () => {
      await new WorkBudget(60_000).pause();
      turns.push(turn);
    }),
  );
  isCounting = false;
  assert.equal(new Set(turns).size, 10, turns.join());
});

test("a budget is spent when its time has passed", () => {
  assert.equal(new WorkBudget(0).isSpent, true);
  assert.equal(new WorkBudget(60_000).isSpent, false);
});
