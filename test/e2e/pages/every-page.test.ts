import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { loadConfig } from "../../../src/config/load.ts";
import { toPublicUrls } from "../../../src/public-urls.ts";
import { listRoutes } from "../../../src/routes.ts";
import { operationDefinitions } from "../../../src/service/contract.ts";
import { sampled } from "../../support/long.ts";
import type { TestServer } from "../../support/server.ts";
import { startIdentityProvider, type TestIdentityProvider } from "../../support/services/identity-provider.ts";
import { type Account, addAccount, createKey } from "../support/accounts/accounts.ts";
import { register } from "../support/accounts/agents.ts";
import { homeOf } from "../support/accounts/person.ts";
import { type Caller, startSession } from "../support/api/callers.ts";
import { makeAnonymousFile, makeFile, makeSubmission, type OwnerFixture } from "../support/api/fixtures.ts";
import { replaceNames } from "../support/api/unknown-input.ts";
import { PAGE_EXAMPLES, type PageExample } from "../support/pages/page-examples.ts";
import type { PageRequest } from "../support/pages/page-requests.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { changedRows, type Rows, readRows } from "../support/servers/rows.ts";
import { holdScheduledCleanup } from "../support/servers/server-context.ts";
import { withDatabase } from "../support/servers/state.ts";

type Page = Exclude<PageExample, { readonly by: "signed URL" }>;
type Sent = Readonly<Record<string, string>>;

const EVIL = "https://evil.example";
/** Each page is tried with one key in so many by turns; with all of them in `./scripts/test --long`. */
const KEY_STEP = 2;
/** Tokens that open, change or delete something, which a page must not compress (`Page.hasSecrets`). */
const SECRET = /\b(?:ho|hr|ul|claim|del|share|dg|job|invite|whsec|session|refresh|oauth)_[\w-]{20,}|\bbc_\w{20,}/;

/**
 * Tries every route that is no operation by everybody who may not: accounts, "Sessions of browsers", "Proof"; administration, "Access",
 * "Pages"; addresses, "Other sites".
 */
