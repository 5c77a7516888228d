import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Account, addAccount } from "../support/accounts/accounts.ts";
import { type ConsentServer, startConsentServer } from "../support/accounts/consent-server.ts";
import {
  type App,
  askFor,
  connectApp,
  decideOn,
  exchange,
  open,
  readConsentPage,
  refresh,
  registerApp,
  sendForm,
  sendRegistration,
  sendTo,
  useMcp,
} from "../support/accounts/oauth.ts";
import { homeOf } from "../support/accounts/person.ts";
import { type ApiResponse, assertRefused, call } from "../support/api/api.ts";
import { startSession } from "../support/api/callers.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";

const errorOf = ({ status, body }: ApiResponse) => ({ status, error: body.error });

/** oauth, "Registration", "Consent", "Scopes", "Tokens" and "Limits", by clients and sites that want more than they may. */
describe("a hostile application", () => {
  let server: ConsentServer;
  let account: Account;
  let session: string;
  let app: App;
  const home = (): string => homeOf(server);
  /** The code of an application that the account has just allowed. */
  const getCode = async (asked = askFor(server, app)) => {
    const code = (await decideOn(asked, session)).searchParams.get("code") ?? "";
    return { code, verifier: asked.verifier };
  };
  before(async () => {
    server = await startConsentServer();
    ({ account, session } = server);
    app = await registerApp(server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  test("cannot register an address that runs a script, sends a code unencrypted or hides its host", async () => {
    for (const uri of [
      ...["javascript:alert(1)", "JavaScript://x/%0aalert(1)", "data:text/html,x", "vbscript:x", "file:///etc/passwd", "blob:https://a/b"],
      ...[
        "http://evil.example/callback",
        "http://localhost.evil.example/",
        "http://127.0.0.1.evil.example/",
        "http://10.0.0.1/",
        "//evil.example",
      ],
      ...[
        "https://user:password@app.example/",
        "https://app.example/#fragment",
        "https://app.example/#",
        "app",
        "cursor:",
        "ms-msdt:/x",
        "mailto:a@b",
        "ssh://host/x",
        "smb://host/x",
        "itms-services://x",
        "https://site;sandbox/",
        `${home()}/oauth/authorize?client_id=x`,
      ],
      ...["https://app.example/\u202ecba", "https://app.example/a b", "", `https://app.example/${"a".repeat(2000)}`],
    ]) {
      const { status, body } = await sendRegistration(server, { redirect_uris: ["https://app.example/", uri] });
      assert.deepEqual({ uri, status, error: body.error }, { uri, status: 400, error: "invalid_redirect_uri" });
    }
    for (const metadata of [
      {},
      [],
      null,
      "x",
      { redirect_uris: "https://app.example/" },
      { redirect_uris: Array(11).fill("https://app.example/") },
    ])
      assert.equal((await sendRegistration(server, metadata)).status, 400, JSON.stringify(metadata));
    for (const uri of [
      "https://app.example/x?y=z",
      "http://localhost/",
      "http://[::1]:1/",
      "cursor://anysphere.cursor-mcp/oauth",
      "com.example.app:/x",
      "telegram://x",
    ])
      assert.equal((await sendRegistration(server, { redirect_uris: [uri] })).status, 201, uri);
  });

  test("cannot register unlimited applications", async () => {
    await using limited = await startPlainServer({ FILEHOST_LIMITS: '{"rates":{"clientRegistrations":2}}' });
    await registerApp(limited);
    await registerApp(limited);
    const { status, headers, body } = await sendRegistration(limited, { redirect_uris: ["https://app.example/"] });
    assert.equal(status, 429);
    assert.ok(Number(headers.get("retry-after")) > 0);
    assert.match(String(body.error_description), /Try again in/);
  });

  test("is refused as OAuth specifies above the rate of its address, which is separate from its users' rates", async () => {
    const rates = { anonymous: 10, oauthRequests: 13 };
    await using limited = await startPlainServer({ FILEHOST_RATE_LIMITS: "on", FILEHOST_LIMITS: JSON.stringify({ rates }) });
    const ask = () => sendTo(limited, "/oauth/token", { grant_type: "refresh_token", client_id: "x", refresh_token: "x" });
    assert.equal((await call(limited, "GET", "/.well-known/oauth-authorization-server")).status, 200);
    const large = await sendTo(limited, "/oauth/token", { code: "x".repeat(40_000) });
    assert.deepEqual(errorOf(large), { status: 413, error: "invalid_request" });
    for (let asked = 2; asked < rates.oauthRequests; asked++) assert.equal((await ask()).status, 400);
    const refused = await ask();
    assert.deepEqual(errorOf(refused), { status: 429, error: "temporarily_unavailable" });
    assert.match(String(refused.body.error_description), /Too many requests/);
    assert.ok(Number(refused.headers.get("retry-after")) > 0);
    assert.equal((await call(limited, "GET", "/api/shares/none")).status, 404, "the general rate is another one");
  });

  test("cannot make the server redirect the browser to a foreign address", async () => {
    for (const change of [
      { redirect_uri: "https://evil.example/" },
      { redirect_uri: `${app.redirectUri}/../evil` },
      { redirect_uri: "http://127.0.0.1.evil.example:33418/callback" },
      { redirect_uri: undefined },
      { client_id: "client_unknown" },
      { client_id: undefined },
      { state: "s".repeat(2001) },
      { code_challenge: "c".repeat(5000) },
      { code_challenge: `${"c".repeat(42)}=` },
    ]) {
      const response = await open(askFor(server, app, change).url, session);
      assert.deepEqual([response.status, response.headers.get("location")], [400, null], JSON.stringify(change));
      assert.match(await response.text(), /does not work/);
    }
    const twice = `${askFor(server, app).url}&redirect_uri=https%3A%2F%2Fevil.example%2F`;
    assert.equal((await open(twice, session)).status, 400);
  });

  test("is shown without invisible characters of its name", async () => {
    for (const [sent, shown] of [
      ["\u2800\u3164\u200b", "An application"],
      ["Cl\u200bau\u202ede\u0301\u0301\u0301", "Claude\u0301\u0301"],
    ] as const) {
      const named = await registerApp(server, app.redirectUri, sent);
      assert.match(await (await open(askFor(server, named).url, session)).text(), new RegExp(`<bdi>Connect ${shown}\\?`));
    }
  });

  test("does not receive the browser after a wrong request; a page links to it with the error, its state and the issuer", async () => {
    for (const [change, error] of [
      [{ code_challenge: undefined, code_challenge_method: undefined }, "invalid_request"],
      [{ code_challenge_method: "plain" }, "invalid_request"],
      [{ response_type: "token" }, "unsupported_response_type"],
      [{ resource: "https://evil.example/mcp" }, "invalid_target"],
    ] as const) {
      const response = await open(askFor(server, app, change).url, session);
      assert.deepEqual([response.status, response.headers.get("location")], [400, null]);
      const [, link = ""] = /<a class="button plain" href="([^"]+)"/.exec(await response.text()) ?? [];
      const back = new URL(link.replaceAll("&amp;", "&"));
      const answer = Object.fromEntries(["error", "state", "iss"].map((name) => [name, back.searchParams.get(name)]));
      assert.deepEqual(
        { origin: back.origin, ...answer },
        { origin: new URL(app.redirectUri).origin, error, state: "a state", iss: home() },
      );
    }
  });

  test("gets nothing when the person cancels", async () => {
    const back = await decideOn(askFor(server, app), session, "cancel");
    const answer = Object.fromEntries([...back.searchParams].filter(([name]) => name !== "error_description"));
    assert.deepEqual(answer, { error: "access_denied", state: "a state", iss: home() });
  });

  test("ends all tokens of a code by using the code twice", async () => {
    const sent = await getCode();
    const { body } = await exchange(server, app, sent);
    assert.equal((await useMcp(server, String(body.access_token))).status, 200);
    assert.deepEqual(errorOf(await exchange(server, app, sent)), { status: 400, error: "invalid_grant" });
    assert.equal((await useMcp(server, String(body.access_token))).status, 401);
    assert.equal((await refresh(server, app, String(body.refresh_token))).body.error, "invalid_grant");
  });

  test("cannot use a code without its verifier, for another address, or of another application", async () => {
    const other = await registerApp(server);
    const wrong: readonly (readonly [App, Readonly<Record<string, string>>])[] = [
      [app, { code_verifier: "a".repeat(43) }],
      [app, { redirect_uri: "http://127.0.0.1:1/callback" }],
      [other, {}],
    ];
    for (const [by, change] of wrong) {
      const answer = await exchange(server, by, { ...(await getCode()), ...change });
      assert.deepEqual(errorOf(answer), { status: 400, error: "invalid_grant" }, JSON.stringify(change));
    }
    const { code } = await getCode();
    const none = await sendTo(server, "/oauth/token", {
      grant_type: "authorization_code",
      client_id: app.clientId,
      redirect_uri: app.redirectUri,
      code,
    });
    assert.equal(none.status, 400);
  });

  test("never gets a token for another address", async () => {
    const { status, body } = await exchange(server, app, { ...(await getCode()), resource: `${home()}/api` });
    assert.deepEqual({ status, error: body.error }, { status: 400, error: "invalid_target" });
    const tokens = await connectApp(server, app, session);
    assert.equal((await refresh(server, app, tokens.refresh_token, { resource: `${home()}/api` })).body.error, "invalid_target");
    const ofApi = await connectApp(server, app, session, { resource: `${home()}/api/` });
    assert.equal((await call(server, "GET", "/api/me", { key: ofApi.access_token })).status, 200);
    const refused = await useMcp(server, ofApi.access_token);
    assertRefused(refused, { status: 401, code: "UNAUTHENTICATED" });
    assert.match(refused.headers.get("www-authenticate") ?? "", /^Bearer error="invalid_token", scope="/);
  });

  test("gets no unknown scopes, which are ignored", async () => {
    const { scope } = await connectApp(server, app, session, { scope: "openid profile files.read admin" });
    assert.equal(scope.replace(" offline_access", ""), "files.read");
    assert.match((await connectApp(server, app, session, { scope: "openid email" })).scope, /^files\.read files\.write/);
  });

  test("gets the advice to register again after it was removed", async () => {
    const gone = await registerApp(server);
    const tokens = await connectApp(server, gone, session);
    await withDatabase(server, (db) => db.deleteFrom("oauth_clients").where("client_id", "=", gone.clientId).execute());
    assert.deepEqual(errorOf(await refresh(server, gone, tokens.refresh_token)), { status: 400, error: "invalid_client" });
  });

  test("cannot send its token in an address", async () => {
    const { access_token: token } = await connectApp(server, app, session, { resource: `${home()}/api` });
    assertRefused(await call(server, "GET", `/api/files/info?file_code=x&key=${token}`), { status: 401, code: "UNAUTHENTICATED" });
    assert.equal((await call(server, "GET", "/api/files/info?file_code=x", { key: token })).status, 200);
  });

  test("cannot raise its scope when it refreshes", async () => {
    const tokens = await connectApp(server, app, session, { scope: "files.read" });
    const raised = await refresh(server, app, tokens.refresh_token, { scope: "files.read files.write" });
    assert.deepEqual(errorOf(raised), { status: 400, error: "invalid_scope" });
    const { body: smaller } = await refresh(server, app, tokens.refresh_token, { scope: "files.read" });
    assert.equal((await refresh(server, app, String(smaller.refresh_token))).status, 200);
  });

  test("can do what its scopes allow, and gets the name of a missing scope", async () => {
    const { access_token: key } = await connectApp(server, app, session, { scope: "files.read", resource: `${home()}/api` });
    assert.equal((await call(server, "GET", "/api/files/list", { key })).status, 200);
    const refused = await call(server, "POST", "/api/folders", { key, json: { name: "x" } });
    assertRefused(refused, { status: 403, code: "INSUFFICIENT_SCOPE" });
    const document = `resource_metadata="${home()}/.well-known/oauth-protected-resource/api"`;
    const challenge = `Bearer error="insufficient_scope", scope="files.read files.write", ${document}`;
    assert.equal(refused.headers.get("www-authenticate"), challenge);
    const { access_token: all } = await connectApp(server, app, session, { scope: "account", resource: `${home()}/api` });
    assert.equal((await call(server, "POST", "/api/folders", { key: all, json: { name: "x" } })).status, 200);
    assertRefused(await call(server, "POST", "/api/keys", { key: all, json: {} }), { status: 403, code: "PROOF_REQUIRED" });
  });

  test("ends all tokens with a stolen refresh token, no matter which client uses it first", async () => {
    const tokens = await connectApp(server, app, session);
    const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(server, app, tokens.refresh_token)));
    const issued = answers.filter(({ status }) => status === 200);
    assert.equal(issued.length, 1);
    for (const { body } of issued) {
      assert.equal((await useMcp(server, String(body.access_token))).status, 401);
      assert.equal((await refresh(server, app, String(body.refresh_token))).status, 400);
    }
    const other = await registerApp(server);
    const mine = await connectApp(server, app, session);
    assert.equal((await refresh(server, other, mine.refresh_token)).body.error, "invalid_grant");
    assert.equal((await useMcp(server, mine.access_token)).status, 200, "another application cannot end it");
  });

  test("can end only its own tokens", async () => {
    const tokens = await connectApp(server, app, session);
    const other = await registerApp(server);
    const revoke = (by: App, token: string) => sendTo(server, "/oauth/revoke", { client_id: by.clientId, token });
    assert.equal((await revoke(other, tokens.access_token)).status, 200);
    assert.equal((await revoke(other, tokens.refresh_token)).status, 200);
    assert.equal((await revoke(app, "unknown")).status, 200);
    assert.equal((await useMcp(server, tokens.access_token)).status, 200);
    assert.equal((await revoke(app, tokens.refresh_token)).status, 200);
    assert.equal((await useMcp(server, tokens.access_token)).status, 401);
    assert.equal((await refresh(server, app, tokens.refresh_token)).body.error, "invalid_grant");
  });

  test("cannot forge a consent from another site, with an altered request, or with another person's browser", async () => {
    const asked = askFor(server, app);
    const fields = await readConsentPage(await open(asked.url, session));
    const allow = { ...fields, decision: "allow" };
    for (const headers of [{ Origin: "https://evil.example" }, { Origin: "null" }, {} as Record<string, string>])
      assert.equal((await sendForm(asked.url, session, allow, headers)).status, 403);
    const altered = fields.request.replace("files.read", "account");
    const again = await sendForm(asked.url, session, { ...allow, request: altered });
    assert.equal(home() + again.headers.get("location"), asked.url, "it is asked again");
    const another = await addAccount(server);
    const others = await startSession(server, another);
    const swapped = await sendForm(asked.url, others, { ...allow, account: account.userId });
    assert.equal(home() + swapped.headers.get("location"), asked.url, "the page named another account");
    const answer = await sendForm(asked.url, others, { ...allow, account: another.userId });
    const code = new URL(answer.headers.get("location") ?? "").searchParams.get("code") ?? "";
    const { body } = await exchange(server, app, { code, verifier: asked.verifier });
    const { body: me } = await call<{ data: { owner: { id: string } } }>(server, "GET", "/api/me", { key: another.key });
    const owner = await withDatabase(server, (db) =>
      db.selectFrom("oauth_refresh_tokens").select("user_id").orderBy("created_at", "desc").orderBy("id", "desc").executeTakeFirstOrThrow(),
    );
    assert.equal(owner.user_id, me.data.owner.id, "it acts for who pressed the button");
    assert.ok(body.access_token);
  });

  test("loses all access when the account is disabled, signed out by an administrator or deleted", async () => {
    const person = await addAccount(server);
    const own = await startSession(server, person);
    const tokens = await connectApp(server, app, own);
    const pending = askFor(server, app);
    const code = (await decideOn(pending, own)).searchParams.get("code") ?? "";
    await server.run(["users", "disable", person.userId]);
    assert.equal((await useMcp(server, tokens.access_token)).status, 401);
    assert.deepEqual(errorOf(await refresh(server, app, tokens.refresh_token)), { status: 400, error: "invalid_grant" });
    assert.equal((await exchange(server, app, { code, verifier: pending.verifier })).body.error, "invalid_grant");
    await server.run(["users", "enable", person.userId]);
    const { status, body } = await refresh(server, app, tokens.refresh_token);
    assert.equal(status, 200, "a refused refresh changes nothing");
    await server.run(["users", "sign-out", person.userId, "--yes"]);
    assert.equal((await useMcp(server, String(body.access_token))).status, 401);
    assert.equal((await refresh(server, app, String(body.refresh_token))).status, 400);
  });

  test("codes that were never exchanged leave no data", async () => {
    const person = await addAccount(server);
    const own = await startSession(server, person);
    const codes = () =>
      withDatabase(server, async (db) => {
        const rows = await db.selectFrom("verifications").select("value").execute();
        return rows.filter(({ value }) => value.includes(person.userId)).length;
      });
    await decideOn(askFor(server, app, { state: "s".repeat(2000) }), own);
    assert.equal(await codes(), 1);
    const longAgo = Date.now() - 2 * 3_600_000;
    await withDatabase(server, (db) => db.updateTable("verifications").set({ expires_at: longAgo }).execute());
    await server.run(["cleanup"]);
    assert.equal(await codes(), 0);
    await decideOn(askFor(server, app), own);
    await server.run(["users", "delete", person.userId, "--yes"]);
    assert.equal(await codes(), 0, "they end with the account");
  });

  test("tokens and codes are stored as hashes", async () => {
    const { code, verifier } = await getCode();
    const { body } = await exchange(server, app, { code, verifier });
    const rows = await withDatabase(server, async (db) => [
      await db.selectFrom("oauth_access_tokens").selectAll().execute(),
      await db.selectFrom("oauth_refresh_tokens").selectAll().execute(),
      await db.selectFrom("verifications").selectAll().execute(),
    ]);
    const stored = JSON.stringify(rows);
    for (const secret of [code, body.access_token, body.refresh_token]) assert.ok(!stored.includes(String(secret)));
  });
});
