import assert from "node:assert/strict";
import { test } from "node:test";
import { createHttp } from "../../src/server.ts";
import { openProcesses } from "../jobs/support.ts";

const peer = (address: string) => ({ address, whenSent: async () => true, isGone: () => false, setIdleTimeout: () => {} });

/** A runtime knows no address of a connection that has closed meanwhile (accounts, "The client's address"). */
test("a client of unknown address is refused without being counted", async () => {
  await using processes = await openProcesses();
  const [ctx] = processes.ctxs;
  const http = createHttp({ ...ctx, config: { ...ctx.config, limitsGeneralRate: true } });
  const ask = (address: string, init?: RequestInit) =>
    http(new Request("http://files.example/api/agent/register/challenge", init), peer(address));
  for (let n = 0; n < 120; n += 1) {
    const response = await ask("", { method: "POST" });
    assert.equal(response.status, 400);
    assert.equal(((await response.json()) as { errorCode: string }).errorCode, "VALIDATION_FAILED");
  }
  assert.deepEqual(await ctx.db.selectFrom("challenges").selectAll().execute(), []);
  assert.deepEqual(await ctx.db.selectFrom("rate_windows").selectAll().execute(), []);
  assert.equal((await ask("192.0.2.1", { method: "POST" })).status, 200);
});
