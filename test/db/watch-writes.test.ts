import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { createServerFetch } from "../../src/db/remote-errors.ts";
import { watchWrites } from "../../src/db/watch-writes.ts";

/** Sends a request to a server that never responds. */
async function unansweredWrite(): Promise<never> {
  await using server = createServer(() => undefined).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    await createServerFetch(50)(new Request(`http://127.0.0.1:${port}/`));
  } finally {
    server.closeAllConnections();
  }
  throw new Error("The server has responded");
}

function createWatch(canRead: () => Promise<unknown>) {
  const messages: string[] = [];
  const log = {
    info: (_: object, message: string) => messages.push(message),
    error: (_: object, message: string) => messages.push(message),
  };
  return { messages, ...watchWrites({ log, canRead }) };
}

test("a server that holds writes is reported once, and so is its next answer", async () => {
  const { messages, watch } = createWatch(() => Promise.resolve());
  for (let i = 0; i < 3; i++) await assert.rejects(watch(unansweredWrite()));
  await watch(Promise.resolve());
  await watch(Promise.resolve());
  assert.equal(messages.length, 2);
  assert.match(messages[0] ?? "", /but not to writes/);
  assert.match(messages[1] ?? "", /responds to writes again/);
});

test("a write without an answer is no news if a later write was answered", async () => {
  const { messages, watch } = createWatch(() => Promise.resolve());
  const held = assert.rejects(watch(unansweredWrite()));
  await watch(Promise.resolve());
  await held;
  assert.deepEqual(messages, []);
});

test("a server that answers a write while reads are checked does not hold writes", async () => {
  const reading = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const { messages, watch } = createWatch(() => {
    begun.resolve();
    return reading.promise;
  });
  await assert.rejects(watch(unansweredWrite()));
  await begun.promise;
  await watch(Promise.resolve());
  reading.resolve();
  await reading.promise;
  assert.deepEqual(messages, []);
});
