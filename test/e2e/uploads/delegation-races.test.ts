import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { type ApiResponse, assertRefused, type Body, clientOf } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { type Delegation, delegationCalls } from "../support/shares/delegations.ts";
import { sha256 } from "../support/uploads/multipart.ts";

/** uploads, "Delegations". */
describe("an upload delegation during an upload", () => {
  let server: ServerWith<"owner">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: {} });
  });
  after(() => server[Symbol.asyncDispose]());

  const { delegate } = delegationCalls(() => server);

  async function put({ uploadUrl }: Pick<Delegation, "uploadUrl">, body: RequestInit["body"]): Promise<ApiResponse> {
    const response = await fetch(uploadUrl, { method: "PUT", body, headers: { Accept: "application/json" } });
    return { status: response.status, headers: response.headers, body: (await response.json()) as Body };
  }

  /** A body that sends `abc`, and `def` once the gate opens. */
  const held = (gate: Promise<void>): ReadableStream<Uint8Array> =>
    new ReadableStream({
      async start(controller) {
        controller.enqueue(new TextEncoder().encode("abc"));
        await gate;
        controller.enqueue(new TextEncoder().encode("def"));
        controller.close();
      },
    });

  test("refuses a second PUT while the first is in progress and after it", async () => {
    const delegation = await delegate({ name: "a.txt", sizeBytes: 6 });
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const both = [put(delegation, held(gate)), put(delegation, held(gate))];
    const loser = await Promise.race(both);
    assertRefused(loser, { status: 409, code: "UPLOAD_IN_PROGRESS" });
    open();
    assert.deepEqual((await Promise.all(both)).map(({ status }) => status).sort(), [200, 409]);
    assertRefused(await put(delegation, "abcdef"), { status: 409, code: "UPLOAD_CLOSED" });
  });

  test("refuses a PUT while an upload in parts is in progress", async () => {
    const delegation = await delegate({ name: "a.txt", sizeBytes: 6 });
    const { delegationToken, uploadId, key } = delegation;
    const partDigests = { 1: sha256("abcdef") };
    await clientOf(server).call("batchDelegatedPartUrls", { delegationToken, uploadId, key, totalParts: 1, partDigests });
    assertRefused(await put(delegation, "abcdef"), { status: 409, code: "UPLOAD_IN_PROGRESS" });
  });
});
