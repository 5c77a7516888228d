import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { fromAddress } from "../support/accounts/agents.ts";
import { assertRefused, call, clientOf } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";

const PASSWORD = "correct horse battery";

/** accounts, "Proof". */
describe("the proof of a session", () => {
  let server: TestServer;
  let people = 0;
  before(async () => {
    server = await startPlainServer({ FILEHOST_TRUSTED_PROXIES: "127.0.0.1" });
  });
  after(() => server[Symbol.asyncDispose]());

  async function signUp() {
    people += 1;
    const input = { email: `prover${people}@example.org`, password: PASSWORD, name: "A person" };
    const { data } = await clientOf(server, { headers: fromAddress(`198.51.100.${people}`) }).call("signUp", input);
    return data;
  }

  /** Makes the account's sessions as old as if they had proved themselves 15 minutes ago. */
  const age = (userId: string) =>
    withDatabase(server, (db) =>
      db
        .updateTable("sessions")
        .set({ proved_at: Date.now() - 15 * 60_000 })
        .where("user_id", "=", userId)
        .execute(),
    );

  const send = (path: string, token: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(server.url + path, {
      method: "POST",
      redirect: "manual",
      headers: { Origin: site(), Accept: "text/html", Cookie: `session=${token}`, ...headers },
      body: new URLSearchParams(fields),
    });
  const show = (path: string, token: string) =>
    fetch(server.url + path, { redirect: "manual", headers: { Cookie: `session=${token}`, Accept: "text/html" } });
  const site = (): string => new URL(server.url).origin.replace("127.0.0.1", "localhost");

  test("is required again after 15 minutes, before a key is created or rotated, and never for a key", async () => {
    const { sessionToken: key, owner } = await signUp();
    const client = clientOf(server, { key });
    const created = (await client.call("createKey", {})).data;
    await age(owner.id);
    const tryBoth = () =>
      Promise.all([call(server, "POST", "/api/keys", { key, json: {} }), call(server, "POST", `/api/keys/${created.id}/rotate`, { key })]);
    for (const response of await tryBoth()) assertRefused(response, { status: 403, code: "PROOF_REQUIRED" });
    const wrong = await call(server, "POST", "/api/auth/prove", { key, json: { password: "wrong horse battery" } });
    assertRefused(wrong, { status: 403, code: "FORBIDDEN" });
    for (const response of await tryBoth()) assertRefused(response, { status: 403, code: "PROOF_REQUIRED" });
    const { provedUntil } = (await client.call("prove", { password: PASSWORD })).data;
    assert.ok(Date.parse(provedUntil) > Date.now() + 14 * 60_000);
    for (const response of await tryBoth()) assert.equal(response.status, 200);
    const other = (await client.call("createKey", {})).data.key;
    await age(owner.id);
    await clientOf(server, { key: other }).call("createKey", {});
    assertRefused(await call(server, "POST", "/api/auth/prove", { key: other, json: { password: PASSWORD } }), {
      status: 409,
      code: "CONFLICT",
    });
  });

  test("counts as an attempt, so that a stolen session cannot guess the password", async () => {
    const { sessionToken: key, owner } = await signUp();
    await age(owner.id);
    const tries = await Promise.all(
      Array.from({ length: 24 }, (_, index) =>
        call(server, "POST", "/api/auth/prove", {
          key,
          json: { password: "wrong horse battery" },
          headers: fromAddress(`203.0.113.${index}`),
        }),
      ),
    );
    assert.equal(tries.filter(({ status }) => status === 403).length, 20);
    assert.equal(tries.filter(({ status }) => status === 429).length, 4);
  });

  test("is given on a page, which then redirects to the page that required it, on this site only", async () => {
    const { sessionToken: token, owner } = await signUp();
    assert.equal((await show("/prove?next=/settings", token)).headers.get("location"), "/settings");
    await age(owner.id);
    const page = await show("/prove?next=%2Fsettings%3Fa%3D1", token);
    assert.match(await page.text(), /name="next" value="\/settings\?a=1"/);
    const wrong = await send("/prove", token, { password: "wrong horse battery", next: "/settings" });
    assert.equal(wrong.status, 403);
    assert.match(await wrong.text(), /name="next" value="\/settings".*aria-invalid="true"/s);
    assert.equal((await send("/prove", token, { password: PASSWORD, next: "/settings" }, { Origin: "https://evil.example" })).status, 403);
    const foreign = await send("/prove", token, { password: PASSWORD, next: "//evil.example/x" });
    assert.deepEqual([foreign.status, foreign.headers.get("location")], [303, "/"]);
    assert.equal((await show("/prove?next=https://evil.example", token)).headers.get("location"), "/");
    assert.equal((await show("/prove?next=/settings", "")).headers.get("location"), "/signin?next=%2Fprove%3Fnext%3D%2Fsettings");
  });
});
