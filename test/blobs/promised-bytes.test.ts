import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createPromisedBytes } from "../../src/blobs/promised-bytes.ts";
import { spaceGroups } from "../../src/operations/uploads/space-groups.ts";

const GB = 1024 ** 3;
const account = spaceGroups("user:1");
const network = (n: number) => spaceGroups(`anon:net${n}:subnet`);
const agents = (n: number) => spaceGroups(`agents:${n}`);

describe("shares of the free disk", () => {
  test("one upload of 1 GB without a key fits where 5 GB are free, and the rest of them is not its network's", () => {
    const promised = createPromisedBytes();
    const roomBytes = 5 * GB;
    assert.equal(promised.refuses(network(1), { moreBytes: GB, roomBytes }), undefined);
    promised.add(network(1), GB);
    assert.equal(promised.refuses(network(1), { moreBytes: GB, roomBytes }), "share");
    assert.equal(promised.refuses(spaceGroups("anon:net1:other"), { moreBytes: GB, roomBytes }), "share");
    assert.equal(promised.refuses(account, { moreBytes: 4 * GB, roomBytes }), undefined);
    assert.equal(promised.refuses(account, { moreBytes: 4 * GB + 1, roomBytes }), "disk");
  });

  /** Promises as much as is not refused, in pieces of a MB. */
  function takeAll(promised: ReturnType<typeof createPromisedBytes>, groups: ReturnType<typeof spaceGroups>, roomBytes: number): number {
    let bytes = 0;
    while (promised.refuses(groups, { moreBytes: 1024 ** 2, roomBytes }) === undefined) {
      promised.add(groups, 1024 ** 2);
      bytes += 1024 ** 2;
    }
    return bytes;
  }

  test("networks and agents that take all they can leave a fifth to accounts, and something to the next network", () => {
    const promised = createPromisedBytes();
    const roomBytes = 100 * GB;
    const first = takeAll(promised, network(0), roomBytes);
    assert.ok(first <= 0.24 * roomBytes && first > 0.239 * roomBytes, String(first));
    for (let n = 1; n < 8; n += 1) takeAll(promised, network(n), roomBytes);
    assert.ok(takeAll(promised, network(8), roomBytes) > 300 * 1024 ** 2);
    for (let n = 0; n < 40; n += 1) takeAll(promised, agents(n), roomBytes);
    assert.ok(takeAll(promised, account, roomBytes) >= 0.2 * roomBytes);
    assert.equal(promised.refuses(account, { moreBytes: 1024 ** 2, roomBytes }), "disk");
  });

  test("what is given back can be promised again", () => {
    const promised = createPromisedBytes();
    const roomBytes = 10 * GB;
    const bytes = takeAll(promised, agents(1), roomBytes);
    promised.add(agents(1), -bytes);
    assert.equal(takeAll(promised, agents(1), roomBytes), bytes);
  });
});
