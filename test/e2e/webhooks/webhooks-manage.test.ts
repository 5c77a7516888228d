import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { startServer, type TestServer } from "../../support/server.ts";
import { type Account, addAccount } from "../support/accounts/accounts.ts";
import { assertRefused, type CallOptions, call, clientOf, type InputOf } from "../support/api/api.ts";
import {
  addWebhook,
  changeWebhook,
  getDeliveries,
  getWebhook,
  listWebhooks,
  postWebhook,
  sendTest,
  type WebhookWithSecret,
} from "../support/shares/webhooks.ts";

const EVENTS = ["file.ready"] as const;

/** webhooks, "Endpoints"; request limits, "Test events". The receivers of these endpoints need not exist. */
describe("managing webhook endpoints", () => {
  let server: TestServer;
  let me: Account;
  before(async () => {
    server = await startServer({
      env: { FILEHOST_SCANNER: "off", FILEHOST_RATE_LIMITS: "off", FILEHOST_WEBHOOK_NETWORKS: "198.51.100.0/24" },
    });
    me = await addAccount(server);
  });
  after(() => server[Symbol.asyncDispose]());

  const url = "https://198.51.100.7/hooks";
  const add = (key = me.key): Promise<WebhookWithSecret> => addWebhook(server, key, { url, events: EVENTS });
  const patch = (id: string, json: unknown, options: CallOptions = { key: me.key }) =>
    call(server, "PATCH", `/api/webhooks/${id}`, { ...options, json });
  const change = (id: string, fields: Omit<InputOf<"updateWebhook">, "id">) => changeWebhook(server, me.key, { id, ...fields });
  const erase = (id: string, key = me.key) => clientOf(server, { key }).call("deleteWebhook", { id });
  const remove = (id: string) => call(server, "DELETE", `/api/webhooks/${id}`, { key: me.key });

  it("returns the secret once and stores it encrypted", async () => {
    const { secret, ...created } = await add();
    assert.match(secret, /^whsec_[\w-]{43}$/);
    const { id, createdAt, updatedAt, ...rest } = created;
    assert.deepEqual(rest, { url, events: EVENTS, description: null, status: "active", pausedReason: null });
    assert.equal(createdAt, updatedAt);
    assert.deepEqual(await getWebhook(server, me.key, id), created, "as created, without the secret");
    for (const name of await readdir(server.dataDir)) {
      if (!name.startsWith("filehost.db")) continue;
      assert.ok(!(await readFile(join(server.dataDir, name), "latin1")).includes(secret.slice(6)), name);
    }
    await erase(id);
  });

  it("changes address, events, description and status", async () => {
    const { id } = await add();
    const {
      createdAt: _,
      updatedAt: __,
      ...data
    } = await change(id, {
      url: "https://198.51.100.8/",
      events: ["file.expired", "file.ready", "file.ready"],
      description: " ou\0rs ",
    });
    const expected = {
      id,
      url: "https://198.51.100.8/",
      events: ["file.ready", "file.expired"],
      description: "ours",
      status: "active",
      pausedReason: null,
    };
    assert.deepEqual(data, expected);
    assert.equal((await change(id, { description: null })).description, null);
    const paused = await change(id, { status: "paused" });
    assert.deepEqual([paused.status, paused.pausedReason], ["paused", "Paused by its owner."]);
    for (const status of ["active", "enabled"] as const) {
      await change(id, { status: "disabled" });
      const active = await change(id, { status });
      assert.deepEqual([active.status, active.pausedReason], ["active", null]);
    }
    await erase(id);
  });

  it("creates one endpoint for repeated requests with the same Idempotency-Key, with the same secret", async () => {
    const { key } = await addAccount(server);
    const headers = { "Idempotency-Key": "make-one-webhook" };
    const make = () => clientOf(server, { key, headers }).call("createWebhook", { url, events: [...EVENTS] });
    const [first, second] = [await make(), await make()];
    assert.deepEqual(second.data, { ...first.data, idempotent: true });
    const webhooks = await listWebhooks(server, key);
    assert.equal(webhooks.length, 1);
  });

  it("deletes an endpoint", async () => {
    const { id } = await add();
    assert.deepEqual(await erase(id), { success: true, data: { id } });
    assertRefused(await remove(id), { status: 404, code: "NOT_FOUND" });
    assertRefused(await patch(id, {}), { status: 404, code: "NOT_FOUND" });
  });

  it("refuses invalid input", async () => {
    const wrong: Record<string, unknown>[] = [
      {},
      { url },
      { url, events: [] },
      { url, events: ["file.unheard"] },
      { url, events: ["webhook.test"] },
      { url, events: "file.ready" },
      { url: 7, events: EVENTS },
      { url: "hooks", events: EVENTS },
      { url: "ftp://198.51.100.7/", events: EVENTS },
      { url: `https://198.51.100.7/${"a".repeat(2048)}`, events: EVENTS },
      { url, events: EVENTS, description: "a".repeat(201) },
    ];
    for (const json of wrong) assertRefused(await postWebhook(server, me.key, json), { status: 400, code: "VALIDATION_FAILED" });
    const { id } = await add();
    for (const json of [{ status: "broken" }, { events: [] }, { events: null }, { url: null }])
      assertRefused(await patch(id, json), { status: 400, code: "VALIDATION_FAILED" });
    for (const query of ["?limit=0", "?limit=x", "?limit=-1"])
      assertRefused(await call(server, "GET", `/api/webhooks/${id}/deliveries${query}`, { key: me.key }), {
        status: 400,
        code: "VALIDATION_FAILED",
      });
    await erase(id);
  });

  it("accepts public HTTPS addresses, and plain HTTP only within the administrator's networks", async () => {
    const refused = [
      "http://203.0.114.7/",
      "http://example.org/",
      "https://127.0.0.1/",
      "https://2130706433/",
      "https://0x7f.1/",
      "https://[::1]/",
      "https://[::ffff:127.0.0.1]/",
      "https://[64:ff9b::7f00:1]/",
      "https://10.1.2.3/",
      "https://100.64.0.1/",
      "https://169.254.169.254/latest/",
      "https://0.0.0.0/",
      "https://localhost/",
      "https://api.localhost./",
      "https://printer.local/",
      "https://user:secret@198.51.100.7/",
    ];
    for (const unwanted of refused)
      assertRefused(await postWebhook(server, me.key, { url: unwanted, events: EVENTS }), { status: 400, code: "URL_NOT_ALLOWED" });
    const { id } = await add();
    assertRefused(await patch(id, { url: "https://127.0.0.1/" }), { status: 400, code: "URL_NOT_ALLOWED" });
    assert.equal((await getWebhook(server, me.key, id)).url, url);
    for (const wanted of ["http://198.51.100.9:8080/hook", "https://93.184.215.14/"]) await change(id, { url: wanted });
    await erase(id);
  });

  it("allows ten endpoints per account, even with concurrent requests", async () => {
    const { key } = await addAccount(server);
    const responses = await Promise.all(Array.from({ length: 14 }, () => postWebhook(server, key, { url, events: EVENTS })));
    assert.equal(responses.filter(({ status }) => status === 200).length, 10);
    for (const response of responses) if (response.status !== 200) assertRefused(response, { status: 409, code: "TOO_MANY_WEBHOOKS" });
    const webhooks = await listWebhooks(server, key);
    assert.equal(webhooks.length, 10);
    await erase(webhooks[0]?.id ?? "", key);
    await add(key);
  });

  it("allows ten test events per minute and account over all its endpoints, and counts no refused one", async () => {
    const { key } = await addAccount(server);
    const ids = [(await add(key)).id, (await add(key)).id] as const;
    const send = (n: number) => call(server, "POST", `/api/webhooks/${ids[n % 2]}/test`, { key });
    const responses = await Promise.all(Array.from({ length: 60 }, (_, n) => send(n)));
    const refused = responses.filter(({ status }) => status !== 200);
    assert.equal(refused.length, 50);
    for (const response of refused) {
      assertRefused(response, { status: 429, code: "RATE_LIMITED" });
      const wait = Number(response.headers.get("retry-after"));
      assert.ok(wait >= 1 && wait <= 60, String(wait));
    }
    const logs = await Promise.all(ids.map((id) => getDeliveries(server, key, id)));
    assert.equal(logs.flat().length, 10);
    const other = await addAccount(server);
    const { id } = await add(other.key);
    await sendTest(server, other.key, id);
  });

  it("counts the retry of a test event as another one", async () => {
    const { key } = await addAccount(server);
    const { id } = await add(key);
    const sent = await sendTest(server, key, id);
    const again = () => call(server, "POST", `/api/webhooks/${id}/deliveries/${sent.id}/retry`, { key });
    const responses = await Promise.all(Array.from({ length: 20 }, again));
    assert.equal(responses.filter(({ status }) => status === 200).length, 9);
    for (const response of responses) if (response.status !== 200) assertRefused(response, { status: 429, code: "RATE_LIMITED" });
  });

  it("requires a key of scope full and hides the endpoints of other accounts", async () => {
    const { id } = await add();
    await sendTest(server, me.key, id);
    const [delivery] = await getDeliveries(server, me.key, id);
    const routes: readonly (readonly [string, string, unknown?])[] = [
      ["PATCH", `/api/webhooks/${id}`, { status: "paused" }],
      ["POST", `/api/webhooks/${id}/rotate`],
      ["POST", `/api/webhooks/${id}/test`],
      ["GET", `/api/webhooks/${id}/deliveries`],
      ["POST", `/api/webhooks/${id}/deliveries/${delivery?.id}/retry`],
      ["DELETE", `/api/webhooks/${id}`],
    ];
    const [outsider, reader, writer] = [
      await addAccount(server),
      await addAccount(server, { scope: "files_read" }),
      await addAccount(server, { scope: "files_write" }),
    ];
    for (const [method, path, json] of routes) {
      assertRefused(await call(server, method, path, { key: outsider.key, json }), { status: 404, code: "NOT_FOUND" });
      assertRefused(await call(server, method, path.replace(id, "01890000-0000-7000-8000-000000000000"), { key: me.key, json }), {
        status: 404,
        code: "NOT_FOUND",
      });
    }
    for (const [method, path, json] of [
      ["GET", "/api/webhooks"],
      ["POST", "/api/webhooks", { url, events: EVENTS }],
      ...routes,
    ] as typeof routes) {
      for (const { key } of [reader, writer])
        assertRefused(await call(server, method, path, { key, json }), { status: 403, code: "INSUFFICIENT_SCOPE" });
      assertRefused(await call(server, method, path, { json }), { status: 401, code: "UNAUTHENTICATED" });
    }
    const own = await addWebhook(server, outsider.key, { url, events: EVENTS });
    assertRefused(await call(server, "POST", `/api/webhooks/${own.id}/deliveries/${delivery?.id}/retry`, { key: outsider.key }), {
      status: 404,
      code: "NOT_FOUND",
    });
    const webhooks = await listWebhooks(server, outsider.key);
    assert.deepEqual(
      webhooks.map((webhook) => webhook.id),
      [own.id],
    );
    assert.equal((await getWebhook(server, me.key, id)).status, "active");
    await erase(id);
  });
});
