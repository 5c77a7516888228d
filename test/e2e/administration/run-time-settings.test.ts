import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Output } from "../../../src/service/contract.ts";
import { sampled } from "../../support/long.ts";
import { until } from "../../support/until.ts";
import { type Account, type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { assertRefused, call, clientOf, upload } from "../support/api/api.ts";
import { startSession } from "../support/api/callers.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { type ServerInstances, startServerInstances } from "../support/servers/server-instances.ts";
import { withDatabase } from "../support/servers/state.ts";

type Server = { readonly url: string };
type Setting = Output<"getSettings">["settings"][number];

const GB = 1024 ** 3;

const getPage = async (server: Server, path = "/"): Promise<string> =>
  await (await fetch(server.url + path, { headers: { Accept: "text/html" } })).text();

const findSetting = ({ settings }: Output<"getSettings">, name: string): Setting => {
  const setting = settings.find((setting) => setting.name === name);
  assert.ok(setting, name);
  return setting;
};

const capabilitiesOf = (server: Server) => clientOf(server).call("getCapabilities", {});

const signUp = (server: Server) =>
  call(server, "POST", "/api/auth/sign-up", {
    json: { email: `${crypto.randomUUID()}@example.org`, password: "correct horse battery", name: "A person" },
  });

/** administration, "Settings"; configuration, "Settings in the database". */
describe("settings that administrators change while the server runs", () => {
  let server: ServerWith<"administrator">;
  before(async () => {
    server = await withAccounts(
      startPlainServer({
        FILEHOST_ACCENT: "#AA0066",
        FILEHOST_LIMITS: JSON.stringify({ tiers: { pro: { files: 77 } }, rates: { reports: 3, webhookTests: 33 } }),
      }),
      { administrator: { isAdministrator: true } },
    );
  });
  after(() => server[Symbol.asyncDispose]());

  const admin = () => clientOf(server, server.administrator);
  const change = async (settings: Record<string, string | number | boolean | null>) =>
    (await admin().call("updateSettings", { settings })).data;
  const patch = (json: unknown) => call(server, "PATCH", "/api/admin/settings", { ...server.administrator, json });

  test("apply to the next request: sign-up, limits and branding", async () => {
    const file = await upload(server, { bytes: "some bytes" });
    const sharePath = `/d/${file.shortId}`;
    assert.match(await getPage(server, sharePath), / – filehost<\/title>/);
    await getPage(server, "/docs");
    await change({
      signup: "closed",
      name: "Harbour",
      imprint_url: "https://example.org/imprint",
      "tiers.anonymous.fileBytes": "2MB",
      "tiers.anonymous.retention": "1d",
      "rates.free": 4321,
    });
    assertRefused(await signUp(server), { status: 403, code: "FORBIDDEN" });
    const { limits, rateLimits } = await capabilitiesOf(server);
    assert.deepEqual([limits.anonymous.fileBytes, limits.anonymous.maxTtlSeconds], [2 * 1024 ** 2, 86_400]);
    assert.deepEqual([limits.free.requestsPerMinute, rateLimits.free?.limit], [4321, 4321]);
    assert.match(await (await fetch(`${server.url}/llms.txt`)).text(), /\| anonymous \| 2 MB \|/);
    for (const path of ["/", sharePath, "/docs"]) {
      const html = await getPage(server, path);
      assert.match(html, / – Harbour<\/title>/, path);
      assert.match(html, /href="https:\/\/example\.org\/imprint"/, path);
    }
    assert.equal((await (await fetch(`${server.url}/manifest.webmanifest`)).json()).name, "Harbour");
    const large = await call(server, "POST", "/api/files/multipart/init", { json: { fileName: "large", fileSize: 3 * 1024 ** 2 } });
    assertRefused(large, { status: 413, code: "QUOTA_EXCEEDED" });
  });

  test("return to their defaults with null, and each change is in the audit log with both values", async () => {
    await change({ signup: "closed" });
    await change({ signup: "invite", "tiers.free.storageBytes": "20GB" });
    const back = await change({ signup: null, "tiers.free.storageBytes": null });
    for (const [name, value] of [
      ["signup", "open"],
      ["tiers.free.storageBytes", "10GB"],
    ] as const) {
      const setting = findSetting(back, name);
      assert.deepEqual([setting.value, setting.source, setting.fixedBy], [value, "default", null]);
    }
    assert.equal((await signUp(server)).status, 200);
    assert.equal((await capabilitiesOf(server)).limits.free.storageBytes, 10 * GB);
    const { data: entries } = await admin().call("listAuditLog", { action: "setting.changed", subject: "signup", limit: 2 });
    assert.deepEqual(
      entries.map(({ details, actor }) => [details, actor?.id]),
      [
        [{ from: "invite", to: "open" }, server.administrator.userId],
        [{ from: "closed", to: "invite" }, server.administrator.userId],
      ],
    );
    const before = (await admin().call("listAuditLog", { action: "setting" })).data.length;
    await change({ signup: null });
    assert.equal((await admin().call("listAuditLog", { action: "setting" })).data.length, before);
  });

  test("are shown with the settings that only the environment sets", async () => {
    const headers = { Accept: "text/html", Cookie: `session=${await startSession(server, server.administrator)}` };
    const html = await (await fetch(`${server.url}/admin/settings`, { headers })).text();
    const list = /<dl class="fixed-list">.*?<\/dl>/s.exec(html)?.[0].replaceAll(/<[^>]+>/g, " ") ?? "";
    assert.match(list, /FILEHOST_RATE_LIMITS +Off /);
    assert.match(list, /rates\.webhookTests +33 in 1\sminute /);
    assert.doesNotMatch(list, /rates\.(?:reports|free) /);
    assert.match(html, /Not limited: FILEHOST_RATE_LIMITS is off\./);
    const { fixed } = (await admin().call("getSettings", {})).data;
    const rows = [...html.matchAll(/<div><dt>(.+?)<code[^>]*>(.+?)<\/code><\/dt><dd>([^<]+)(?:<span[^>]*>(.+?)<\/span>)?/gs)];
    assert.deepEqual(
      rows.map(([, , name, , source]) => [name, source]),
      fixed.map(({ name, windowSeconds, variable, fixedBy }) => [
        windowSeconds === null ? variable : name,
        fixedBy === null ? undefined : `Fixed by ${fixedBy}`,
      ]),
    );
    for (const [index, { name, value, windowSeconds }] of fixed.entries())
      if (windowSeconds !== null) assert.ok(rows[index]?.[3]?.startsWith(`${Number(value).toLocaleString("en")} in `), name);
    const find = (name: string) => fixed.find((setting) => setting.name === name);
    assert.deepEqual(find("rates.webhookTests"), {
      name: "rates.webhookTests",
      value: "33",
      source: "environment",
      fixedBy: "FILEHOST_LIMITS",
      variable: "FILEHOST_LIMITS",
      default: "10",
      windowSeconds: 60,
      help: "Test events of an account",
    });
    assert.deepEqual(
      [find("rate_limits"), find("rates.signIns")].map((setting) => [setting?.value, setting?.fixedBy, setting?.default, setting?.source]),
      [
        ["off", "FILEHOST_RATE_LIMITS", "on", "environment"],
        ["50", null, "50", "default"],
      ],
    );
    assert.deepEqual((await change({ name: null })).fixed, fixed);
  });

  test("cannot be changed if the environment fixes them", async () => {
    const { data } = await admin().call("getSettings", {});
    for (const [name, value, by] of [
      ["accent", "#AA0066", "FILEHOST_ACCENT"],
      ["tiers.pro.files", "77", "FILEHOST_LIMITS"],
      ["rates.reports", "3", "FILEHOST_LIMITS"],
    ] as const) {
      const setting = findSetting(data, name);
      assert.deepEqual([setting.value, setting.source, setting.fixedBy], [value, "environment", by]);
      const refused = await patch({ settings: { [name]: null, "tiers.pro.retention": "2d" } });
      assertRefused(refused, { status: 409, code: "CONFLICT" });
      assert.match(refused.body.error ?? "", new RegExp(`fixed by ${by}`));
      assert.deepEqual(refused.body.setting, { name, value });
    }
    // All or none.
    assert.equal((await capabilitiesOf(server)).limits.pro.maxTtlSeconds, 90 * 86_400);
    await change({ "tiers.pro.fileBytes": "50GB" });
    assert.equal((await capabilitiesOf(server)).limits.pro.fileBytes, 50 * GB);
  });

  test("are refused with their syntax, and change nothing", async () => {
    const present = (await admin().call("getSettings", {})).data;
    const cases: readonly (readonly [name: string, value: unknown, message: RegExp])[] = [
      ["signup", "everybody", /open, invite or closed/],
      ["name", "", /1 to 40\scharacters/],
      ["name", "x".repeat(41), /1 to 40\scharacters/],
      ["name", "a\u202eb", /without control characters/],
      ["terms_url", "javascript:alert(1)", /write a URL/],
      ["privacy_url", `https://example.org/${"x".repeat(2000)}`, /2000\scharacters/],
      ["imprint_url", "data:text/html,x", /write a URL/],
      ["abuse_contact", "javascript:alert(1)", /email address/],
      ["anonymous", "perhaps", /on or off/],
      ["tiers.free.fileBytes", "-1", /write a size/],
      ["tiers.free.fileBytes", 0, /above 0/],
      ["tiers.free.fileBytes", "9".repeat(400), /write a size/],
      ["tiers.free.fileBytes", 1e300, /write a size/],
      ["tiers.free.storageBytes", "1025TB", /1024TB/],
      ["tiers.free.files", "1.5", /whole number/],
      ["tiers.free.files", -3, /whole number/],
      ["tiers.free.files", "99999999999999999999", /whole number/],
      ["tiers.free.retention", "0d", /at least 5m/],
      ["tiers.free.retention", "a week", /such as 30s, 12h or 7d, at least 5m/],
      ["rates.free", 0, /from 10 to 1000000000/],
      ["rates.signUps", -1, /whole number/],
      ["signups", "open", /Did you mean "signup"\?/],
      ["__proto__.x", "open", /No setting that can be changed/],
      ["constructor", "open", /No setting that can be changed/],
      ["name", "9".repeat(4001), /at most 4000\scharacters/],
      ["logo", "/etc/filehost/logo.svg", /in base64/],
      ["logo", "data:image/svg+xml,<svg/>", /in base64/],
      ["logo", "", /is empty/],
      ["logo", Buffer.from("GIF89a").toString("base64"), /not an SVG, PNG or WebP image\. Save it as one of these/],
      ["logo", Buffer.alloc(256 * 1024 + 1).toString("base64"), /larger than 256\sKB\. Make it smaller/],
      ["listen", "0.0.0.0:1", /No setting that can be changed/],
      ["signup", { open: true }, /text, a number/],
    ];
    for (const [name, value, message] of cases) {
      const refused = await patch({ settings: { [name]: value } });
      assertRefused(refused, { status: 400, code: "VALIDATION_FAILED" });
      assert.match(refused.body.error ?? "", message, `${name}: ${JSON.stringify(value)}`);
    }
    assertRefused(await patch({ settings: {} }), { status: 400, code: "VALIDATION_FAILED" });
    assert.deepEqual((await admin().call("getSettings", {})).data, present);
  });

  test("are shown as text, whatever they contain", async () => {
    await change({ name: `<script>alert(1)</script>"'` });
    const html = await getPage(server);
    assert.match(html, /&lt;script>alert\(1\)&lt;\/script>/);
    assert.doesNotMatch(html, /<script>alert/);
    assert.equal((await (await fetch(`${server.url}/manifest.webmanifest`)).json()).name, `<script>alert(1)</script>"'`);
    await change({ name: null });
  });

  test("are not overwritten by an administrator who has not seen the last change", async () => {
    const { revision } = await change({ signup: "invite" });
    await change({ signup: "closed", "tiers.pro.retention": "30d" });
    const stale = await patch({ settings: { signup: "open" }, revision });
    assertRefused(stale, { status: 409, code: "CONFLICT" });
    assert.deepEqual(stale.body.setting, { name: "signup", value: "closed" });
    assert.match(stale.body.error ?? "", /it is now "closed"/);
    // Another setting, or the same value, is no conflict.
    await admin().call("updateSettings", { settings: { signup: "closed", name: "Other" }, revision });
    await change({ signup: null, name: null, "tiers.pro.retention": null });
  });

  test("are changed by one of several administrators at the same time; the others get a conflict", async () => {
    const { revision } = await change({ name: "Before" });
    const responses = await Promise.all(["One", "Two", "Three", "Four"].map((name) => patch({ settings: { name }, revision })));
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 409, 409, 409]);
    await change({ name: null });
  });

  test("are changed by the command line too, and the server uses them", async () => {
    const settings = async (...words: string[]) => await server.run(["settings", ...words]);
    assert.equal((await settings("set", "tiers.free.files", "1234")).code, 0);
    await until("the server follows", async () => (await capabilitiesOf(server)).limits.free.files === 1234);
    const listed = JSON.parse((await settings("list", "--json")).stdout) as Output<"getSettings">;
    assert.deepEqual(
      [findSetting(listed, "tiers.free.files").source, findSetting(listed, "accent").fixedBy],
      ["database", "FILEHOST_ACCENT"],
    );
    const { stdout } = await settings("list");
    assert.match(stdout, /tiers\.free\.files +1234 +database/);
    assert.match(stdout, /\n\nFIXED +VALUE .*\nrate_limits +off +FILEHOST_RATE_LIMITS .*\nrates\.challenges +20 in 1h +default /);
    assert.deepEqual(listed.fixed, (await admin().call("getSettings", {})).data.fixed);
    const fixed = await settings("set", "accent", "#000000");
    assert.deepEqual([fixed.code, /fixed by FILEHOST_ACCENT/.test(fixed.stderr)], [6, true]);
    assert.equal((await settings("set", "tiers.free.files", "many")).code, 2);
    assert.equal((await settings("unset", "tiers.free.files")).code, 0);
    await until("the server follows", async () => (await capabilitiesOf(server)).limits.free.files === 100_000);
    const [entry] = (await admin().call("listAuditLog", { subject: "tiers.free.files" })).data;
    assert.deepEqual([entry?.origin, entry?.details], ["command_line", { from: "1234", to: "100000" }]);
  });

  test("are shown in a cached page of the API reference without the name of the person who requested it first", async () => {
    const { data } = await clientOf(server).call("signUp", {
      email: `${crypto.randomUUID()}@example.org`,
      password: "correct horse battery",
      name: "Somebody signed in",
    });
    const headers = { Accept: "text/html", Cookie: `session=${data.sessionToken}` };
    const read = async (more: Readonly<Record<string, string>> = {}) =>
      await (await fetch(`${server.url}/docs?lang=fr`, { headers: { Accept: "text/html", ...more } })).text();
    assert.match(await read(headers), /Somebody signed in/);
    assert.doesNotMatch(await read(), /Somebody signed in/);
  });
});