describe("every page", () => {
  let provider: TestIdentityProvider;
  let server: TestServer;
  let world: OwnerFixture;
  let keys: readonly Caller[];
  before(async () => {
    provider = await startIdentityProvider("http://localhost/signin/oidc/callback");
    server = await startPlainServer({
      ...provider.env,
      FILEHOST_WEBHOOK_NETWORKS: "127.0.0.0/8",
      FILEHOST_LIMITS: JSON.stringify({
        rates: {
          signUps: 1000,
          signIns: 1000,
          passwordTries: 1000,
          codeTries: 1000,
          codeTriesDaily: 1000,
          usernameChanges: 1000,
          reports: 1000,
        },
      }),
    });
    world = {
      server,
      owner: await addAccount(server, { tier: "pro", username: "owner-of-all" }),
      otherAccount: await addAccount(server, { tier: "pro", username: "eve" }),
      administrator: await addAccount(server, { isAdministrator: true }),
      remoteUrl: "https://127.0.0.1:9/",
      slowUrl: "https://127.0.0.1:9/",
      hookUrl: "https://127.0.0.1:9/",
    };
    const keyOf = async (scope: "files_read" | "files_write" | "full") => (await createKey(server, world.owner.key, { scope })).key;
    keys = [
      { who: "a key with the scope files_read", key: await keyOf("files_read") },
      { who: "a key with the scope files_write", key: await keyOf("files_write") },
      { who: "a key with the scope full", key: await keyOf("full") },
      { who: "an agent's key", key: (await register(server)).key },
      { who: "an administrator's key", key: world.administrator.key },
    ];
    await holdScheduledCleanup(server);
  });
  // An account has 10 at most.
  afterEach(() => withDatabase(server, (db) => db.deleteFrom("webhook_endpoints").execute()));
  after(async () => {
    await server[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
  });

  test("is listed here", () => {
    const { config } = loadConfig(server.env);
    const operations = new Set<string>(
      operationDefinitions.map(([, { method, path }]) => `${method} /api${path.replace(/\{(\w+)\}/g, ":$1")}`),
    );
    const routes = listRoutes({ config, urls: toPublicUrls(config, 80) }).flat();
    const pages = routes
      .map(({ method, path }) => `${method} ${path}`)
      // The tools of MCP are operations; its callers are those of `mcp.test.ts`.
      .filter((name) => !operations.has(name) && !name.startsWith("GET /assets/") && !/^(?:POST|DELETE) \/mcp\b/.test(name));
    assert.deepEqual(Object.keys(PAGE_EXAMPLES).sort(), [...new Set(pages)].sort());
  });

  for (const [position, [name, example]] of Object.entries(PAGE_EXAMPLES).entries()) {
    if (example.by === "signed URL") continue;
    const method = name.replace(/ .*/, "");
    test(`${name} works for callers who may use it, and has no effect for others`, async () => {
      const problems: string[] = [];
      for (const request of await example.make(world)) {
        const permitted = example.by === "administrator" ? world.administrator : world.owner;
        const sessions = await startSessions(permitted);
        const before = await readRows(server);
        for (const problem of await refusals(example, method, request, { permitted, sessions, position })) problems.push(problem);
        const refused = await readRows(server);
        const changes = changedRows(before, refused);
        if (changes.length > 0) problems.push(`${describeRequest(request)} changed ${changes.join(" ")}`);
        problems.push(...(await acceptance(example, method, request, { sessions, before: refused })));
      }
      assert.deepEqual(problems, []);
    });
  }

  test("a form whose action is unknown or missing is refused, and changes nothing", async () => {
    const problems: string[] = [];
    for (const [name, example] of Object.entries(PAGE_EXAMPLES)) {
      if (example.by === "signed URL" || !name.startsWith("POST")) continue;
      const requests = (await example.make(world)).filter(({ fields }) => fields?.action !== undefined);
      if (requests.length === 0) continue;
      const { proved } = await startSessions(example.by === "administrator" ? world.administrator : world.owner);
      const before = await readRows(server);
      for (const request of requests)
        for (const action of ["unknown", "", undefined]) {
          const changed = { ...request, fields: { ...request.fields, action } };
          const { status } = await send("POST", changed, { Cookie: proved, ...ownSite() });
          if (status !== 400) problems.push(`${describeRequest(changed)}: ${status}`);
        }
      problems.push(...changedRows(before, await readRows(server)).map((row) => `${name} changed ${row}`));
    }
    assert.deepEqual(problems, []);
  });

  test("pages for anyone show nothing and have no effect with the token or code of another object", async () => {
    const [one, two] = [await makeSubmission(world), await makeSubmission(world)];
    const [mine, other] = [await makeAnonymousFile(world), await makeAnonymousFile(world)];
    const [locked, open] = [await makeFile(world, { protect: "true" }), await makeFile(world, { protect: "true" })];
    const receipt = `/r/${one.requestToken}/${one.shortId}`;
    const tries: readonly (PageRequest & { readonly method: string })[] = [
      { method: "GET", path: `${receipt}/${two.deletionToken}` },
      { method: "POST", path: `${receipt}/${two.deletionToken}`, fields: { fileId: one.fileId } },
      { method: "POST", path: `${receipt}/${one.deletionToken}`, fields: { fileId: two.fileId } },
      { method: "GET", path: `/r/${two.requestToken}/${one.shortId}/${one.deletionToken}` },
      { method: "POST", path: `/r/${two.requestToken}/${one.shortId}/${one.deletionToken}`, fields: { fileId: one.fileId } },
      { method: "POST", path: `/r/${two.requestToken}/${one.shortId}/${one.deletionToken}` },
      { method: "GET", path: `/delete/${mine.id}/${other.deletionToken}` },
      { method: "POST", path: `/delete/${mine.id}/${other.deletionToken}` },
      { method: "POST", path: `/d/${locked.shortId}/unlock`, fields: { unlockCode: open.unlockCode } },
      { method: "POST", path: `/d/${locked.shortId}/download`, fields: { unlockCode: open.unlockCode, fileId: locked.id } },
      { method: "POST", path: `/d/${mine.shortId}/download`, fields: { fileId: locked.id } },
      { method: "GET", path: `/d/${one.shortId}` },
      { method: "GET", path: `/report/${one.shortId}` },
    ];
    const before = await readRows(server);
    const problems: string[] = [];
    for (const { method, ...request } of tries) {
      const { status } = await send(method, request, ownSite());
      if (status !== (request.fields?.unlockCode === undefined ? 404 : 403)) problems.push(`${describeRequest(request)}: ${status}`);
    }
    const previewed = await send("POST", { path: `/d/${mine.shortId}/preview`, fields: { fileId: locked.id } }, ownSite());
    assert.ok(previewed.status === 200 && !previewed.text.includes(locked.id));
    assert.deepEqual([problems, changedRows(before, await readRows(server))], [[], []]);
  });

  /** Sends a request as others do; resolves to what is wrong with the responses. */
  async function refusals(
    example: Page,
    method: string,
    request: PageRequest,
    { permitted, sessions, position }: { readonly permitted: Account; readonly sessions: Sessions; readonly position: number },
  ): Promise<readonly string[]> {
    const problems: string[] = [];
    const expect = async (who: string, headers: Sent, isRight: (response: Seen) => boolean): Promise<void> => {
      const seen = await send(method, request, headers);
      if (!isRight(seen)) problems.push(`${who}: ${describeRequest(request)}: ${seen.status} ${seen.location ?? seen.text.slice(0, 200)}`);
    };
    const { by } = example;
    if (method === "POST" && !example.fromAnywhere) {
      const sites: Sent[] = [
        { Origin: EVIL },
        { Origin: EVIL, "Sec-Fetch-Site": "cross-site" },
        { Origin: "null" },
        ...(by === "anyone" ? [] : [{}, { Origin: server.url }]),
      ];
      for (const site of sites)
        await expect(
          `a form of another site ${JSON.stringify(site)}`,
          { Cookie: sessions.proved, ...site },
          ({ status }) => status === 403,
        );
      await expect("a form of another site, signed out", { Origin: EVIL }, ({ status }) => status === 403);
    }
    if (by === "anyone") return problems;
    const isSentToSignIn = ({ status, location }: Seen): boolean => status === 303 && location?.startsWith("/signin") === true;
    await expect("nobody", ownSite(), isSentToSignIn);
    await expect("an ended session", { Cookie: `session=session_${"0".repeat(43)}`, ...ownSite() }, isSentToSignIn);
    for (const { who, key } of sampled(keys, KEY_STEP, position))
      for (const [header, credential] of [
        ["Authorization", `Bearer ${key}`],
        ["Cookie", `session=${key}`],
      ] as const)
        await expect(`${who} as ${header}`, { [header]: credential, ...ownSite() }, isSentToSignIn);
    await setDisabled(permitted, Date.now());
    await expect("a session of a disabled account", { Cookie: sessions.proved, ...ownSite() }, isSentToSignIn);
    await setDisabled(permitted, null);
    const unproved = { Cookie: sessions.unproved, ...ownSite() };
    if (by === "administrator" || request.needsProof)
      await expect("an unproved session", unproved, ({ status, location }) => status === 303 && location?.startsWith("/prove") === true);
    const other = { Cookie: sessions.other, ...ownSite() };
    if (by === "administrator") await expect("another user", other, ({ status }) => status === 403);
    else if (request.names !== undefined) {
      const [known, unknown] = [await send(method, request, other), await send(method, replaceNames(request), other)];
      const isSame =
        known.status === unknown.status && known.location === unknown.location && withoutAges(known.text) === withoutAges(unknown.text);
      if (!isSame) problems.push(`another user learns what exists: ${describeRequest(request)}: ${known.text}, ${unknown.text}`);
    }
    return problems;
  }

  /** Sends a request as who may; resolves to what is wrong with the response. */
  async function acceptance(
    example: Page,
    method: string,
    request: PageRequest,
    { sessions, before }: { readonly sessions: Sessions; readonly before: Rows },
  ): Promise<readonly string[]> {
    const cookie: Sent =
      example.by === "anyone"
        ? {}
        : {
            Cookie: example.by === "administrator" || request.needsProof ? sessions.proved : sessions.unproved,
          };
    const { status, location = "", encoding, text } = await send(method, request, { ...cookie, ...ownSite() });
    const isSent = example.by !== "anyone" && /^\/(signin|prove)/.test(location);
    const isRight =
      example.by === "anyone" ? status < 500 : request.refused === undefined ? status < 400 && !isSent : status === request.refused;
    const problems = isRight ? [] : [`who may: ${describeRequest(request)}: ${status} ${location} ${text.slice(0, 300)}`];
    const secret = encoding === undefined ? undefined : SECRET.exec(text)?.[0];
    if (secret !== undefined) problems.push(`${describeRequest(request)} compresses the secret ${secret}`);
    if (method !== "GET" || example.changes !== undefined) return problems;
    const changes = changedRows(before, await readRows(server));
    return [...problems, ...changes.map((row) => `reading ${request.path} changed ${row}`)];
  }

  /** Cookies of browsers. */
  interface Sessions {
    readonly proved: string;
    readonly unproved: string;
    readonly other: string;
  }

  const startSessions = async (permitted: Account): Promise<Sessions> => ({
    proved: `session=${await startSession(server, permitted)}`,
    unproved: `session=${await startSession(server, permitted, { isUnproved: true })}`,
    other: `session=${await startSession(server, world.otherAccount)}`,
  });

  /** Disables or enables an account whose sessions are kept. */
  const setDisabled = ({ userId }: Account, disabledAt: number | null) =>
    withDatabase(server, (db) => db.updateTable("users").set({ disabled_at: disabledAt }).where("id", "=", userId).execute());

  const ownSite = (): Sent => ({ Origin: homeOf(server) });

  interface Seen {
    readonly status: number;
    readonly location: string | undefined;
    /** How the text was compressed. */
    readonly encoding: string | undefined;
    readonly text: string;
  }

  async function send(method: string, { path, fields }: PageRequest, headers: Sent): Promise<Seen> {
    const { Origin, ...others } = headers;
    const response = await fetch(server.url + path, {
      method,
      redirect: "manual",
      headers: { Accept: "text/html", ...others, ...(method !== "GET" && Origin !== undefined && { Origin }) },
      ...(method === "POST" && { body: new URLSearchParams(toPairs(fields)) }),
    });
    const [location, encoding] = ["location", "content-encoding"].map((name) => response.headers.get(name) ?? undefined);
    return { status: response.status, location, encoding, text: await response.text() };
  }
});

const describeRequest = ({ path, fields }: PageRequest): string => `${path} ${JSON.stringify(fields ?? {})}`;

const toPairs = (fields: PageRequest["fields"] = {}): string[][] =>
  Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));

/** Two responses may be a second apart. */
const withoutAges = (text: string): string => text.replaceAll(/\d+\s\w+ ago|just now/g, "some time ago");
