import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { operations } from "../../src/contract/index.ts";
import { inputSource } from "../../src/contract/operation.ts";
import { type ServerWith, withAccounts } from "./support/accounts.ts";
import { assertRefused, call } from "./support/api.ts";
import { startPlainServer } from "./support/plain.ts";

const KiB = 1024;
const MAX_BYTES = 4 * KiB * KiB;

/** decisions, "Uploads": JSON bodies. */
describe("how much JSON an operation reads", () => {
  let server: ServerWith<"owner">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: { tier: "pro" } });
  });
  after(() => server[Symbol.asyncDispose]());

  const padded = (bytes: number): string => `{"x":"${"x".repeat(bytes - 8)}"}`;

  for (const [name, definition] of operations) {
    if (inputSource(definition) !== "json") continue;
    test(`${name}: 4 MB`, async () => {
      const path = `/api${definition.path.replace(/\{\w+\}/g, "unknown1")}`;
      const send = (body: string) =>
        call(server, definition.method, path, { key: server.owner.key, body, headers: { "Content-Type": "application/json" } });
      assert.notEqual((await send(padded(MAX_BYTES))).status, 413);
      const refused = await send(padded(MAX_BYTES + 1));
      assertRefused(refused, { status: 413, code: "BODY_TOO_LARGE" });
      assert.equal(refused.body.error, "The body of this request may have 4 MB at most.");
    });
  }

  test("10,000 parts fit, written at length", async () => {
    const numbers = Array.from({ length: 10_000 }, (_, index) => index + 1);
    const parts = numbers.map((partNumber) => ({ partNumber, etag: `"${"0".repeat(64)}"` }));
    const partDigests = Object.fromEntries(numbers.map((number) => [number, "0".repeat(64)]));
    for (const [path, fields] of [
      ["complete", { parts }],
      ["batch-urls", { partDigests }],
    ] as const) {
      const body = JSON.stringify({ uploadId: "unknown", ...fields }, null, 2);
      const answer = await call(server, "POST", `/api/files/multipart/${path}`, { body, headers: { "Content-Type": "application/json" } });
      assertRefused(answer, { status: 404, code: "NOT_FOUND" });
    }
  });
});
