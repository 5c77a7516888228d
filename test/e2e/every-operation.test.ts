import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Origin, sendFile, startOrigin } from "../support/origin-server.ts";
import type { TestServer } from "../support/server.ts";
import { addAccount } from "./support/accounts.ts";
import { type Answer, call, toForm } from "./support/api.ts";
import { type Described, type Description, readDescription } from "./support/document.ts";
import type { Example } from "./support/example.ts";
import type { World } from "./support/made.ts";
import { EXAMPLES } from "./support/operations.ts";
import { startPlainServer } from "./support/plain.ts";
import { type Sent, variants } from "./support/variants.ts";

/** More than any JSON body or form may have. */
const MUCH = "x".repeat(5_000_000);
const INVALID_KEY = `bc_${"0".repeat(40)}`;
/** Words of a validator, which tell nobody what to send. */
const VAGUE = /Invalid (input|option|string|key|element)|expected .* received|Too (small|big)/;
const RANKS = { files_read: 0, files_write: 1, full: 2 };

/** The OpenAPI document, held against what the server does: every operation, with good input and with bad: interface, "Endpoints" and "Errors"; decisions, "Envelopes" and "Errors". */
describe("every operation of the OpenAPI document", () => {
  let server: TestServer;
  let origin: Origin;
  let world: World;
  let description: Description;
  let keys: Readonly<Record<"files_read" | "files_write" | "full", string>>;

  before(async () => {
    origin = await startOrigin({
      "/file.txt": sendFile({ bytes: Buffer.from("some bytes") }),
      "/slow.txt": sendFile({ bytes: Buffer.from("some bytes"), stallAfter: () => 5 }),
    });
    server = await startPlainServer({ FILEHOST_IMPORT_NETWORKS: "127.0.0.0/8", FILEHOST_WEBHOOK_NETWORKS: "127.0.0.0/8" });
    const owner = await addAccount(server, { tier: "pro", username: "ada" });
    const stranger = await addAccount(server, { tier: "pro", username: "eve" });
    world = {
      server,
      owner,
      stranger,
      remoteUrl: `${origin.url}/file.txt`,
      slowUrl: `${origin.url}/slow.txt`,
      hookUrl: "https://127.0.0.1:9/",
    };
    keys = { files_read: await addKey("files_read"), files_write: await addKey("files_write"), full: owner.key };
    description = await readDescription(server);
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await origin[Symbol.asyncDispose]();
  });

  async function addKey(scope: string): Promise<string> {
    const { body } = await call<{ data: { key: string } }>(server, "POST", "/api/keys", { key: world.owner.key, json: { scope } });
    return body.data.key;
  }

  test("there is an example of each, and of no other", () => {
    assert.deepEqual(Object.keys(EXAMPLES).sort(), description.operations.map(({ id }) => id).sort());
  });

  test("an answer that is another than the documented one is noticed", () => {
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

  for (const [id, example] of Object.entries(EXAMPLES)) {
    test(id, async () => {
      const operation = description.operations.find((candidate) => candidate.id === id);
      assert.ok(operation);
      const problems: string[] = [];
      if (!example.keyless) assert.equal(operation.scope, example.scope);
      const good = await example.good(world);
      const key = example.keyless ? undefined : world.owner.key;
      const tries = [
        ...badTries(operation, good, key),
        ...keyTries(operation, example, good),
        ...(await foreignTries(operation, example, good)),
      ];
      assert.ok(tries.length > 0);
      for (const { what, statuses, request } of tries) {
        const answer = await request();
        const problem =
          operation.problemOf(answer) ??
          (statuses.includes(answer.status) && !VAGUE.test(JSON.stringify(answer.body))
            ? undefined
            : `${answer.status}: ${JSON.stringify(answer.body)}`);
        if (problem !== undefined) problems.push(`${what}: ${problem}`);
      }
      // After all that, what the good input names is as it was.
      const least = example.scope === undefined ? key : keys[example.scope];
      const answer = await send(operation, good, { key: least });
      const problem = operation.problemOf(answer);
      const isAnswered = example.refusal === undefined ? answer.status < 300 : answer.status === example.refusal;
      if (!isAnswered || problem !== undefined) problems.push(`good input: ${problem ?? JSON.stringify(answer.body)}`);
      assert.deepEqual(problems, []);
    });
  }

  for (const [id, example] of Object.entries(EXAMPLES)) {
    test(`${id}, with odd input that the document takes`, async () => {
      const operation = description.operations.find((candidate) => candidate.id === id);
      assert.ok(operation);
      const problems: string[] = [];
      let asked = await prepare(operation, example);
      for (let index = 0; index < asked.length; index += 1) {
        let answer = await asked[index]?.request();
        if (answer?.status === 429) {
          // So many of them reach a limit of the account or the share; the next ones have none of it behind them.
          asked = await prepare(operation, example);
          answer = await asked[index]?.request();
        }
        assert.ok(answer);
        const problem = operation.problemOf(answer) ?? (answer.status === 429 ? JSON.stringify(answer.body) : undefined);
        if (problem !== undefined || answer.status >= 500)
          problems.push(`${asked[index]?.what}: ${problem ?? JSON.stringify(answer.body)}`);
      }
      assert.deepEqual(problems, []);
    });
  }

  /** They may do what they say: to an account that nothing else is asked of. */
  async function prepare(operation: Described, example: Example): Promise<readonly Omit<Try, "statuses">[]> {
    const itsWorld = { ...world, owner: await addAccount(server, { tier: "pro", username: `user-${crypto.randomUUID()}` }) };
    const key = example.keyless ? undefined : itsWorld.owner.key;
    return variants(description, operation, await example.good(itsWorld)).flatMap(({ what, statuses, sent }) =>
      statuses === undefined ? [{ what, request: () => send(operation, sent, { key }) }] : [],
    );
  }

  interface Try {
    readonly what: string;
    readonly statuses: readonly number[];
    readonly request: () => Promise<Answer<unknown>>;
  }

  function badTries(operation: Described, good: Sent, key: string | undefined): Try[] {
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
        request: () => sendRequest(operation, good, { key, headers: { "Content-Type": "text/plain" }, body: "{}" }),
      },
    ];
  }

  function keyTries(operation: Described, { scope }: Example, good: Sent): Try[] {
    const tries: Try[] = [{ what: "an invalid key", statuses: [401], request: () => send(operation, good, { key: INVALID_KEY }) }];
    if (operation.key === "needed") {
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

  async function foreignTries(operation: Described, { foreign, keyless }: Example, good: Sent): Promise<Try[]> {
    if (typeof foreign === "object") return [];
    const sent = foreign === "same" ? good : await foreign(good, world);
    const key = keyless ? undefined : world.stranger.key;
    return [
      { what: "another's", statuses: [403, 404], request: () => send(operation, sent, { key }) },
      ...(operation.key === "optional" ? [{ what: "nobody's", statuses: [401, 403, 404], request: () => send(operation, sent, {}) }] : []),
    ];
  }

  async function sendRequest({ method, path }: Described, sent: Sent, { key, headers, body }: Request): Promise<Answer<unknown>> {
    const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent((sent.path?.[name] ?? "").toWellFormed()));
    const response = await fetch(`${server.url}${filled}?${new URLSearchParams(sent.query)}`, {
      method,
      headers: { ...sent.headers, ...headers, ...(key !== undefined && { Authorization: `Bearer ${key}` }) },
      body,
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  }

  const send = (operation: Described, sent: Sent, { key }: { readonly key?: string | undefined }): Promise<Answer<unknown>> =>
    sendRequest(operation, sent, { key, ...toBody(operation, sent) });

  function toBody({ body }: Described, sent: Sent): { readonly headers?: Record<string, string>; readonly body?: RequestInit["body"] } {
    if (!body) return {};
    if (body.type === "application/json") return { headers: { "Content-Type": body.type }, body: JSON.stringify(sent.body) };
    const form = toForm({});
    for (const [name, value] of Object.entries(sent.body ?? {})) form.append(name, value instanceof File ? value : String(value));
    return { body: form };
  }
});

interface Request {
  readonly key?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: RequestInit["body"];
}
