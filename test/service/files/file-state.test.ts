import assert from "node:assert/strict";
import { test } from "node:test";
import {
  canApply,
  type FileState,
  INITIAL_STATE,
  isLegalState,
  TRANSITIONS,
  type TransitionName,
  transition,
} from "../../../src/service/files/file-state.ts";
import { makeDatabase } from "../../db/support.ts";

const names = Object.keys(TRANSITIONS) as TransitionName[];
const states: FileState[] = (["active", "expired", "deleted", "dmca_removed"] as const).flatMap((status) =>
  (["uploading", "stored", "quarantined", "removing", "removed"] as const).flatMap((blob_state) =>
    (["pending", "scanning", "clean", "unavailable"] as const).map((scan_status) => ({ status, blob_state, scan_status })),
  ),
);

test("every sequence of transitions from the initial state leads to legal states", () => {
  const reached = new Map<string, FileState>([[JSON.stringify(INITIAL_STATE), INITIAL_STATE]]);
  for (const state of reached.values()) {
    assert.ok(isLegalState(state), JSON.stringify(state));
    for (const name of names) {
      const next = { ...state, ...TRANSITIONS[name].set };
      if (canApply(name, state)) reached.set(JSON.stringify(next), next);
    }
  }
  assert.ok(
    names.every((name) => [...reached.values()].some((state) => canApply(name, state))),
    "each transition is possible",
  );
});

test("a transition updates exactly the rows that are in its starting states", async () => {
  await using database = await makeDatabase();
  await database.db.insertInto("shares").values({ short_id: "s", kind: "file", name: "s", created_at: 0 }).execute();
  const file = { short_id: "s", quota_owner: "o", name: "f", size_bytes: 1, content_type: "a/b", created_at: 0 };
  const rows = states.map((state, n) => ({ ...file, ...state, id: `${n}`, blob_key: `${n}` }));
  await database.db.insertInto("files").values(rows).execute();
  for (const name of names) {
    const { set, where } = transition(name);
    const updated = await database.transaction(
      async (transaction) => await transaction.updateTable("files").set(set).where(where).returning("id").execute(),
    );
    const expected = rows.filter((row) => canApply(name, row)).map(({ id }) => id);
    assert.deepEqual(new Set(updated.map(({ id }) => id)), new Set(expected), name);
    for (const { id, status, blob_state, scan_status } of rows)
      await database.db.updateTable("files").set({ status, blob_state, scan_status }).where("id", "=", id).execute();
  }
});

test("rejects an unknown transition", () => {
  assert.throws(() => transition("revive" as TransitionName), /revive is not a transition/);
});
