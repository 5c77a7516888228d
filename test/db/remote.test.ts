import assert from "node:assert/strict";
import { test } from "node:test";
import { migrations } from "../../src/db/migrations/index.ts";
import { openRemote } from "../../src/db/remote.ts";
import { AppError } from "../../src/errors.ts";
import type { WireRequest } from "../support/hrana.ts";
import { type Fault, type LibsqlServerOptions, startLibsqlServer } from "../support/libsql-server.ts";
import { until } from "../support/until.ts";
import { countSettings, countUp, putSetting, readCount } from "./support.ts";

/** A server whose next requests of a kind meet with misfortune, as often as said. */
function misfortunes() {
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

async function openWith(options: LibsqlServerOptions = {}, remote: { transactionLimitMs?: number; answerMs?: number } = {}) {
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

const isUnavailable = (error: unknown): boolean => error instanceof AppError && error.code === "UNAVAILABLE";

test("the schema comes with one request beside two looks, and a transaction of two statements is three requests", async () => {
  await using remote = await openWith();
  assert.equal(remote.server.pipelines.length, 2);
  const before = remote.server.pipelines.length;
  await remote.transaction((tx) => countUp(tx, "o"));
  assert.equal(remote.server.pipelines.length - before, 3);
  assert.equal(remote.server.openStreams, 0);
});

test("migrations: an answer that is lost is no harm, whoever applied them", async () => {
  const trouble = misfortunes();
  trouble.plan("lose-answer", /CREATE TABLE users/);
  await using remote = await openWith({ fault: trouble.fault });
  assert.equal(await countSettings(remote.db), 0);
});

test("a wrong token is said, not waited for", async () => {
  await using server = await startLibsqlServer();
  await assert.rejects(openRemote({ url: server.url, token: "wrong", migrations }), /token/);
});

for (const fault of ["lose-request", "lose-answer", "refuse", "hang"] as const) {
  test(`reads go on after ${fault}`, async () => {
    const trouble = misfortunes();
    await using remote = await openWith({ fault: trouble.fault }, { answerMs: 300 });
    await putSetting(remote.db, "a");
    trouble.plan(fault, /select/, 3);
    assert.equal(await countSettings(remote.db), 1);
  });

  test(`a transaction whose beginning meets ${fault} is done once`, async () => {
    const trouble = misfortunes();
    await using remote = await openWith({ fault: trouble.fault, idleMs: 200 }, { answerMs: 300 });
    trouble.plan(fault, /BEGIN IMMEDIATE/, 2);
    await remote.transaction((tx) => countUp(tx, "o"));
    assert.equal(await readCount(remote.db, "o"), 1);
  });
}

test("a write whose answer is lost is not sent twice; one that was refused is", async () => {
  const trouble = misfortunes();
  await using remote = await openWith({ fault: trouble.fault });
  const bump = () =>
    remote.db
      .updateTable("quotas")
      .set((quota) => ({ used_bytes: quota("used_bytes", "+", 1) }))
      .execute();
  await remote.db.insertInto("quotas").values({ owner: "o", used_bytes: 0 }).execute();
  trouble.plan("lose-answer", /update/);
  await assert.rejects(bump(), isUnavailable);
  assert.equal(await readCount(remote.db, "o"), 1);
  trouble.plan("refuse", /update/, 2);
  await bump();
  assert.equal(await readCount(remote.db, "o"), 2);
});

test("a transaction that loses the server in the middle is undone and says so", async () => {
  await using remote = await openWith();
  const stuck = remote.transaction(async (tx) => {
    await putSetting(tx, "a");
    remote.server.restart();
    await putSetting(tx, "b").catch(() => {});
    await putSetting(tx, "c");
  });
  await assert.rejects(stuck, isUnavailable);
  await putSetting(remote.db, "d");
  assert.equal(await countSettings(remote.db), 1);
});

test("a stream that the server has let expire is UNAVAILABLE, and its lock is free", async () => {
  await using remote = await openWith({ idleMs: 50 });
  const slow = remote.transaction(async (tx) => {
    await putSetting(tx, "a");
    await until("the stream expires", () => remote.server.openStreams === 0);
    await putSetting(tx, "b");
  });
  await assert.rejects(slow, isUnavailable);
  await remote.transaction((tx) => putSetting(tx, "c"));
  assert.equal(await countSettings(remote.db), 1);
});

test("a transaction that takes too long is undone, and others go on", async () => {
  await using remote = await openWith({ busyMs: 0 }, { transactionLimitMs: 100 });
  const stuck = remote.transaction(async (tx) => {
    await putSetting(tx, "inner");
    await putSetting(remote.db, "outer");
    await putSetting(tx, "after its time");
  });
  await assert.rejects(stuck, /too long/);
  const names = await remote.db.selectFrom("settings").select("name").execute();
  assert.deepEqual(names, [{ name: "outer" }]);
});

test("where the server does not wait for its lock, the clients come again until it is free", async () => {
  await using remote = await openWith({ busyMs: 0 });
  await using second = await remote.open();
  await using third = await remote.open();
  const count = (database: typeof second) => Array.from({ length: 30 }, () => database.transaction((tx) => countUp(tx, "o")));
  await Promise.all([remote, second, third].flatMap(count));
  assert.equal(await readCount(remote.db, "o"), 90);
});

test("bytes come back as bytes, and the largest exact number as itself", async () => {
  await using remote = await openWith();
  const bytes = new Uint8Array([0, 1, 255]);
  const { rows } = await remote.db
    .selectNoFrom((select) => [select.val(bytes).as("bytes"), select.val(Number.MAX_SAFE_INTEGER).as("number")])
    .execute()
    .then((rows) => ({ rows }));
  assert.deepEqual(rows, [{ bytes, number: Number.MAX_SAFE_INTEGER }]);
});

test("ping says that the server is gone, at once", async () => {
  const server = await startLibsqlServer();
  await using database = await openRemote({ url: server.url, token: server.token, migrations });
  await database.ping();
  await server[Symbol.asyncDispose]();
  await assert.rejects(database.ping(), isUnavailable);
});
