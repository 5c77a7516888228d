import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { acceptsIdempotencyKey } from "../../../src/contract/operation.ts";
import { operationDefinitions } from "../../../src/service/contract.ts";
import { sampled } from "../../support/long.ts";
import type { TestServer } from "../../support/server.ts";
import { type Origin, sendFile, startOrigin } from "../../support/services/origin-server.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { type ApiResponse, clientOf } from "../support/api/api.ts";
import type { OwnerFixture } from "../support/api/fixtures.ts";
import { newKey } from "../support/api/idempotency.ts";
import { type Described, type Description, readDescription } from "../support/api/openapi-document.ts";
import type { Example } from "../support/api/operation-examples.ts";
import { EXAMPLES } from "../support/api/operation-examples.ts";
import { type OperationCaller, sendOperation, sendRaw } from "../support/api/send-operation.ts";
import { type OperationInput, variants } from "../support/api/variants.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

/** A field larger than any JSON body or form may be. */
const MUCH = "x".repeat(5_000_000);
const INVALID_KEY = `bc_${"0".repeat(40)}`;
/** One in so many of the odd inputs that the document accepts is sent; all of them in `./scripts/test --long`. */
const ODD_INPUT_STEP = 24;
/** One in so many of the inputs that the document refuses is sent; all of them in `./scripts/test --long`. */
const BAD_INPUT_STEP = 3;
/** Messages of the validation library, which do not say what to send. */
const VAGUE = /Invalid (input|option|string|key|element)|expected .* received|Too (small|big)/;
const RANKS = { files_read: 0, files_write: 1, full: 2, admin: 3 };

/**
 * Compares the OpenAPI document with the server: every operation, with valid and invalid input: envelopes and errors, "Envelopes", "Requests"
 * and "Errors"; openapi, "The OpenAPI document".
 */
