import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Account, addAccount } from "../support/accounts/accounts.ts";
import { type ConsentServer, startConsentServer } from "../support/accounts/consent-server.ts";
import {
  askFor,
  connectApp,
  decideOn,
  exchange,
  open,
  readConsentPage,
  refresh,
  registerApp,
  sendForm,
  sendMcp,
  useMcp,
} from "../support/accounts/oauth.ts";
import { homeOf } from "../support/accounts/person.ts";
import { assertRefused, call, clientOf } from "../support/api/api.ts";
import { startSession } from "../support/api/callers.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

/** oauth, "Discovery", "Registration", "Consent", "Connected applications", "Tokens" and "Scopes". */
describe("OAuth", () => {
  let server: ConsentServer;
  let account: Account;
  let session: string;
  const home = (): string => homeOf(server);
  const resource = { mcp: () => `${home()}/mcp`, api: () => `${home()}/api` };
  before(async () => {
    server = await startConsentServer();
    ({ account, session } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  test("leads a client that knows only the address of MCP to its endpoints", async () => {
    const refused = await useMcp(server);
    assertRefused(refused, { status: 401, code: "UNAUTHENTICATED" });
    const challenge = refused.headers.get("www-authenticate") ?? "";
    const document = `${home()}/.well-known/oauth-protected-resource/mcp`;
    assert.equal(challenge, `Bearer scope="files.read files.write", resource_metadata="${document}"`);
    const { body: described } = await call(server, "GET", new URL(document).pathname);
    assert.equal(described.resource, resource.mcp());
    assert.deepEqual(described.authorization_servers, [home()]);
    for (const path of ["", "/mcp"]) {
      const { body } = await call(server, "GET", `/.well-known/oauth-authorization-server${path}`);
      assert.equal(body.issuer, home());
      assert.deepEqual(body.code_challenge_methods_supported, ["S256"]);
      assert.equal(body.token_endpoint, `${home()}/oauth/token`);
    }
    const { body: api } = await call(server, "GET", "/.well-known/oauth-protected-resource/api");
    assert.equal(api.resource, resource.api());
  });

  test("describes the API and MCP on separate hosts, each on its host", async () => {
    await using elsewhere = await startPlainServer({
      FILEHOST_BASE_URL: "http://api.example.org",
      FILEHOST_MCP_URL: "http://mcp.example.org",
    });
    for (const [host, resource, path] of [
      ["api.example.org", "http://api.example.org", "/me"],
      ["mcp.example.org", "http://mcp.example.org/mcp", "/mcp"],
    ] as const) {
      const headers = { Host: host, "Content-Type": "application/json", Authorization: "Bearer oauth_wrong" };
      const refused = await call(elsewhere, path === "/mcp" ? "POST" : "GET", path, { headers, ...(path === "/mcp" && { body: "{}" }) });
      const document = /resource_metadata="([^"]+)"/.exec(refused.headers.get("www-authenticate") ?? "")?.[1] ?? "";
      assert.equal(new URL(document).host, host);
      assert.equal((await call(elsewhere, "GET", new URL(document).pathname, { headers })).body.resource, resource);
    }
  });

  test("gives an application tokens for MCP only, with the scopes that the account allowed", async () => {
    const app = await registerApp(server);
    const asked = askFor(server, app);
    const back = await decideOn(asked, session);
    assert.equal(back.origin + back.pathname, app.redirectUri);
    assert.equal(back.searchParams.get("state"), "a state");
    assert.equal(back.searchParams.get("iss"), home());
    const { status, body } = await exchange(server, app, { code: back.searchParams.get("code") ?? "", verifier: asked.verifier });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.token_type, "Bearer");
    assert.equal((await useMcp(server, String(body.access_token))).status, 200);
    const elsewhere = await call(server, "GET", "/api/me", { key: String(body.access_token) });
    assertRefused(elsewhere, { status: 401, code: "UNAUTHENTICATED" });
    assert.match(elsewhere.headers.get("www-authenticate") ?? "", /^Bearer error="invalid_token", resource_metadata=".*\/api"$/);
  });

  test("replaces a refresh token with each use, and ends all tokens when one is used twice", async () => {
    const app = await registerApp(server);
    const first = await connectApp(server, app, session);
    const { status, body: second } = await refresh(server, app, first.refresh_token);
    assert.equal(status, 200, JSON.stringify(second));
    assert.equal((await useMcp(server, String(second.access_token))).status, 200);
    const replayed = await refresh(server, app, first.refresh_token);
    assert.deepEqual({ status: replayed.status, error: replayed.body.error }, { status: 400, error: "invalid_grant" });
    for (const token of [first.access_token, String(second.access_token)]) assert.equal((await useMcp(server, token)).status, 401);
    assert.equal((await refresh(server, app, String(second.refresh_token))).body.error, "invalid_grant");
  });

  test("tells a client of MCP which scope a tool needs", async () => {
    const { access_token } = await connectApp(server, await registerApp(server), session, { scope: "files.read" });
    const callTool = (name: string, args: object) => sendMcp(server, access_token, "tools/call", { name, arguments: args });
    assert.equal((await callTool("service_list_files", {})).status, 200);
    assert.equal((await callTool("service_folders", { action: "list" })).status, 200);
    const upload = { contentBase64: btoa("x"), fileName: "a.txt" };
    for (const [name, args, scope] of [
      ["service_upload", upload, "files.read files.write"],
      ["service_folders", { action: "create", name: "x" }, "files.read files.write"],
      ["service_connect", { action: "status" }, "files.read files.write account"],
    ] as const) {
      const refused = await callTool(name, args);
      assertRefused(refused, { status: 403, code: "INSUFFICIENT_SCOPE" });
      const document = `resource_metadata="${home()}/.well-known/oauth-protected-resource/mcp"`;
      assert.equal(refused.headers.get("www-authenticate"), `Bearer error="insufficient_scope", scope="${scope}", ${document}`);
    }
  });

  test("asks for consent only a person who is signed in and has just proved their identity", async () => {
    const asked = askFor(server, await registerApp(server));
    const signedOut = await open(asked.url, undefined);
    assert.equal(signedOut.status, 303);
    const next = new URL(signedOut.headers.get("location") ?? "", home());
    assert.equal(next.pathname, "/signin");
    assert.equal(home() + next.searchParams.get("next"), asked.url);
    const unproved = await open(asked.url, await startSession(server, account, { isUnproved: true }));
    assert.match(unproved.headers.get("location") ?? "", /^\/prove\?next=/);
  });

  test("lists connected applications, and disconnects one with all its tokens and codes", async () => {
    const person = await addAccount(server);
    const own = await startSession(server, person);
    const app = await registerApp(server, "https://app.example/callback", "Notes\u202e for <b>Ada</b>\n");
    const client = clientOf(server, person);
    const tokens = await connectApp(server, app, own, { scope: "account" });
    await connectApp(server, app, own, { scope: "files.read" });
    await connectApp(server, await registerApp(server), own, { scope: "files.read" });
    const { data: applications } = await client.call("listApplications", {});
    assert.deepEqual(
      applications.map(({ name, host, scopes }) => ({ name, host, scopes })).sort((one, other) => one.scopes.length - other.scopes.length),
      [
        { name: "A test application", host: null, scopes: ["files.read"] },
        { name: "Notes for <b>Ada</b>", host: "app.example", scopes: ["files.read", "files.write", "account"] },
      ],
    );
    const pending = askFor(server, app);
    const code = (await decideOn(pending, own)).searchParams.get("code") ?? "";
    const id = applications.find(({ host }) => host === "app.example")?.id ?? "";
    await client.call("disconnectApplication", { id });
    assert.equal((await useMcp(server, tokens.access_token)).status, 401);
    assert.equal((await refresh(server, app, tokens.refresh_token)).body.error, "invalid_grant");
    assert.equal((await exchange(server, app, { code, verifier: pending.verifier })).body.error, "invalid_grant");
    assert.equal((await client.call("listApplications", {})).data.length, 1);
    const again = await connectApp(server, app, own);
    assert.equal((await useMcp(server, again.access_token)).status, 200);
    const late = await exchange(server, app, { code, verifier: pending.verifier });
    assert.equal(late.body.error, "invalid_grant", "the next consent is not for its code");
  });

  test("a page of another site can neither show the consent in a frame nor submit it", async () => {
    const asked = askFor(server, await registerApp(server));
    const page = await open(asked.url, session);
    const policy = page.headers.get("content-security-policy") ?? "";
    assert.match(policy, /frame-ancestors 'none'/);
    assert.match(policy, /form-action 'self' \S+ http:\/\/127\.0\.0\.1:33418;/);
    const fields = await readConsentPage(page);
    const forged = await sendForm(asked.url, session, { ...fields, decision: "allow" }, { Origin: "https://evil.example" });
    assert.equal(forged.status, 403);
  });
});
