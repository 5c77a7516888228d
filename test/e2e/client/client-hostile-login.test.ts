import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { type Handler, type Origin, startOrigin } from "../../support/services/origin-server.ts";
import { type Account, addAccount } from "../support/accounts/accounts.ts";
import { homeOf } from "../support/accounts/person.ts";
import { upload } from "../support/api/api.ts";
import { type ClientDevice, makeDevice } from "../support/client/client-device.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

const sendJson =
  (body: () => object): Handler =>
  (_, response) =>
    response.setHeader("Content-Type", "application/json").end(JSON.stringify(body()));

/** client, "Which server and key" and "Signing in". */
describe("a hostile server", () => {
  let server: TestServer;
  let account: Account;
  let device: ClientDevice;
  before(async () => {
    server = await startPlainServer();
    account = await addAccount(server);
    device = await makeDevice();
    assert.equal((await device.run(["login", homeOf(server), "--with-key", "--profile", "work"], { input: account.key })).code, 0);
  });
  after(async () => {
    await device?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  const secretsSentTo = ({ requests }: Origin): readonly unknown[] =>
    requests.filter(({ headers }) => JSON.stringify(headers).includes(account.key) || headers.authorization !== undefined);

  test("gets no key of a profile, by --url or by a link", async () => {
    const evil: Origin = await startOrigin({ "/api/agent/capabilities": sendJson(() => ({ service: "filehost", siteUrl: evil.url })) });
    await using _ = evil;
    await device.run(["whoami", "--url", evil.url]);
    await device.run(["claim", `${evil.url}/d/7kXq9Zab`, "--token", "claim_12345678"]);
    await device.run(["whoami", "--url", evil.url], { env: { FILEHOST_SERVER: homeOf(server), FILEHOST_KEY: account.key } });
    assert.ok(evil.requests.length > 0);
    assert.deepEqual(secretsSentTo(evil), []);
  });

  test("gets no key that a redirect would carry to it", async () => {
    await using evil = await startOrigin({});
    const front: Origin = await startOrigin({
      "/api/agent/capabilities": sendJson(() => ({ service: "filehost", siteUrl: front.url })),
      "/api/me": (_, response) => response.writeHead(307, { location: `${evil.url}/api/me` }).end(),
    });
    await using _ = front;
    const { code, stderr } = await device.run(["login", front.url, "--with-key", "--profile", "evil"], { input: account.key });
    assert.equal(code, 8);
    assert.ok(stderr.includes(`redirects to ${evil.url}`) && !stderr.includes(account.key), stderr);
    assert.equal(evil.requests.length, 0);
  });

  test("is named in the error when it redirects to itself, or to something that is no web address", async () => {
    for (const [location, named] of [
      ["/api/me?x=1", "/api/me. "],
      ["file:///etc/passwd", "something that is no web address"],
      [undefined, "something that is no web address"],
    ] as const) {
      await using front = await startOrigin({
        "/api/agent/capabilities": (_, response) => response.writeHead(302, location === undefined ? {} : { location }).end(),
      });
      const { code, stderr } = await device.run(["login", front.url, "--with-key"], { input: account.key });
      assert.equal(code, 8);
      assert.ok(stderr.includes(`redirects to ${named.startsWith("/") ? front.url : ""}${named}`), stderr);
    }
  });

  test("cannot make people sign in at another server to get the tokens", async () => {
    const home = homeOf(server);
    for (const siteUrl of [home, `${home}/`]) {
      await using evil = await startOrigin({
        "/api/agent/capabilities": sendJson(() => ({ service: "filehost", siteUrl, apiBaseUrl: `${home}/api` })),
      });
      for (const args of [["--device"], []]) {
        const { code, stderr } = await device.run(["login", evil.url, "--profile", "evil", ...args], { env: { BROWSER: "/bin/false" } });
        assert.equal(code, 6);
        assert.match(stderr, /says that its address is http:\/\/localhost/);
      }
      assert.deepEqual([...new Set(evil.requests.map(({ path }) => path))], ["/api/agent/capabilities"]);
    }
  });

  test("sends no control characters to the terminal, and cannot name a foreign address for the code", async () => {
    const json = (body: object): Handler => sendJson(() => body);
    const evil: Origin = await startOrigin({
      "/api/agent/capabilities": sendJson(() => ({ service: "filehost", siteUrl: evil.url, apiBaseUrl: `${evil.url}/api` })),
      "/oauth/register": json({ client_id: "client_1" }),
      "/oauth/device": json({
        device_code: "d",
        user_code: "\x1b[31mABCD",
        verification_uri: "https://phish.example/device",
        expires_in: 900,
      }),
      "/oauth/token": (_, response) => response.writeHead(400).end('{"error":"invalid_grant","error_description":"\\u001b[2J"}'),
    });
    await using _ = evil;
    const { code, stderr } = await device.run(["login", evil.url, "--device", "--profile", "evil"]);
    assert.equal(code, 8);
    assert.ok(!stderr.includes("phish.example") && !stderr.includes("\x1b"), JSON.stringify(stderr));
  });

  test("an anonymous link of an unknown server works without a profile", async () => {
    const stranger = await makeDevice();
    await using _ = stranger;
    const shared = await upload(server, { name: "a.txt", bytes: "a" });
    const { code, stderr } = await stranger.run(["claim", shared.shareUrl, "--token", shared.claimToken ?? ""]);
    assert.equal(code, 2);
    assert.match(stderr, /requires an account/);
    const link = `${homeOf(server)}/d/${shared.shortId}`;
    assert.equal((await device.run(["claim", link, "--token", shared.claimToken ?? ""])).code, 0, "the profile is of this server");
  });
});
