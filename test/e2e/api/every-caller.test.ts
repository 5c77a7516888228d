import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { acceptsIdempotencyKey } from "../../../src/contract/operation.ts";
import { definitionOf, type OperationName, operationDefinitions } from "../../../src/service/contract.ts";
import { sampled } from "../../support/long.ts";
import type { TestServer } from "../../support/server.ts";
import { type Origin, sendFile, startOrigin } from "../../support/services/origin-server.ts";
import { addAccount, createKey } from "../support/accounts/accounts.ts";
import { homeOf } from "../support/accounts/person.ts";
import type { ApiResponse } from "../support/api/api.ts";
import {
  type Caller,
  makeInvalidCallers,
  makeStrangers,
  makeWeakAdministrators,
  startForeignSessions,
  startSession,
} from "../support/api/callers.ts";
import type { OwnerFixture } from "../support/api/fixtures.ts";
import { type Described, type Description, readDescription } from "../support/api/openapi-document.ts";
import { EXAMPLES, type Example, FOR_ANYONE } from "../support/api/operation-examples.ts";
import { sendOperation } from "../support/api/send-operation.ts";
import { listMixtures, toUnknown } from "../support/api/unknown-input.ts";
import type { OperationInput } from "../support/api/variants.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { changedRows, readRows } from "../support/servers/rows.ts";
import { holdScheduledCleanup } from "../support/servers/server-context.ts";
import { withDatabase } from "../support/servers/state.ts";

const EVIL = "https://evil.example";

/** Each operation is tried with one in so many of the invalid credentials by turns; with all of them in `./scripts/test --long`. */
const INVALID_STEP = 3;

const SCOPES = ["files_read", "files_write", "full", "admin"] as const;

/**
 * Tries every operation by every caller who may not: accounts, "Authentication", "Keys and scopes", "Sessions of browsers", "Proof";
 * identifiers, "Identifiers"; administration, "Access". The operations are those of `EXAMPLES`, which must be all of the contract
 * (`every-operation.test.ts`).
 */
