import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createKeyring } from "../../../src/lib/secrets/secrets.ts";
import { signToken, verifyToken } from "../../../src/lib/secrets/signed-token.ts";

const signer = createKeyring("a".repeat(64));
const FIELDS = ["id", 3, "grant"];
const EXPIRES_AT = 1_893_456_000;
const token = signToken(signer, "download", FIELDS, EXPIRES_AT);

describe("a signed token", () => {
  test("is valid until its expiry for the signed purpose and fields", () => {
    assert.equal(verifyToken(signer, "download", FIELDS, token), EXPIRES_AT);
    assert.equal(token.expiry, EXPIRES_AT.toString(36));
    assert.match(token.signature, /^[\w-]{43}$/);
  });

  const cases: Record<string, Parameters<typeof verifyToken>> = {
    "another purpose": [signer, "archive", FIELDS, token],
    "another field": [signer, "download", ["id", 4, "grant"], token],
    "a field less": [signer, "download", ["id", 3], token],
    "fields in another order": [signer, "download", ["grant", 3, "id"], token],
    "two fields joined to one": [signer, "download", ['id",3,"grant'], token],
    "two fields joined by a line break": [signer, "download", ["id\n3", "grant"], token],
    "a later expiry": [signer, "download", FIELDS, { ...token, expiry: (EXPIRES_AT + 1).toString(36) }],
    "the same expiry, written otherwise": [signer, "download", FIELDS, { ...token, expiry: `0${token.expiry}` }],
    "the same expiry in capitals": [signer, "download", FIELDS, { ...token, expiry: token.expiry.toUpperCase() }],
    "no expiry": [signer, "download", FIELDS, { ...token, expiry: "" }],
    "another signature": [signer, "download", FIELDS, { ...token, signature: `${token.signature.slice(1)}A` }],
    "a longer signature": [signer, "download", FIELDS, { ...token, signature: `${token.signature}A` }],
    "no signature": [signer, "download", FIELDS, { ...token, signature: "" }],
    "another secret": [createKeyring("b".repeat(64)), "download", FIELDS, token],
  };
  for (const [name, parameters] of Object.entries(cases)) {
    test(`is refused for ${name}`, () => assert.equal(verifyToken(...parameters), undefined));
  }
});
