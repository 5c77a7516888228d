import assert from "node:assert/strict";
import { test } from "node:test";
import { Hono } from "hono";
import { runtime } from "#runtime";
import { createKeyring } from "../../src/auth/secrets.ts";
import { answerError } from "../../src/http/answer-error.ts";
import { createBodyMemory } from "../../src/http/body-memory.ts";
import { createBodyWatch } from "../../src/http/body-watch.ts";
import type { HttpEnv } from "../../src/http/env.ts";
import { formStream } from "../../src/http/form-stream.ts";

test("takes no file of a form after that for which the form is refused", async () => {
  const taken: string[] = [];
  const app = new Hono<HttpEnv>();
  app.post("/", async (c) => {
    await formStream(
      c,
      { actor: undefined, address: "192.0.2.1" },
      10,
    )(async ({ name, body }) => {
      taken.push(name);
      for await (const _ of body);
    });
    return c.text("read");
  });
  app.onError((error, c) => answerError(c, error));
  const bodyMemory = createBodyMemory({ keyring: createKeyring("a secret for this test, long enough"), now: Date.now });
  const env = { bodyMemory, bodyWatch: createBodyWatch(), requestId: "" };
  const server = await runtime.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeoutSeconds: 60,
    fetch: (request, peer) => app.fetch(request, { ...env, peer } as unknown as HttpEnv["Bindings"]),
  });
  try {
    const form = new FormData();
    form.append("ttl", "never");
    form.append("file", new File(["one"], "a.txt"));
    form.append("ttl", "1h");
    form.append("file", new File(["two"], "b.txt"));
    const response = await fetch(`http://127.0.0.1:${server.port}/`, { method: "POST", body: form });
    assert.equal(response.status, 400, await response.text());
    assert.deepEqual(taken, []);
  } finally {
    await server.stop(0);
  }
});
