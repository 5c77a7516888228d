import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { maxBodyBytes } from "../../../src/contract/body-size.ts";
import { inputSchema, type Json } from "../../../src/contract/json-schema.ts";
import { inputSource, pathParameters } from "../../../src/contract/operation.ts";
import { formatSize } from "../../../src/lib/text/format-size.ts";
import { operationDefinitions } from "../../../src/service/contract.ts";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { assertRefused, call } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

const KiB = 1024;
const MAX_BYTES = 4 * KiB * KiB;
/** Fields that some clients send and this server ignores. */
const UNKNOWN = { grace: 3600, step: "build", intent: "x".repeat(500), consumer: "tests", clientEncryption: { alg: "x".repeat(500) } };
/** One character whose JSON escape is the longest. */
const LONGEST = "\u{1f600}";

/** request limits, "Size of a body": JSON bodies; each operation's limit follows from its fields. */
describe("the size limit of JSON bodies", () => {
  let server: ServerWith<"owner">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: { tier: "pro", isAdministrator: true } });
  });
  after(() => server[Symbol.asyncDispose]());

  const padded = (bytes: number): string => `{"x":"${"x".repeat(bytes - 8)}"}`;

  for (const [name, definition] of operationDefinitions) {
    if (inputSource(definition) !== "json") continue;
    const maxBytes = maxBodyBytes(definition);
    const path = `/api${definition.path.replace(/\{\w+\}/g, "unknown1")}`;
    const send = (body: string) =>
      call(server, definition.method, path, { key: server.owner.key, body, headers: { "Content-Type": "application/json" } });
    test(`is ${formatSize(maxBytes)} for ${name}`, async () => {
      assert.notEqual((await send(padded(maxBytes))).status, 413);
      const refused = await send(padded(maxBytes + 1));
      assertRefused(refused, { status: 413, code: "BODY_TOO_LARGE" });
      assert.equal(refused.body.error, `The request's body is too large. Send at most ${formatSize(maxBytes)}.`);
      assert.ok(maxBytes <= MAX_BYTES);
    });

    test(`allows ${name} its longest fields, escaped and indented, beside unknown ones`, async () => {
      const inPath = pathParameters(definition.path);
      const { properties } = inputSchema(definition);
      const fields = Object.entries(properties).flatMap(([field, schema]) => {
        const value = inPath.includes(field) ? undefined : longest(schema);
        return value === undefined ? [] : [[field, value]];
      });
      const body = JSON.stringify({ ...UNKNOWN, ...Object.fromEntries(fields) }, null, 2).replaceAll(LONGEST, "\\ud83d\\ude00");
      assert.notEqual((await send(body)).status, 413, `${body.length} of ${maxBytes} bytes`);
    });
  }

  test("is at most 10 KB for operations with few small fields", () => {
    const sizes = new Map(operationDefinitions.map(([name, definition]) => [name, maxBodyBytes(definition)]));
    for (const name of ["unlockDownload", "claimFile", "createKey", "createFolder", "registerAgent"] as const) {
      assert.ok((sizes.get(name) ?? assert.fail()) <= 10 * KiB, `${name}: ${sizes.get(name)}`);
    }
  });

  test("allows 10,000 parts in indented JSON", async () => {
    const numbers = Array.from({ length: 10_000 }, (_, index) => index + 1);
    const parts = numbers.map((partNumber) => ({ partNumber, etag: `"${"0".repeat(64)}"` }));
    const partDigests = Object.fromEntries(numbers.map((number) => [number, "0".repeat(64)]));
    for (const [path, fields] of [
      ["complete", { parts }],
      ["batch-urls", { partDigests }],
    ] as const) {
      const body = JSON.stringify({ uploadId: "unknown", ...fields }, null, 2);
      const response = await call(server, "POST", `/api/files/multipart/${path}`, {
        body,
        headers: { "Content-Type": "application/json" },
      });
      assertRefused(response, { status: 404, code: "NOT_FOUND" });
    }
  });
});

/** The longest value that a schema takes; undefined where it has no limit, so that the 4 MB for any body apply. */
function longest(schema: Json): unknown {
  const choices = (schema.anyOf ?? schema.oneOf ?? []) as readonly Json[];
  const values = choices.map(longest).sort((one, other) => String(JSON.stringify(other)).length - String(JSON.stringify(one)).length);
  if (choices.length > 0) return values[0];
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (schema.type === "string") return typeof schema.maxLength === "number" ? LONGEST.repeat(schema.maxLength) : "x".repeat(256);
  if (schema.type === "integer") return 999_999_999_999_999;
  if (schema.type === "boolean") return false;
  if (schema.type !== "array" || Number(schema.maxItems ?? 10_000) >= 10_000) return undefined;
  return Array.from({ length: Number(schema.maxItems) }, () => longest(schema.items as Json));
}
