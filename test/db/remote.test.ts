import assert from "node:assert/strict";
import { test } from "node:test";
import { migrations } from "../../src/db/migrations/index.ts";
import { openRemote } from "../../src/db/remote.ts";
import { AppError } from "../../src/errors.ts";
import type { WireRequest } from "../support/services/hrana.ts";
import { type Fault, type LibsqlServerOptions, startLibsqlServer } from "../support/services/libsql-server.ts";
import { countSettings, countUp, putSetting, readCount } from "./support.ts";

/** Plans a fault for the next requests that match `when`. */
function planFaults() {
  let planned: { fault: Fault; times: number; when: RegExp } | undefined;
  return {
    plan: (fault: Fault, when: RegExp, times = 1) => {
      planned = { fault, when, times };
    },
    fault: (requests: readonly WireRequest[]): Fault | undefined => {
      if (!planned || planned.times === 0 || !planned.when.test(JSON.stringify(requests))) return undefined;
      planned.times -= 1;
      return planned.fault;
    },
  };
}

async function openWith(options: LibsqlServerOptions = {}, remote: { transactionLimitMs?: number; responseTimeoutMs?: number } = {}) {
  const server = await startLibsqlServer(options);
  const open = () => openRemote({ url: server.url, token: server.token, migrations, ...remote });
  const database = await open();
  return {
    server,
    open,
    ...database,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const isBegin = /BEGIN IMMEDIATE/;

const isUnavailable = (error: unknown): boolean => error instanceof AppError && error.code === "UNAVAILABLE";

test("a database server is migrated with one request and two reads, and two statements are committed with three requests", async () => {
  await using remote = await openWith();
  assert.equal(remote.server.pipelines.length, 2);
  const before = remote.server.pipelines.length;
  await remote.transaction((transaction) => countUp(transaction, "o"));
  assert.equal(remote.server.pipelines.length - before, 3);
  assert.equal(remote.server.openStreams, 0);
});

test("migrations survive a lost response, whichever process applied them", async () => {
  const trouble = planFaults();
  trouble.plan("lose-response", /CREATE TABLE users/);
  await using remote = await openWith({ fault: trouble.fault });
  assert.equal(await countSettings(remote.db), 0);
});

test("a migration may take longer than other requests, and is sent once", async () => {
  const responseTimeoutMs = 1_000;
  const isMigration = (requests: readonly WireRequest[]) => /CREATE TABLE users/.test(JSON.stringify(requests));
  await using remote = await openWith(
    { executionMs: (requests) => (isMigration(requests) ? responseTimeoutMs * 1.5 : 0) },
    { responseTimeoutMs },
  );
  assert.equal(remote.server.pipelines.filter(isMigration).length, 1);
});

test("a wrong token is reported immediately", async () => {
  await using server = await startLibsqlServer();
  await assert.rejects(openRemote({ url: server.url, token: "wrong", migrations }), /token/);
});

/** A limit that a busy machine does not reach, unless the fault is that no response comes. */
const limitsOf = (fault: Fault) => ({ responseTimeoutMs: fault === "hang" ? 2_000 : 60_000 });

for (const fault of ["lose-request", "lose-response", "refuse", "hang"] as const) {
  test(`reads continue after ${fault}`, async () => {
    const trouble = planFaults();
    await using remote = await openWith({ fault: trouble.fault }, limitsOf(fault));
    await putSetting(remote.db, "a");
    trouble.plan(fault, /select/, 3);
    assert.equal(await countSettings(remote.db), 1);
  });

  test(`a transaction whose BEGIN fails with ${fault} runs once`, async () => {
    const trouble = planFaults();
    let expireStreams = (): void => undefined;
    const decide = (requests: readonly WireRequest[]): Fault | undefined => {
      if (isBegin.test(JSON.stringify(requests))) expireStreams();
      return trouble.fault(requests);
    };
    await using remote = await openWith({ fault: decide }, limitsOf(fault));
    // A transaction whose client does not know that it has begun keeps the lock until the server expires it: here, when the client begins again.
    ({ expireStreams } = remote.server);
    trouble.plan(fault, isBegin, 2);
    await remote.transaction((transaction) => countUp(transaction, "o"));
    assert.equal(await readCount(remote.db, "o"), 1);
  });
}

test("a write whose response was lost is not repeated, and one that was refused is", async () => {
  const trouble = planFaults();
  await using remote = await openWith({ fault: trouble.fault });
  const bump = () =>
    remote.db
      .updateTable("quotas")
      .set((quota) => ({ used_bytes: quota("used_bytes", "+", 1) }))
      .execute();
  await remote.db.insertInto("quotas").values({ owner: "o", used_bytes: 0 }).execute();
  trouble.plan("lose-response", /update/);
  await assert.rejects(bump(), isUnavailable);
  assert.equal(await readCount(remote.db, "o"), 1);
  trouble.plan("refuse", /update/, 2);
  await bump();
  assert.equal(await readCount(remote.db, "o"), 2);
});

test("a transaction that loses the server is rolled back and rejects", async () => {
  await using remote = await openWith();
  const stuck = remote.transaction(async (transaction) => {
    await putSetting(transaction, "a");
    remote.server.restart();
    await putSetting(transaction, "b").catch(() => {});
    await putSetting(transaction, "c");
  });
  await assert.rejects(stuck, isUnavailable);
  await putSetting(remote.db, "d");
  assert.equal(await countSettings(remote.db), 1);
});

test("a stream expired by the server is UNAVAILABLE, and its lock is released", async () => {
  await using remote = await openWith();
  const slow = remote.transaction(async (transaction) => {
    await putSetting(transaction, "a");
    remote.server.expireStreams();
    await putSetting(transaction, "b");
  });
  await assert.rejects(slow, isUnavailable);
  await remote.transaction((transaction) => putSetting(transaction, "c"));
  assert.equal(await countSettings(remote.db), 1);
});

test("a transaction that takes too long is rolled back, and the others run", async () => {
  await using remote = await openWith({ busyMs: 0 }, { transactionLimitMs: 2_000 });
  const started = Promise.withResolvers<void>();
  const outer = started.promise.then(() => putSetting(remote.db, "outer"));
  const stuck = remote.transaction(async (transaction) => {
    await putSetting(transaction, "inner");
    started.resolve();
    await outer;
    await putSetting(transaction, "after its time");
  });
  await assert.rejects(stuck, /too long/);
  const names = await remote.db.selectFrom("server_state").select("name").execute();
  assert.deepEqual(names, [{ name: "outer" }]);
});

/** With more of them, the last one could wait longer on a busy machine than a transaction may wait. */
const TRANSACTIONS = 8;

test("a transaction is retried until the lock is free if the server does not wait for it", async () => {
  await using remote = await openWith({ busyMs: 0 });
  await using second = await remote.open();
  await using third = await remote.open();
  const count = (database: typeof second) =>
    Array.from({ length: TRANSACTIONS }, () => database.transaction((transaction) => countUp(transaction, "o")));
  await Promise.all([remote, second, third].flatMap(count));
  assert.equal(await readCount(remote.db, "o"), 3 * TRANSACTIONS);
});

test("a database server returns bytes as bytes, and the largest exact number unchanged", async () => {
  await using remote = await openWith();
  const bytes = new Uint8Array([0, 1, 255]);
  const { rows } = await remote.db
    .selectNoFrom((select) => [select.val(bytes).as("bytes"), select.val(Number.MAX_SAFE_INTEGER).as("number")])
    .execute()
    .then((rows) => ({ rows }));
  assert.deepEqual(rows, [{ bytes, number: Number.MAX_SAFE_INTEGER }]);
});

test("ping rejects immediately if the server does not run", async () => {
  const server = await startLibsqlServer();
  await using database = await openRemote({ url: server.url, token: server.token, migrations });
  await database.ping();
  await server[Symbol.asyncDispose]();
  await assert.rejects(database.ping(), isUnavailable);
});