describe("every operation", () => {
  let server: TestServer;
  let origin: Origin;
  let world: OwnerFixture;
  let description: Description;
  let strangers: readonly Caller[];
  let invalid: readonly Caller[];
  let narrowKeys: Readonly<Record<"files_read" | "files_write", string>>;

  before(async () => {
    origin = await startOrigin({
      "/file.txt": sendFile({ bytes: Buffer.from("some bytes") }),
      "/slow.txt": sendFile({ bytes: Buffer.from("some bytes"), stallAfter: () => 5 }),
    });
    const rates = Object.fromEntries(
      [
        "clientRegistrations",
        "reports",
        "shares",
        "signUps",
        "signIns",
        "passwordTries",
        "codeTries",
        "codeTriesDaily",
        "aliases",
        "usernameChanges",
      ].map((name) => [name, 10_000]),
    );
    server = await startPlainServer({
      FILEHOST_IMPORT_NETWORKS: "127.0.0.0/8",
      FILEHOST_WEBHOOK_NETWORKS: "127.0.0.0/8",
      FILEHOST_LIMITS: JSON.stringify({ rates }),
    });
    world = {
      server,
      owner: await addAccount(server, { tier: "pro", username: "owner-of-all" }),
      otherAccount: await addAccount(server, { tier: "pro", username: "eve" }),
      administrator: await addAccount(server, { tier: "pro", username: "root-of-all", isAdministrator: true }),
      remoteUrl: `${origin.url}/file.txt`,
      slowUrl: `${origin.url}/slow.txt`,
      hookUrl: "https://127.0.0.1:9/",
    };
    strangers = await makeStrangers(world);
    invalid = await makeInvalidCallers(world);
    const keyOf = async (scope: "files_read" | "files_write") => (await createKey(server, world.owner.key, { scope })).key;
    narrowKeys = { files_read: await keyOf("files_read"), files_write: await keyOf("files_write") };
    description = await readDescription(server);
    await holdScheduledCleanup(server);
  });
  // An account has 10 at most.
  afterEach(() => withDatabase(server, (db) => db.deleteFrom("webhook_endpoints").execute()));
  after(async () => {
    await server[Symbol.asyncDispose]();
    await origin[Symbol.asyncDispose]();
  });

  for (const [position, [id, example]] of Object.entries(EXAMPLES).entries()) {
    test(`${id} refuses every other caller, has no effect for them, and does not disclose what exists`, async () => {
      const operation = description.operations.find((candidate) => candidate.id === id);
      assert.ok(operation);
      const good = await example.good(world);
      const tries = [
        ...refusedCredentials(operation, example, { sent: good, position }),
        ...(await foreignTries(example, good)),
        ...(await foreignSiteTries(operation, example, good)),
        ...(example.scope === "admin" ? await administratorTries(good) : []),
      ];
      const problems: string[] = [];
      const before = await readRows(server);
      for (const { who, key, sent, isRefused, unknown } of tries) {
        const response = await send(operation, sent, key);
        if (!isRefused(response)) problems.push(`${who}: ${visible(response)}`);
        if (example.knownTo !== undefined) continue;
        const ofUnknown = await send(operation, unknown ?? toUnknown(sent), key);
        if (visible(response) !== visible(ofUnknown))
          problems.push(`${who} learns what exists: ${visible(response)}, ${visible(ofUnknown)}`);
      }
      const changes = changedRows(before, await readRows(server));
      assert.deepEqual({ problems, changes }, { problems: [], changes: [] });
    });

    test(`${id} works for the owner, needs a proof only if documented, and discloses nothing of the owner's to others`, async () => {
      const operation = description.operations.find((candidate) => candidate.id === id);
      assert.ok(operation);
      if (typeof example.foreign === "object" && example.foreign !== FOR_ANYONE && example.scope !== "admin")
        await assertNothingOfOwner(operation, await example.good(world));
      const good = await example.good(world);
      if (example.scope !== undefined && example.scope !== "admin") {
        const unproved = await send(operation, good, await startSession(server, world.owner, { isUnproved: true }));
        assert.equal(isRefusedWith(403, "PROOF_REQUIRED")(unproved), example.needsProof === true, visible(unproved));
        const definition = definitionOf(id as OperationName);
        if (example.needsProof && acceptsIdempotencyKey(definition))
          assert.ok(definition.requires?.includes("proof"), "a repetition of its response would need no proof");
        if (example.needsProof === undefined) return;
      }
      const key = example.keyless ? undefined : (example.scope === "admin" ? world.administrator : world.owner).key;
      const response = await send(operation, good, key);
      assert.ok(response.status < 300 || response.status === example.refusal, visible(response));
    });
  }

  /** An operation on what belongs to the caller, called by others: the owner's rows stay, and no response has anything of them. */
  async function assertNothingOfOwner(operation: Described, sent: OperationInput): Promise<void> {
    const { userId } = world.owner;
    const before = await readRows(server);
    for (const { who, key } of [...strangers, ...(await startForeignSessions(world))]) {
      const response = await send(operation, sent, key);
      assert.ok(response.status < 500, `${who}: ${visible(response)}`);
      for (const mark of [userId, "owner-of-all"]) assert.ok(!JSON.stringify(response.body).includes(mark), `${who}: ${visible(response)}`);
    }
    const after = await readRows(server);
    assert.deepEqual(
      [...before].filter((row) => row.includes(userId) && !after.has(row)),
      [],
    );
  }

  const send = (operation: Described, sent: OperationInput, key: string | undefined): Promise<ApiResponse<unknown>> =>
    sendOperation(server, operation, sent, { key });

  interface Try {
    readonly who: string;
    readonly key: string | undefined;
    readonly sent: OperationInput;
    readonly isRefused: (response: ApiResponse<unknown>) => boolean;
    /** The input that names nothing; by default, `sent` with unknown identifiers. */
    readonly unknown?: OperationInput;
  }

  /** Credentials that are refused whatever the request names. */
  function refusedCredentials(
    operation: Described,
    { scope }: Example,
    { sent, position }: { readonly sent: OperationInput; readonly position: number },
  ): readonly Try[] {
    if (operation.id === "getHealth") return [];
    const unauthenticated = isRefusedWith(401, "UNAUTHENTICATED");
    const isToken = tokenTest(operation.id);
    const tried = sampled(invalid, INVALID_STEP, position).filter(({ key }) => !isToken(key));
    const tries: Try[] = tried.map(({ who, key }) => ({ who, key, sent, isRefused: unauthenticated }));
    if (operation.key === "required") tries.push({ who: "nobody", key: undefined, sent, isRefused: unauthenticated });
    if (scope === undefined || scope === "admin") return tries;
    const narrower = SCOPES.slice(0, SCOPES.indexOf(scope)) as ("files_read" | "files_write")[];
    const isRefused = isRefusedWith(403, "INSUFFICIENT_SCOPE");
    return [...tries, ...narrower.map((narrow) => ({ who: `the owner's key with ${narrow}`, key: narrowKeys[narrow], sent, isRefused }))];
  }

  /** What belongs to the owner, asked for by others: all of it, or one thing of the owner's among their own. */
  async function foreignTries({ foreign, good, scope, keyless }: Example, ownersInput: OperationInput): Promise<readonly Try[]> {
    if (typeof foreign === "object" || scope === "admin") return [];
    const sent = foreign === "same" ? ownersInput : await foreign(ownersInput, world);
    const isRefused = ({ status }: ApiResponse<unknown>): boolean => status === 403 || status === 404;
    // An agent has no username, so a public share of it is invalid.
    const isRefusedOrInvalid = (response: ApiResponse<unknown>): boolean => isRefused(response) || response.status === 400;
    const others = keyless ? [] : [...strangers, ...(await startForeignSessions(world))];
    const all = others.map(({ who, key }) => ({ who, key, sent, isRefused: who === "an agent" ? isRefusedOrInvalid : isRefused }));
    const nobody = scope === undefined ? [{ who: "nobody", key: undefined, sent, isRefused }] : [];
    const theirs = await good({ ...world, owner: world.otherAccount });
    const key = keyless ? undefined : world.otherAccount.key;
    const mixed = listMixtures(theirs, ownersInput);
    // A token that is all of an input is the right to it.
    const mixtures = (mixed.length === 1 && foreign !== "same" ? [] : mixed).map(({ name, ...inputs }) => ({
      who: `another user, with a foreign ${name}`,
      key,
      isRefused,
      ...inputs,
    }));
    return [...all, ...nobody, ...mixtures];
  }

  /** The browser of who may, on a page of another site: a changing request with its cookie needs the own site's address. */
  async function foreignSiteTries({ method }: Described, { scope }: Example, sent: OperationInput): Promise<readonly Try[]> {
    if (method.toUpperCase() === "GET") return [];
    const Cookie = `session=${await startSession(server, scope === "admin" ? world.administrator : world.owner)}`;
    const sites: readonly Readonly<Record<string, string>>[] = [
      { Origin: EVIL },
      { Origin: EVIL, "Sec-Fetch-Site": "cross-site" },
      { Origin: homeOf(server).replace("localhost", "other.localhost"), "Sec-Fetch-Site": "same-site" },
      { Origin: "null" },
      { Origin: server.url },
      {},
    ];
    return sites.map((site) => ({
      who: `a page of another site ${JSON.stringify(site)}`,
      key: undefined,
      sent: { ...sent, headers: { ...sent.headers, Cookie, ...site } },
      isRefused: isRefusedWith(403, "CROSS_SITE_REQUEST"),
    }));
  }

  /** An operation for administrators, called by others and with an administrator's weaker credentials. */
  // New sessions: setting the password of an administrator, for example, ends the earlier ones.
  async function administratorTries(sent: OperationInput): Promise<readonly Try[]> {
    const isRefused = isRefusedWith(403, "FORBIDDEN");
    return [
      ...strangers.filter(({ who }) => !who.startsWith("an administrator")).map(({ who, key }) => ({ who, key, sent, isRefused })),
      { who: "the owner", key: world.owner.key, sent, isRefused },
      ...(await makeWeakAdministrators(world)).map(({ who, key, code }) => ({ who, key, sent, isRefused: isRefusedWith(403, code) })),
    ];
  }
});

/** Whether a credential is the token that an operation accepts in place of a key. */
function tokenTest(id: string): (key: string) => boolean {
  const definition = operationDefinitions.find(([name]) => name === id)?.[1];
  const prefix = definition?.tokenInHeader?.prefix;
  return (key) => prefix !== undefined && key.startsWith(prefix);
}

const isRefusedWith =
  (status: number, code: string) =>
  (response: ApiResponse<unknown>): boolean =>
    response.status === status && (response.body as { readonly errorCode?: unknown }).errorCode === code;

/** What a caller sees of a response, without the request's own ID. */
const visible = ({ status, body }: ApiResponse<unknown>): string =>
  `${status} ${JSON.stringify(body, (name, value) => (name === "requestId" ? undefined : value))}`;