/** configuration, "Settings in the database". */
describe("settings after a restart", () => {
  test("remain after the server was killed, below the environment's, and an unreadable one is ignored", async () => {
    await using server = await withAccounts(startPlainServer(), { administrator: { isAdministrator: true } });
    const admin = () => clientOf(server, server.administrator);
    await admin().call("updateSettings", { settings: { name: "Kept", signup: "closed", "tiers.free.files": 5 } });
    await server.restart({ signal: "SIGKILL" });
    assert.match(await getPage(server), / – Kept<\/title>/);
    assert.equal((await signUp(server)).status, 403);
    await server.restart({ env: { FILEHOST_NAME: "Of the environment", FILEHOST_LIMITS: '{"tiers":{"free":{"files":9}}}' } });
    assert.match(await getPage(server), / – Of the environment<\/title>/);
    assert.equal((await capabilitiesOf(server)).limits.free.files, 9);
    assert.equal((await signUp(server)).status, 403);
  });

  test("do not stop the server if another version wrote them", async () => {
    await using server = await withAccounts(startPlainServer(), { administrator: { isAdministrator: true } });
    await withDatabase(server, async (db) => {
      for (const [revision, name, value] of [
        [1, "signup", "whoever"],
        [2, "of_the_future", "x"],
        [3, "name", "Read"],
      ] as const)
        await db.insertInto("run_time_settings").values({ name, value, revision, changed_at: 0 }).execute();
    });
    await until("the server follows", async () => / – Read<\/title>/.test(await getPage(server)));
    const { data } = await clientOf(server, server.administrator).call("getSettings", {});
    assert.deepEqual([findSetting(data, "signup").value, findSetting(data, "signup").source], ["open", "default"]);
    assert.ok(server.logs().some(({ msg }) => /signup of the database is ignored/.test(msg ?? "")));
  });
});

