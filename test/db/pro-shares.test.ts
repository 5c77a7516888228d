import assert from "node:assert/strict";
import { migrations } from "../../src/db/migrations/index.ts";
import { testEach } from "./engines.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Before {
  readonly tier: "free" | "pro";
  readonly proUntilMs: number | null;
  readonly madeMs: number;
  readonly expiresMs: number | null;
}

/** Times are from now. `after`: whether the share ends with Pro, and when it expires. */
const CASES: Readonly<Record<string, { before: Before; after: [endsWithPro: number, expiresMs: number | null] }>> = {
  "of Pro without an end": { before: { tier: "pro", proUntilMs: null, madeMs: -DAY_MS, expiresMs: 20 * DAY_MS }, after: [1, 20 * DAY_MS] },
  "kept by Pro": { before: { tier: "pro", proUntilMs: null, madeMs: -DAY_MS, expiresMs: null }, after: [1, null] },
  "of Pro that will end": {
    before: { tier: "pro", proUntilMs: DAY_MS, madeMs: -DAY_MS, expiresMs: 20 * DAY_MS },
    after: [1, 20 * DAY_MS],
  },
  "of Pro in its grace": {
    before: { tier: "pro", proUntilMs: -HOUR_MS, madeMs: -DAY_MS, expiresMs: 20 * DAY_MS },
    after: [1, 20 * DAY_MS],
  },
  "of Pro that an operator has ended": {
    before: { tier: "free", proUntilMs: -HOUR_MS, madeMs: -DAY_MS, expiresMs: 20 * DAY_MS },
    after: [1, 20 * DAY_MS],
  },
  "made after an operator had ended Pro": {
    before: { tier: "free", proUntilMs: -2 * HOUR_MS, madeMs: -HOUR_MS, expiresMs: 5 * DAY_MS },
    after: [0, 5 * DAY_MS],
  },
  "that has outlived Pro": {
    before: { tier: "pro", proUntilMs: -9 * DAY_MS, madeMs: -10 * DAY_MS, expiresMs: 20 * DAY_MS },
    after: [0, DAY_MS],
  },
  "that has outlived Pro and ends soon": {
    before: { tier: "free", proUntilMs: -9 * DAY_MS, madeMs: -10 * DAY_MS, expiresMs: HOUR_MS },
    after: [0, HOUR_MS],
  },
  "made after Pro": {
    before: { tier: "pro", proUntilMs: -9 * DAY_MS, madeMs: -DAY_MS, expiresMs: 6 * DAY_MS },
    after: [0, 6 * DAY_MS],
  },
  "of an account that never was Pro": {
    before: { tier: "free", proUntilMs: null, madeMs: -DAY_MS, expiresMs: 6 * DAY_MS },
    after: [0, 6 * DAY_MS],
  },
};

/** decisions, "Accounts, keys, tiers". */
testEach("an upgrade knows which shares end with Pro, and gives those that outlived it another day", async (_, place) => {
  const nowMs = Date.now();
  const before = migrations.slice(
    0,
    migrations.findIndex(({ name }) => name === "0013-pro-shares"),
  );
  assert.ok(before.length > 0);
  {
    await using old = await place.open({ migrations: before });
    for (const [id, { before }] of Object.entries(CASES)) {
      const { tier, proUntilMs, madeMs, expiresMs } = before;
      const pro_until = proUntilMs === null ? null : nowMs + proUntilMs;
      await old.db
        .insertInto("users")
        .values({ id, name: id, email: `${id.replaceAll(" ", "-")}@example.org`, tier, pro_until, created_at: 0, updated_at: 0 })
        .execute();
      const share = { short_id: id, kind: "file", owner_id: id, name: id, created_at: nowMs + madeMs } as const;
      await old.db
        .insertInto("shares")
        .values({ ...share, expires_at: expiresMs === null ? null : nowMs + expiresMs, expiry_chosen: expiresMs === null ? 0 : 1 })
        .execute();
      const file = { id, short_id: id, owner_id: id, quota_owner: id, name: id, size_bytes: 1, created_at: nowMs } as const;
      const bytes = { content_type: "text/plain", blob_key: id, blob_state: "stored", scan_status: "clean" } as const;
      await old.db
        .insertInto("files")
        .values({ ...file, ...bytes })
        .execute();
    }
  }
  await using database = await place.open();
  const shares = await database.db.selectFrom("shares").select(["short_id", "ends_with_pro", "expires_at"]).execute();
  assert.equal(shares.length, Object.keys(CASES).length);
  for (const { short_id, ends_with_pro, expires_at } of shares) {
    const [endsWithPro, expiresMs] = CASES[short_id]?.after ?? assert.fail(short_id);
    assert.equal(ends_with_pro, endsWithPro, short_id);
    const near = expires_at === null || expiresMs === null ? expires_at === expiresMs : Math.abs(expires_at - nowMs - expiresMs) < 60_000;
    assert.ok(near, `${short_id}: ${expires_at} is not ${expiresMs} from now`);
  }
});
