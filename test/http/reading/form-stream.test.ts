import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Hono } from "hono";
import { runtime } from "#runtime";
import { createBodyMemory } from "../../../src/http/reading/body-memory.ts";
import { createBodyWatch } from "../../../src/http/reading/body-watch.ts";
import { formStream } from "../../../src/http/reading/form-stream.ts";
import { respondError } from "../../../src/http/responding/respond-error.ts";
import type { HttpEnv } from "../../../src/http/routing/env.ts";
import { createKeyring } from "../../../src/lib/secrets/secrets.ts";

/** Starts a server that reads forms; `received` has the names of their files. */
async function serve() {
  const received: string[] = [];
  const app = new Hono<HttpEnv>();
  app.post("/", async (c) => {
    await formStream(
      c,
      { actor: undefined, address: "192.0.2.1" },
      10,
    )(async ({ name, body }) => {
      received.push(name);
      for await (const _ of body);
    });
    return c.text("read");
  });
  app.onError((error, c) => respondError(c, error));
  const bodyMemory = createBodyMemory({ keyring: createKeyring("a secret for this test, long enough"), now: Date.now });
  const env = { bodyMemory, bodyWatch: createBodyWatch(), requestId: "" };
  const server = await runtime.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeoutSeconds: 60,
    fetch: (request, peer) => app.fetch(request, { ...env, url: new URL(request.url), peer } as unknown as HttpEnv["Bindings"]),
  });
  const post = (init: RequestInit): Promise<Response> => fetch(`http://127.0.0.1:${server.port}/`, { method: "POST", ...init });
  return { received, post, [Symbol.asyncDispose]: () => server.stop(0) };
}

/** curl, "Several files" */
describe("a form whose files are streamed", () => {
  test("receives no file after an error in the form", async () => {
    await using server = await serve();
    const form = new FormData();
    form.append("ttl", "never");
    form.append("file", new File(["one"], "a.txt"));
    form.append("ttl", "1h");
    form.append("file", new File(["two"], "b.txt"));
    const response = await server.post({ body: form });
    assert.equal(response.status, 400, await response.text());
    assert.deepEqual(server.received, []);
  });

  // Such a file has no receiver: an error without a listener would end the process.
  for (const [what, before, name] of [
    ["without a name", "", ""],
    ["after too many fields", 'Content-Disposition: form-data; name="x"\r\n\r\n1\r\n--b\r\n'.repeat(51), "a.txt"],
  ] as const) {
    test(`rejects a form that ends inside a file ${what}, and the server keeps running`, async () => {
      await using server = await serve();
      const body = `--b\r\n${before}Content-Disposition: form-data; name="file"; filename="${name}"\r\n\r\nthe star`;
      const response = await server.post({ body, headers: { "Content-Type": "multipart/form-data; boundary=b" } });
      assert.equal(response.status, 400, await response.text());
      const whole = new FormData();
      whole.append("file", new File(["two"], "b.txt"));
      assert.equal((await server.post({ body: whole })).status, 200);
      assert.deepEqual(server.received, ["b.txt"]);
    });
  }
});
