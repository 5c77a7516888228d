import assert from "node:assert/strict";
import { describe, mock, test } from "node:test";
import { Hono } from "hono";
import { z } from "zod";
import { loadConfig } from "../../../src/config/load.ts";
import { createOpenStreams } from "../../../src/http/callers/open-streams.ts";
import { createRequestRates } from "../../../src/http/callers/request-rates.ts";
import { createBodyMemory } from "../../../src/http/reading/body-memory.ts";
import { createBodyWatch } from "../../../src/http/reading/body-watch.ts";
import { respondEvents } from "../../../src/http/responding/respond-events.ts";
import type { HttpEnv } from "../../../src/http/routing/env.ts";
import { createKeyring } from "../../../src/lib/secrets/secrets.ts";
import { createLogger } from "../../../src/log.ts";

const { config } = loadConfig({ FILEHOST_LOG: "silent" });

/** imports, "Events of a job": what keeps a silent stream's connection. */
describe("an idle event stream", () => {
  test("sends a comment every 15 seconds, and ends after the last item", async () => {
    mock.timers.enable({ apis: ["setInterval"] });
    try {
      const next = Promise.withResolvers<void>();
      async function* items(): AsyncGenerator<{ n: number }> {
        yield { n: 1 };
        await next.promise;
        yield { n: 2 };
      }
      const app = new Hono<HttpEnv>();
      const definition = { data: z.object({ n: z.int() }), id: ({ n }: { n: number }) => String(n) };
      const call = {
        actor: { kind: "anonymous", tier: "anonymous", quotaOwner: "anon:x" },
        requestId: "",
        address: "192.0.2.1",
        channel: "api",
        userAgent: "",
      } as const;
      app.get("/", (c) => respondEvents(c, { call, definition, items: items() }));
      const keyring = createKeyring("a secret of this test");
      const env = {
        peer: { address: call.address, whenSent: async () => true, isGone: () => false, setIdleTimeout: () => undefined },
        requestId: "",
        address: call.address,
        log: createLogger(config.log),
        rates: createRequestRates({ config, keyring, now: Date.now }),
        streams: createOpenStreams({ keyring, now: Date.now }),
        bodyWatch: createBodyWatch(),
        bodyMemory: createBodyMemory({ keyring, now: Date.now }),
      } as unknown as HttpEnv["Bindings"];
      const response = await app.request("/", {}, env);
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader() ?? assert.fail();
      const read = async (): Promise<string | undefined> => (await reader.read()).value;
      assert.equal(await read(), 'id: 1\ndata: {"n":1}\n\n');
      const silent = read();
      mock.timers.tick(14_999);
      assert.equal(await Promise.race([silent, new Promise((resolve) => setImmediate(resolve, "nothing"))]), "nothing");
      mock.timers.tick(1);
      assert.equal(await silent, ":\n\n");
      mock.timers.tick(15_000);
      assert.equal(await read(), ":\n\n");
      next.resolve();
      assert.equal(await read(), 'id: 2\ndata: {"n":2}\n\n');
      assert.equal(await read(), undefined);
    } finally {
      mock.timers.reset();
    }
  });
});
