import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createWaitQueue, type Waiter } from "../../../src/lib/concurrency/wait-queue.ts";

const refused = new Error("refused");

describe("a wait queue", () => {
  /** Waiters that each take one slot; there are none at first. */
  function open(maxWaiting = { total: 3, perKey: 2 }) {
    const queue = createWaitQueue(maxWaiting);
    const room = { places: 0 };
    const took: string[] = [];
    const waiter = (key: string, timeoutMs = 60_000): Waiter => ({
      key,
      timeoutMs,
      attempt() {
        if (room.places === 0) return false;
        room.places -= 1;
        took.push(key);
        return true;
      },
      refusal: () => refused,
    });
    return { queue, room, took, waiter };
  }

  test("resolves waiters in the order of their arrival when a slot is free", async () => {
    const { queue, room, took, waiter } = open();
    const waits = ["a", "b", "c"].map((key) => queue.wait(waiter(key)));
    queue.wake();
    assert.deepEqual(took, []);
    room.places = 2;
    queue.wake();
    await Promise.all(waits.slice(0, 2));
    assert.deepEqual(took, ["a", "b"]);
    room.places = 5;
    queue.wake();
    queue.wake();
    await waits[2];
    assert.deepEqual({ took, left: room.places }, { took: ["a", "b", "c"], left: 4 });
  });

  test("rejects immediately if too many wait for one key, or in total", async () => {
    const { queue, room, waiter } = open();
    const waits = [queue.wait(waiter("a")), queue.wait(waiter("a"))];
    await assert.rejects(queue.wait(waiter("a")), refused);
    waits.push(queue.wait(waiter("b")));
    await assert.rejects(queue.wait(waiter("c")), refused);
    room.places = 3;
    queue.wake();
    await Promise.all(waits);
  });

  test("rejects after the timeout, and drops the waiter", async () => {
    const { queue, room, took, waiter } = open();
    const wait = queue.wait(waiter("a", 1));
    assert.equal(
      queue.some(({ key }) => key === "a"),
      true,
    );
    await assert.rejects(wait, refused);
    assert.equal(
      queue.some(() => true),
      false,
    );
    room.places = 1;
    queue.wake();
    assert.deepEqual(took, []);
  });
});
