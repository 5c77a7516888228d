import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ServerWith, withAccounts } from "./support/accounts.ts";
import { type Answer, assertRefused, type Body, call } from "./support/api.ts";
import { sha256 } from "./support/multipart.ts";
import { startPlainServer } from "./support/plain.ts";

interface Delegation {
  readonly delegationToken: string;
  readonly uploadUrl: string;
  readonly uploadId: string;
  readonly key: string;
}

/** interface, "Upload and import"; decisions, "Uploads". */
describe("two uploads for one delegation", () => {
  let server: ServerWith<"owner">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: {} });
  });
  after(() => server[Symbol.asyncDispose]());

  async function delegate(): Promise<Delegation> {
    const { body } = await call<Body & { data: Delegation }>(server, "POST", "/api/files/upload-delegations", {
      key: server.owner.key,
      json: { name: "a.txt", sizeBytes: 6 },
    });
    return body.data;
  }

  async function put({ uploadUrl }: Delegation, body: RequestInit["body"]): Promise<Answer> {
    const response = await fetch(uploadUrl, { method: "PUT", body, headers: { Accept: "application/json" } });
    return { status: response.status, headers: response.headers, body: (await response.json()) as Body };
  }

  /** `abc`, and `def` once the gate opens. */
  const held = (gate: Promise<void>): ReadableStream<Uint8Array> =>
    new ReadableStream({
      async start(controller) {
        controller.enqueue(new TextEncoder().encode("abc"));
        await gate;
        controller.enqueue(new TextEncoder().encode("def"));
        controller.close();
      },
    });

  test("the second PUT hears that the first is under way, or that it is done", async () => {
    const delegation = await delegate();
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const both = [put(delegation, held(gate)), put(delegation, held(gate))];
    const loser = await Promise.race(both);
    assertRefused(loser, { status: 409, code: "UPLOAD_IN_PROGRESS" });
    open();
    assert.deepEqual((await Promise.all(both)).map(({ status }) => status).sort(), [200, 409]);
    assertRefused(await put(delegation, "abcdef"), { status: 409, code: "UPLOAD_CLOSED" });
  });

  test("a PUT hears that parts are under way", async () => {
    const { delegationToken, uploadId, key, uploadUrl } = await delegate();
    const json = { delegationToken, uploadId, key, totalParts: 1, partDigests: { 1: sha256("abcdef") } };
    const { status } = await call(server, "POST", "/api/files/upload-delegations/multipart/batch-urls", { json });
    assert.equal(status, 200);
    assertRefused(await put({ delegationToken, uploadId, key, uploadUrl }, "abcdef"), { status: 409, code: "UPLOAD_IN_PROGRESS" });
  });
});