/** configuration, "Settings in the database". */
for (const database of sampled(["server", "file"] as const, 2))
  describe(`settings of two server instances on one database, a ${database}`, () => {
    let instances: ServerInstances;
    let administrator: Pick<Account, "key">;
    before(async () => {
      instances = await startServerInstances({ count: 2, database, env: { FILEHOST_SCANNER: "off", FILEHOST_MIN_FREE: "0" } });
      const { id } = JSON.parse(
        (await instances.instance(0).run(["users", "create", "--email", "a@example.org", "--name", "A", "--admin", "--json"])).stdout,
      ) as { id: string };
      administrator = { key: (await instances.instance(0).run(["keys", "create", "--user", id, "--admin"])).stdout.trim() };
    });
    after(() => instances[Symbol.asyncDispose]());

    test("apply on the other instance, with the assets of the first page", async () => {
      await clientOf(instances.instance(0), administrator).call("updateSettings", {
        settings: { signup: "closed", name: "Both", accent: "#224488" },
      });
      const html = await getPage(instances.instance(0));
      const [, style = ""] = /href="(\/assets\/accent-[^"]+)"/.exec(html) ?? [];
      assert.equal((await fetch(instances.instance(1).url + style)).status, 200);
      assert.equal((await fetch(`${instances.instance(1).url}/assets/accent-224488-0123456789abcdef.css`)).status, 404);
      await until("the other follows", async () => / – Both<\/title>/.test(await getPage(instances.instance(1))));
      assert.equal((await signUp(instances.instance(1))).status, 403);
    });

    test("are the same on both after changes at the same time, of which some get a conflict", async () => {
      const { revision } = (await clientOf(instances.instance(0), administrator).call("getSettings", {})).data;
      const statuses = await Promise.all(
        [0, 1, 0, 1].map(async (index) => {
          const json = { settings: { "tiers.free.files": 100 + index }, revision };
          return (await call(instances.instance(index), "PATCH", "/api/admin/settings", { ...administrator, json })).status;
        }),
      );
      assert.ok(statuses.includes(200) && statuses.includes(409), statuses.join());
      const files = async (index: number) => (await capabilitiesOf(instances.instance(index))).limits.free.files;
      await until("both agree", async () => (await files(0)) === (await files(1)));
    });
  });
