import assert from "node:assert/strict";
import { describe, mock, test } from "node:test";
import { AppError } from "../../../src/errors.ts";
import { BODY_POOLS, BUFFERED_PACE, createBodyMemory, FIRST_BYTES } from "../../../src/http/reading/body-memory.ts";
import { createBodyWatch } from "../../../src/http/reading/body-watch.ts";
import { type BufferedBodySource, type ReadBodyOptions, readBody as readSource } from "../../../src/http/reading/read-body.ts";
import { createKeyring } from "../../../src/lib/secrets/secrets.ts";
import type { UserActor } from "../../../src/service/accounts/actor.ts";
import { until } from "../../support/until.ts";

const MB = 1024 ** 2;
const keyring = createKeyring("a secret of this test");
const at = (address: string) => ({ actor: undefined, address });

/** `tickMs`: the time after which the body watch counts one second. */
function start({ tickMs = 60_000 } = {}) {
  const memory = createBodyMemory({ keyring, now: Date.now });
  const peer = { address: "192.0.2.1", whenSent: async () => true, isGone: () => false, setIdleTimeout: () => undefined };
  const env: BufferedBodySource["env"] = { peer, bodyMemory: memory, bodyWatch: createBodyWatch({ everyMs: tickMs }) };
  return { memory, env };
}

const readBody = (env: BufferedBodySource["env"], raw: Request, options: ReadBodyOptions) => readSource({ req: { raw }, env }, options);

/** A request whose body the test sends in pieces. */
function request(sizeBytes?: number) {
  const pipe = new TransformStream<Uint8Array, Uint8Array>({}, { highWaterMark: 100 });
  const writer = pipe.writable.getWriter();
  const headers: Record<string, string> = sizeBytes === undefined ? {} : { "Content-Length": String(sizeBytes) };
  const sent = new Request("http://x/", { method: "POST", body: pipe.readable, headers, duplex: "half" } as RequestInit);
  return {
    sent,
    send: (bytes: Uint8Array | number) =>
      void writer.write(typeof bytes === "number" ? new Uint8Array(bytes) : bytes).catch(() => undefined),
    end: () => void writer.close().catch(() => undefined),
  };
}

const codeOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
  return "none";
};

/** request limits, "Size of a body", "Bodies in memory" and "Slow bodies". */
describe("a body that is read into memory", () => {
  test("has the bytes of the request, in one chunk or many, with or without a declared size", async () => {
    const { env } = start();
    const bytes = crypto.getRandomValues(new Uint8Array(60_000));
    for (const sizeBytes of [bytes.length, undefined]) {
      for (const step of [60_000, 7_001, 100]) {
        const { sent, send, end } = request(sizeBytes);
        const reading = readBody(env, sent, { caller: at("192.0.2.1"), maxBytes: 100_000 });
        for (let offset = 0; offset < bytes.length; offset += step) send(bytes.slice(offset, offset + step));
        end();
        using body = await reading;
        assert.deepEqual(body.bytes, bytes);
      }
    }
    using empty = await readBody(env, new Request("http://x/", { method: "POST" }), { caller: at("192.0.2.1"), maxBytes: 10 });
    assert.equal(empty.bytes.length, 0);
  });

  test("is refused if it is too large, with or without a declared size, and releases its memory", async () => {
    const { env, memory } = start();
    const caller = at("192.0.2.1");
    assert.equal(await codeOf(readBody(env, request(5 * MB).sent, { caller, maxBytes: 4 * MB })), "BODY_TOO_LARGE");
    const chunked = request();
    const refused = codeOf(readBody(env, chunked.sent, { caller, maxBytes: 4 * MB }));
    chunked.send(3 * MB);
    chunked.send(3 * MB);
    assert.equal(await refused, "BODY_TOO_LARGE");
    using all = memory.open(caller);
    assert.ok(all.tryReserve(BODY_POOLS.rest.callerBytes + FIRST_BYTES));
  });

  test("is refused with 408 if it stalls, at the start or in the middle, and releases its memory", async () => {
    const { env, memory } = start({ tickMs: 2 });
    const caller = at("192.0.2.1");
    const stalled = request(MB);
    const silent = request(MB);
    const waiting = [stalled, silent].map(({ sent }) => codeOf(readBody(env, sent, { caller, maxBytes: MB })));
    stalled.send(MB - 1);
    assert.deepEqual(await Promise.all(waiting), ["REQUEST_TIMEOUT", "REQUEST_TIMEOUT"]);
    using all = memory.open(caller);
    assert.ok(all.tryReserve(BODY_POOLS.rest.callerBytes));
    all[Symbol.dispose]();
  });

  test("is refused if it is slower than 1 KB per second over 15 seconds, or eight times that while others wait for memory", async () => {
    const { windowMs, windowBytes, windowBytesWhenFull } = BUFFERED_PACE;
    const { memory } = start();
    let isFull = false;
    const pace = { ...memory.pace, windowBytes: () => (isFull ? windowBytesWhenFull : windowBytes) };
    assert.equal(memory.pace.windowBytes(), windowBytes);
    mock.timers.enable({ apis: ["setInterval"] });
    try {
      const watch = createBodyWatch();
      const isCutAfter = async (bytes: number): Promise<boolean> => {
        const reading = watch.start(pace);
        let isCut = false;
        for (const count of [windowBytesWhenFull, windowBytesWhenFull, bytes]) {
          assert.equal(isCut, false);
          if (count > 0) await reading.next(Promise.resolve({ done: false, value: new Uint8Array(count) }));
          reading.next(new Promise(() => undefined)).catch((error: unknown) => {
            isCut = error instanceof AppError && error.code === "REQUEST_TIMEOUT";
          });
          mock.timers.tick(windowMs - 1);
          await Promise.resolve();
          assert.equal(isCut, false);
          mock.timers.tick(1);
          await Promise.resolve();
        }
        reading.stop();
        return isCut;
      };
      const cut = async (...counts: readonly number[]) => {
        const all: boolean[] = [];
        for (const count of counts) all.push(await isCutAfter(count));
        return all;
      };
      assert.deepEqual(await cut(0, windowBytes - 1, windowBytes), [true, true, false]);
      isFull = true;
      assert.deepEqual(await cut(windowBytes, windowBytesWhenFull), [true, false]);
    } finally {
      mock.timers.reset();
    }
  });
});