describe("the OpenAPI document", () => {
  let server: TestServer;
  let origin: Origin;
  let world: OwnerFixture;
  let description: Description;
  let keys: Readonly<Record<keyof typeof RANKS, string>>;

  before(async () => {
    origin = await startOrigin({
      "/file.txt": sendFile({ bytes: Buffer.from("some bytes") }),
      "/slow.txt": sendFile({ bytes: Buffer.from("some bytes"), stallAfter: () => 5 }),
    });
    server = await startPlainServer({
      FILEHOST_IMPORT_NETWORKS: "127.0.0.0/8",
      FILEHOST_WEBHOOK_NETWORKS: "127.0.0.0/8",
      // Counted by address, so that a new account does not help.
      FILEHOST_LIMITS: JSON.stringify({
        rates: {
          reports: 10_000,
          shares: 10_000,
          signUps: 10_000,
          signIns: 10_000,
          passkeyChallenges: 10_000,
          passwordTries: 10_000,
          codeTries: 10_000,
          codeTriesDaily: 10_000,
          aliases: 10_000,
          usernameChanges: 10_000,
        },
      }),
    });
    const owner = await addAccount(server, { tier: "pro", username: "ada" });
    const otherAccount = await addAccount(server, { tier: "pro", username: "eve" });
    const administrator = await addAccount(server, { isAdministrator: true });
    world = {
      server,
      owner,
      otherAccount,
      administrator,
      remoteUrl: `${origin.url}/file.txt`,
      slowUrl: `${origin.url}/slow.txt`,
      hookUrl: "https://127.0.0.1:9/",
    };
    keys = { files_read: await addKey("files_read"), files_write: await addKey("files_write"), full: owner.key, admin: administrator.key };
    description = await readDescription(server);
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await origin[Symbol.asyncDispose]();
  });

  async function addKey(scope: "files_read" | "files_write"): Promise<string> {
    return (await clientOf(server, world.owner).call("createKey", { scope })).data.key;
  }

  test("lists exactly the operations that have an example here", () => {
    assert.deepEqual(Object.keys(EXAMPLES).sort(), description.operations.map(({ id }) => id).sort());
  });

  test("has response schemas that reject undocumented responses", () => {
    const headers = new Headers({ "Content-Type": "application/json" });
    const refusal = { success: false, error: "No.", errorCode: "NO" };
    for (const { id, problemOf } of description.operations) {
      assert.equal(problemOf({ status: 400, headers, body: refusal }), undefined, id);
      assert.ok(problemOf({ status: 200, headers, body: {} }), id);
      assert.ok(problemOf({ status: 400, headers, body: { ...refusal, success: true } }), id);
      assert.ok(problemOf({ status: 400, headers: new Headers({ "Content-Type": "text/html" }), body: refusal }), id);
      assert.ok(problemOf({ status: 418, headers, body: refusal }), id);
    }
  });

  for (const [position, [id, example]] of Object.entries(EXAMPLES).entries()) {
    test(`describes the responses of ${id} to valid, invalid and unauthorized requests`, async () => {
      const operation = description.operations.find((candidate) => candidate.id === id);
      assert.ok(operation);
      const problems: string[] = [];
      if (!example.keyless) assert.equal(operation.scope, example.scope);
      const good = await example.good(world);
      const key = keyOf(example, world);
      const tries = [
        ...sampled(badTries(operation, good, key), BAD_INPUT_STEP, position),
        ...keyTries(operation, example, good),
        ...(await foreignTries(operation, example, good)),
      ];
      assert.ok(tries.length > 0);
      for (const { what, statuses, request } of tries) {
        const response = await request();
        const problem =
          operation.problemOf(response) ??
          (statuses.includes(response.status) && !VAGUE.test(JSON.stringify(response.body))
            ? undefined
            : `${response.status}: ${JSON.stringify(response.body)}`);
        if (problem !== undefined) problems.push(`${what}: ${problem}`);
      }
      // The refused requests have changed nothing that the good input names.
      const minimalKey = example.scope === undefined ? key : keys[example.scope];
      const response = await send(operation, good, { key: minimalKey });
      const problem = operation.problemOf(response);
      const isExpected = example.refusal === undefined ? response.status < 300 : response.status === example.refusal;
      if (!isExpected || problem !== undefined) problems.push(`good input: ${problem ?? JSON.stringify(response.body)}`);
      assert.deepEqual(problems, []);
    });
  }

  const writes = new Set<string>(operationDefinitions.filter(([, definition]) => acceptsIdempotencyKey(definition)).map(([name]) => name));
  for (const [id, example] of Object.entries(EXAMPLES)) {
    if (!writes.has(id) || example.refusal !== undefined) continue;
    test(`describes the response of ${id} to a repeated Idempotency-Key, which is the first one`, async () => {
      const operation = description.operations.find((candidate) => candidate.id === id);
      assert.ok(operation);
      const ownWorld = await newOwnersWorld();
      const good = await example.good(ownWorld);
      const key = keyOf(example, ownWorld);
      const idempotencyKey = newKey();
      const first = await send(operation, good, { key, idempotencyKey });
      assert.ok(first.status < 300, JSON.stringify(first.body));
      assert.equal(operation.problemOf(first), undefined);
      const again = await send(operation, good, { key, idempotencyKey });
      assert.equal(again.status, first.status, JSON.stringify(again.body));
      assert.equal(operation.problemOf(again), undefined);
      assert.deepEqual(withoutMarks(again.body), first.body);
    });
  }

  for (const [position, [id, example]] of Object.entries(EXAMPLES).entries()) {
    test(`describes the responses of ${id} to unusual input that its schemas accept`, async () => {
      const operation = description.operations.find((candidate) => candidate.id === id);
      assert.ok(operation);
      const problems: string[] = [];
      let asked = await prepare(operation, example, position);
      for (let index = 0; index < asked.length; index += 1) {
        let response = await asked[index]?.request();
        if (response?.status === 429) {
          // The requests so far exhausted a limit of the account or the share; a new account continues.
          asked = await prepare(operation, example, position);
          response = await asked[index]?.request();
        }
        assert.ok(response);
        const problem = operation.problemOf(response) ?? (response.status === 429 ? JSON.stringify(response.body) : undefined);
        if (problem !== undefined || response.status >= 500)
          problems.push(`${asked[index]?.what}: ${problem ?? JSON.stringify(response.body)}`);
      }
      assert.deepEqual(problems, []);
    });
  }

  /** The world with a new owner, whom no other test uses. */
  const newOwnersWorld = async (): Promise<OwnerFixture> => ({
    ...world,
    owner: await addAccount(server, { tier: "pro", username: `user-${crypto.randomUUID()}` }),
  });

  /** The accepted variants, for a new owner, since they may take effect. */
  async function prepare(operation: Described, example: Example, position: number): Promise<readonly Omit<Try, "statuses">[]> {
    const ownWorld = await newOwnersWorld();
    const key = keyOf(example, ownWorld);
    const accepted = variants(description, operation, await example.good(ownWorld)).filter(({ statuses }) => statuses === undefined);
    return sampled(accepted, ODD_INPUT_STEP, position).map(({ what, sent }) => ({ what, request: () => send(operation, sent, { key }) }));
  }

  const keyOf = ({ keyless, scope }: Example, { owner, administrator }: OwnerFixture): string | undefined =>
    keyless ? undefined : (scope === "admin" ? administrator : owner).key;

  interface Try {
    readonly what: string;
    readonly statuses: readonly number[];
    readonly request: () => Promise<ApiResponse<unknown>>;
  }

  function badTries(operation: Described, good: OperationInput, key: string | undefined): Try[] {
    const tries: Try[] = variants(description, operation, good).flatMap(({ what, statuses, sent }) =>
      statuses === undefined ? [] : [{ what, statuses, request: () => send(operation, sent, { key }) }],
    );
    if (!operation.body) return tries;
    const tooMuch = { ...good, body: { ...good.body, tooMuch: MUCH } };
    return [
      ...tries,
      { what: "5 MB", statuses: [413], request: () => send(operation, tooMuch, { key }) },
      {
        what: "a text",
        statuses: [415],
        request: () => sendRaw(server, operation, good, { key, headers: { "Content-Type": "text/plain" }, body: "{}" }),
      },
    ];
  }

  function keyTries(operation: Described, { scope }: Example, good: OperationInput): Try[] {
    const tries: Try[] = [{ what: "an invalid key", statuses: [401], request: () => send(operation, good, { key: INVALID_KEY }) }];
    if (operation.key === "required") {
      assert.ok(scope);
      tries.push({ what: "no key", statuses: [401], request: () => send(operation, good, {}) });
    }
    for (const [lesser, rank] of Object.entries(RANKS)) {
      if (scope === undefined || rank >= RANKS[scope]) continue;
      const key = keys[lesser as keyof typeof keys];
      tries.push({ what: `scope ${lesser}`, statuses: [403], request: () => send(operation, good, { key }) });
    }
    return tries;
  }

  async function foreignTries(operation: Described, { foreign, keyless }: Example, good: OperationInput): Promise<Try[]> {
    if (typeof foreign === "object") return [];
    const sent = foreign === "same" ? good : await foreign(good, world);
    const key = keyless ? undefined : world.otherAccount.key;
    return [
      { what: "another account's", statuses: [403, 404], request: () => send(operation, sent, { key }) },
      ...(operation.key === "optional"
        ? [{ what: "another account's, without a key", statuses: [401, 403, 404], request: () => send(operation, sent, {}) }]
        : []),
    ];
  }

  const send = (operation: Described, sent: OperationInput, caller: OperationCaller): Promise<ApiResponse<unknown>> =>
    sendOperation(server, operation, sent, caller);
});

/** Removes the marks of a repeated response, which gives the first one. */
function withoutMarks(body: unknown): unknown {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
  const members = Object.entries(body).filter(([name]) => name !== "idempotent");
  return Object.fromEntries(members.map(([name, value]) => [name, name === "data" || name === "file" ? withoutMarks(value) : value]));
}
