import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { z } from "zod";
import { responseSchema } from "../../src/contract/envelope.ts";
import { exampleOf, type Json, toJsonSchema } from "../../src/contract/json-schema.ts";
import { acceptsIdempotencyKey } from "../../src/contract/operation.ts";
import { described } from "../../src/contract/scalars.ts";
import { isSecret, secret, withoutSecrets } from "../../src/contract/secret.ts";
import { operationDefinitions } from "../../src/service/contract.ts";

/** Fields of responses whose names are those of secrets, and which are none. */
const NO_SECRETS = new Set([
  // Secrets of a key's account, and of files that the caller may see.
  "shortCode",
  "secretsWithheld",
  "shareUrl",
  "filecode",
  "key.prefix",
  "keyPrefix",
  "key_prefix",
  "errorCode",
  "error_code",
  "sessions",
  "keys",
  "links",
  // Public IDs of files.
  "linkedIds",
  // Secrets of the server, of an import's job, and of what the account has configured.
  "apiBaseUrl",
  "siteUrl",
  "mcpUrl",
  "guestMcpUrl",
  "statusUrl",
  "eventsUrl",
  // Public: what a client proves its work or its passkey with.
  "challenge",
  "challengeId",
]);
/** Fields that are not secret in an operation: `key` is the public name of an upload session or describes a key, and `url` is the endpoint's own. */
const NO_SECRETS_OF: Readonly<Record<string, readonly string[]>> = {
  initMultipart: ["key"],
  getMultipart: ["key"],
  createDelegation: ["key"],
  getMe: ["key"],
  createWebhook: ["url"],
  updateWebhook: ["url"],
  listWebhooks: ["url"],
  rotateWebhookSecret: ["url"],
  // Fields of errors, which are not stored.
  uploadBatch: ["challenge_id", "checkoutUrl", "signInToken"],
};
const LOOKS_SECRET = /token|secret|code|key|url|password|link|session|challenge|uploadId/i;

/** The fields of a response that are not marked, by name, wherever they are in it. Numbers and booleans cannot be secrets. */
function unmarked(schema: z.ZodType, depth = 0): string[] {
  if (depth > 20) return [];
  if (schema instanceof z.ZodPipe) return unmarked(schema.out as z.ZodType, depth + 1);
  if (schema instanceof z.ZodLazy) return unmarked(schema.unwrap() as z.ZodType, depth + 1);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => unmarked(option as z.ZodType, depth + 1));
  if (schema instanceof z.ZodArray) return unmarked(schema.element as z.ZodType, depth + 1);
  if (schema instanceof z.ZodRecord) return unmarked(schema.valueType as z.ZodType, depth + 1);
  const { innerType } = schema.def as { innerType?: z.ZodType };
  if (innerType !== undefined) return unmarked(innerType, depth + 1);
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([name, field]) =>
    isSecret(field) || isNumberOrBoolean(field) ? [] : [name, ...unmarked(field, depth + 1)],
  );
}

function isNumberOrBoolean(schema: z.ZodType): boolean {
  const { innerType } = schema.def as { innerType?: z.ZodType };
  return innerType === undefined ? schema instanceof z.ZodNumber || schema instanceof z.ZodBoolean : isNumberOrBoolean(innerType);
}

/** idempotency, "Secrets of a repeated response". */
describe("secrets of responses", () => {
  for (const [name, definition] of operationDefinitions)
    test(`every field of ${name} whose name is that of a secret is marked`, () => {
      const schemas = definition.events === undefined ? [definition.output] : [definition.output, definition.events.data];
      const fields = schemas.flatMap((schema) => unmarked(schema));
      const allowed = NO_SECRETS_OF[name] ?? [];
      assert.deepEqual(
        fields.filter((field) => LOOKS_SECRET.test(field) && !NO_SECRETS.has(field) && !allowed.includes(field)),
        [],
      );
    });

  for (const [name, definition] of operationDefinitions.filter(([, definition]) => acceptsIdempotencyKey(definition)))
    test(`a repeated response of ${name} has nothing in the form of a secret, and its schema allows that`, () => {
      const schema = responseSchema(definition);
      const json = toJsonSchema(schema, "output");
      const example = exampleOf(json);
      const { value, isWithheld } = withoutSecrets(schema, example);
      const text = JSON.stringify(value);
      assert.doesNotMatch(
        text,
        /"(bc_\w{8}_|share_|claim_|del_|dg_|job_|rq_|whsec_|session_|reset_|invite_|ul_|pu_|cs_)|[?&]s=|\/(h|r|de|reset|invite)\/|"K7MP3X"/,
      );
      if (!isWithheld) assert.deepEqual(value, example);
      assertRequired(json, value as Json);
    });

  test("are removed from members, arrays and unions, and from optional ones", () => {
    const item = z.object({ name: z.string(), token: described(secret(z.string()).optional(), "A token", "t") });
    const schema = z.object({ data: z.union([item, z.object({ items: z.array(item.nullable()) })]), code: secret(z.string().nullable()) });
    assert.deepEqual(withoutSecrets(schema, { data: { name: "a", token: "t" }, code: null, more: 1 }), {
      value: { data: { name: "a" }, more: 1 },
      isWithheld: true,
    });
    assert.deepEqual(withoutSecrets(schema, { data: { items: [null, { name: "a", token: "t" }] } }).value, {
      data: { items: [null, { name: "a" }] },
    });
    assert.equal(withoutSecrets(schema, { data: { name: "a" }, code: null }).isWithheld, false);
    assert.equal(isSecret(z.string()), false);
  });
});

/** Fails unless a value has all that its schema requires of it. */
function assertRequired(json: Json, value: Json): void {
  for (const name of (json.required ?? []) as string[]) assert.ok(name in value, name);
  for (const [name, property] of Object.entries((json.properties ?? {}) as Record<string, Json>)) {
    const member = value[name];
    if (typeof member === "object" && member !== null && !Array.isArray(member)) assertRequired(property, member as Json);
  }
}