/** request limits, "Bodies in memory" and "Slow bodies". */
describe("the memory for bodies", () => {
  const LARGE = 4 * MB;
  const many = Math.ceil(BODY_POOLS.rest.totalBytes / LARGE);

  test("limits one caller: the next body waits for the caller's own bodies, and other callers do not wait", async () => {
    const { memory } = start();
    const caller = at("192.0.2.1");
    const [first, second, third] = [memory.open(caller), memory.open(caller), memory.open(caller)];
    assert.ok(first.tryReserve(LARGE) && second.tryReserve(LARGE));
    assert.equal(third.tryReserve(LARGE), false);
    const waiting = third.reserve(LARGE);
    using other = memory.open(at("192.0.2.2"));
    assert.ok(other.tryReserve(LARGE));
    first[Symbol.dispose]();
    await waiting;
    assert.equal(memory.isFull(), false);
  });

  test("counts an account with all its keys, and the /48 around an address, as one caller", () => {
    const { memory } = start();
    const actor = (keyId: string): UserActor => ({
      kind: "user",
      tier: "free",
      quotaOwner: "user:u",
      userId: "u",
      username: null,
      scope: "full",
      keyId,
      sessionId: null,
      isAgent: false,
    });
    const byKey = (n: number) => memory.open({ actor: actor(`key ${n}`), address: `192.0.2.${n}` }).tryReserve(LARGE);
    assert.deepEqual([byKey(1), byKey(2), byKey(3)], [true, true, false]);
    const bySubnet = (n: number) => memory.open(at(`2001:db8:1:${n}::1`)).tryReserve(LARGE);
    assert.deepEqual([1, 2, 3, 4, 5, 6].map(bySubnet), [true, true, true, true, false, false]);
    assert.ok(memory.open(at("2001:db8:2:1::1")).tryReserve(LARGE));
  });

  test("makes large bodies wait in order when it is used up, refuses them with 503 after a timeout, and still accepts small ones", async () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      const { memory } = start();
      const held = Array.from({ length: many }, (_, n) => memory.open(at(`192.0.2.${n}`)));
      const taken = held.filter((hold) => hold.tryReserve(LARGE));
      assert.ok(taken.length * LARGE >= BODY_POOLS.rest.totalBytes - LARGE);
      const late = memory.open(at("198.51.100.1"));
      const refused = codeOf(late.reserve(LARGE));
      assert.equal(memory.isFull(), true);
      using small = memory.open(at("198.51.100.1"));
      assert.ok(small.tryReserve(FIRST_BYTES));
      mock.timers.tick(10_000);
      assert.equal(await refused, "UNAVAILABLE");
      assert.equal(memory.isFull(), false);

      const order: string[] = [];
      const first = memory.open(at("198.51.100.2"));
      const waiting = first.reserve(LARGE).then(() => order.push("first"));
      const second = memory.open(at("198.51.100.3"));
      for (const hold of taken.slice(0, 1)) hold[Symbol.dispose]();
      // The released memory is reserved for the first body, although its promise has not resolved yet.
      assert.equal(second.tryReserve(LARGE), false);
      await waiting;
      assert.deepEqual(order, ["first"]);
    } finally {
      mock.timers.reset();
    }
  });

  test("does not count the time that a body waits for memory as slowness", async () => {
    const { env, memory } = start({ tickMs: 1 });
    const caller = at("192.0.2.1");
    using one = memory.open(caller);
    assert.ok(one.tryReserve(BODY_POOLS.rest.callerBytes));
    const { sent, send, end } = request(MB);
    const reading = readBody(env, sent, { caller, maxBytes: MB });
    const silent = codeOf(readBody(env, request(FIRST_BYTES).sent, { caller, maxBytes: MB }));
    assert.equal(await silent, "REQUEST_TIMEOUT");
    one[Symbol.dispose]();
    send(MB);
    end();
    using body = await reading;
    assert.equal(body.bytes.length, MB);
  });

  test("is released when the client disconnects", async () => {
    const { env, memory } = start();
    const caller = at("192.0.2.1");
    const broken = new ReadableStream({ start: (controller) => controller.error(new Error("gone")) });
    const sent = new Request("http://x/", {
      method: "POST",
      body: broken,
      headers: { "Content-Length": String(4 * MB) },
      duplex: "half",
    } as RequestInit);
    assert.match(await codeOf(readBody(env, sent, { caller, maxBytes: 4 * MB })), /ClientGone/);
    await until("it is free", () => memory.open(caller).tryReserve(BODY_POOLS.rest.callerBytes));
  });
});
