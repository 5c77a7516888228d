import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createReservedBytes } from "../../src/blobs/reserved-bytes.ts";
import { spaceGroups } from "../../src/service/uploads/space-groups.ts";

const GB = 1024 ** 3;
const account = spaceGroups("user:1");
const network = (n: number) => spaceGroups(`anon:net${n}:subnet`);
const agents = (n: number) => spaceGroups(`agents:${n}`);

describe("the limit of disk reservations", () => {
  test("accepts one anonymous upload of 1 GB in 5 GB of free space, and restricts its network to a fraction", () => {
    const reserved = createReservedBytes();
    const roomBytes = 5 * GB;
    assert.equal(reserved.checkLimit(network(1), { moreBytes: GB, roomBytes }), undefined);
    reserved.add(network(1), GB);
    assert.equal(reserved.checkLimit(network(1), { moreBytes: GB, roomBytes }), "group");
    assert.equal(reserved.checkLimit(spaceGroups("anon:net1:other"), { moreBytes: GB, roomBytes }), "group");
    assert.equal(reserved.checkLimit(account, { moreBytes: 4 * GB, roomBytes }), undefined);
    assert.equal(reserved.checkLimit(account, { moreBytes: 4 * GB + 1, roomBytes }), "disk");
  });

  /** Reserves MB by MB until the limit refuses one; returns the reserved bytes. */
  function takeAll(reserved: ReturnType<typeof createReservedBytes>, groups: ReturnType<typeof spaceGroups>, roomBytes: number): number {
    let bytes = 0;
    while (reserved.checkLimit(groups, { moreBytes: 1024 ** 2, roomBytes }) === undefined) {
      reserved.add(groups, 1024 ** 2);
      bytes += 1024 ** 2;
    }
    return bytes;
  }

  test("leaves a fifth to accounts and some to the next network when networks and agents take their maximum", () => {
    const reserved = createReservedBytes();
    const roomBytes = 100 * GB;
    const first = takeAll(reserved, network(0), roomBytes);
    assert.ok(first <= 0.24 * roomBytes && first > 0.239 * roomBytes, String(first));
    for (let n = 1; n < 8; n += 1) takeAll(reserved, network(n), roomBytes);
    assert.ok(takeAll(reserved, network(8), roomBytes) > 300 * 1024 ** 2);
    for (let n = 0; n < 40; n += 1) takeAll(reserved, agents(n), roomBytes);
    assert.ok(takeAll(reserved, account, roomBytes) >= 0.2 * roomBytes);
    assert.equal(reserved.checkLimit(account, { moreBytes: 1024 ** 2, roomBytes }), "disk");
  });

  test("allows released bytes to be reserved again", () => {
    const reserved = createReservedBytes();
    const roomBytes = 10 * GB;
    const bytes = takeAll(reserved, agents(1), roomBytes);
    reserved.add(agents(1), -bytes);
    assert.equal(takeAll(reserved, agents(1), roomBytes), bytes);
  });
});
