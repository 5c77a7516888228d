import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { loadConfig } from "../../../src/config/load.ts";
import { createRequestRates, rateHeaders } from "../../../src/http/callers/request-rates.ts";
import { HttpError } from "../../../src/http/responding/http-error.ts";
import { createKeyring } from "../../../src/lib/secrets/secrets.ts";
import type { Actor, UserActor } from "../../../src/service/accounts/actor.ts";

const FREE: UserActor = {
  kind: "user",
  tier: "free",
  quotaOwner: "user:u",
  userId: "u",
  username: null,
  scope: "full",
  keyId: "key",
  sessionId: null,
  isAgent: false,
};

const account = (userId: string): UserActor => ({ ...FREE, userId, quotaOwner: `user:${userId}` });

/** limits, "Rates"; request limits, "Who counts as one caller": with a controlled clock. */
describe("the general request rate, second by second", () => {
  function start() {
    const clock = { nowMs: Date.UTC(2030, 0, 1) };
    const { config } = loadConfig({ FILEHOST_RATE_LIMITS: "on" });
    const rates = createRequestRates({ config, keyring: createKeyring("a secret of this test"), now: () => clock.nowMs });
    const take = (address: string, cost = 1, actor?: Actor) => rates.consume({ actor, address }, cost) ?? assert.fail();
    /** The seconds to wait that a refusal states; undefined if the request is accepted. */
    const refusal = (address: string, cost = 1, actor?: Actor): number | undefined => {
      try {
        take(address, cost, actor);
        return undefined;
      } catch (error) {
        assert.ok(error instanceof HttpError && error.code === "RATE_LIMITED");
        assert.equal(error.headers["X-RateLimit-Remaining"] !== undefined, true);
        assert.equal(error.fields.retryAfterSeconds, error.retryAfterSeconds);
        return error.retryAfterSeconds;
      }
    };
    const error = (work: () => unknown): HttpError => {
      try {
        work();
      } catch (thrown) {
        assert.ok(thrown instanceof HttpError);
        return thrown;
      }
      return assert.fail("It was not refused.");
    };
    return { clock, take, refusal, error };
  }

  test("allows a hundred requests a minute, and the next one after Retry-After, not a second earlier", () => {
    const { clock, take, refusal } = start();
    take("192.0.2.1");
    clock.nowMs += 20_400;
    for (let n = 1; n < 100; n += 1) take("192.0.2.1");
    const wait = refusal("192.0.2.1");
    assert.equal(wait, 40);
    clock.nowMs += 39_000;
    assert.equal(refusal("192.0.2.1"), 1);
    clock.nowMs += 1_000;
    assert.equal(take("192.0.2.1").remaining, 99);
  });

  test("sends the remaining requests and the reset in both kinds of headers", () => {
    const { clock, take } = start();
    take("192.0.2.1", 30);
    clock.nowMs += 12_300;
    const state = take("192.0.2.1");
    assert.deepEqual(Object.fromEntries(rateHeaders(state, clock.nowMs)), {
      "RateLimit-Policy": '"general";q=100;w=60',
      RateLimit: '"general";r=69;t=48',
      "X-RateLimit-Limit": "100",
      "X-RateLimit-Remaining": "69",
      "X-RateLimit-Reset": String(Date.UTC(2030, 0, 1, 0, 1) / 1000),
    });
  });

  test("counts nothing for a cost that exceeds the rate", () => {
    const { take, refusal } = start();
    take("192.0.2.1", 90);
    assert.equal(refusal("192.0.2.1", 11), 60);
    assert.equal(take("192.0.2.1", 10).remaining, 0);
  });

  test("counts all keys of a user in one window, with the limit of the tier", () => {
    const { take, refusal } = start();
    for (let n = 0; n < 100; n += 1) take(`192.0.2.${n}`, 1, { ...FREE, keyId: `key ${n}` });
    assert.equal(refusal("192.0.2.200", 1, { ...FREE, keyId: "one more key" }), 60);
    assert.equal(take("192.0.2.1").remaining, 99);
    const pro: Actor = { ...account("another"), tier: "pro" };
    assert.equal(take("192.0.2.1", 999, pro).remaining, 1);
    assert.equal(take("192.0.2.1", 1, pro).remaining, 0);
    assert.equal(refusal("192.0.2.1", 1, pro), 60);
  });

  test("counts each agent in its own window, and the agents of one address in a window of five times the limit", () => {
    const { take, refusal } = start();
    const agent = (n: number, group = "one"): Actor => ({
      ...account(`a${n}`),
      quotaOwner: `agents:${group}`,
      isAgent: true,
      poolBytes: 1,
    });
    for (let n = 0; n < 5; n += 1) {
      assert.equal(take("192.0.2.1", 100, agent(n)).remaining, 0);
      assert.equal(refusal("192.0.2.1", 1, agent(n)), 60);
    }
    assert.equal(refusal("192.0.2.2", 1, agent(5)), 60);
    assert.equal(take("192.0.2.1", 1, agent(6, "other")).remaining, 99);
  });

  test("reports the wait of the /48 if only the /48 exceeds the rate", () => {
    const { clock, take, refusal } = start();
    take("2001:db8:1:0::1");
    clock.nowMs += 45_000;
    for (let subnet = 1; subnet <= 15; subnet += 1) take(`2001:db8:1:${subnet.toString(16)}::1`, 100);
    assert.equal(take("2001:db8:1:10::1", 90).remaining, 9);
    const last = take("2001:db8:1:11::1", 9);
    assert.deepEqual([last.remaining, last.resetsAtMs - clock.nowMs], [0, 15_000]);
    assert.equal(refusal("2001:db8:1:12::1"), 15);
    clock.nowMs += 15_000;
    assert.equal(refusal("2001:db8:1:12::1"), undefined);
    assert.equal(refusal("2001:db8:1:1::1"), 45);
  });

  test("ends a window a minute after its first request, in each generation", () => {
    const { clock, take, error } = start();
    for (const delayMs of [0, 59_000, 0, 61_000, 200_000]) {
      clock.nowMs += delayMs;
      const address = `192.0.2.${(clock.nowMs / 1000) % 250}`;
      assert.equal(take(address, 100).remaining, 0);
      clock.nowMs += 59_999;
      assert.equal(error(() => take(address)).code, "RATE_LIMITED");
      clock.nowMs += 1;
      assert.equal(take(address).remaining, 99);
    }
  });

  test("counts a refused request neither for its /64 nor for its /48", () => {
    const { clock, take, error } = start();
    for (let subnet = 1; subnet <= 15; subnet += 1) take(`2001:db8:1:${subnet}::1`, 100);
    clock.nowMs += 30_000;
    assert.equal(take("2001:db8:1:a0::1", 60).remaining, 40);
    // 40 are left of the /48.
    const wide = error(() => take("2001:db8:1:a1::1", 41));
    assert.equal(wide.headers["X-RateLimit-Remaining"], "40");
    assert.equal(wide.retryAfterSeconds, 30);
    assert.equal(take("2001:db8:1:a1::1", 40).remaining, 0);
    assert.equal(error(() => take("2001:db8:1:a2::1")).headers["X-RateLimit-Remaining"], "0");
    // A refusal started no window: a complete one is available when the /48 has room again.
    clock.nowMs += 30_000;
    assert.equal(take("2001:db8:1:a2::1").resetsAtMs, clock.nowMs + 60_000);
    // What its own /64 refuses does not count against the /48.
    for (let n = 0; n < 50; n += 1) error(() => take("2001:db8:1:a0::1", 101));
    assert.equal(take("2001:db8:1:a3::1", 100).remaining, 0);
  });

  test("counts 400,000 callers separately", () => {
    const { take } = start();
    for (let n = 0; n < 400_000; n += 1) assert.equal(take("192.0.2.1", 1, account(`account ${n}`)).remaining, 99);
    assert.equal(take("192.0.2.1", 1, account("account 7")).remaining, 98);
  });
});
