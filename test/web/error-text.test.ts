import assert from "node:assert/strict";
import { test } from "node:test";
import { ERRORS } from "../../src/errors.ts";
import { errorText } from "../../web/site/error-text.ts";
import { catalogue } from "../../web/texts/catalogue.ts";

/** Codes of requests with an API key, of imports, registration and selling, which no page sends. */
const FOR_PROGRAMS = [
  /^REMOTE_/,
  /CHALLENGE$|^POW_|^INSUFFICIENT_|^IP_MISMATCH$/,
  /^SELLING_/,
  /^(NO_URL|URL_NOT_ALLOWED|TOO_MANY_WEBHOOKS|NOT_ACCEPTABLE)$/,
];
/** Codes whose pages have their own text. */
const WITH_PAGE = ["CROSS_SITE_REQUEST", "PAYMENT_REQUIRED", "SOLD_OUT", "UNLOCK_INVALID", "UNLOCK_REQUIRED"];
/** Codes whose text depends on the error's fields. */
const WITH_FIELDS = ["EXPIRY_TOO_LONG", "QUOTA_EXCEEDED", "RATE_LIMITED", "VALIDATION_FAILED"];

const { en, de, fr } = catalogue;

/** pages, "Errors". */
test("every error that pages can show has a text", () => {
  const shown = Object.keys(ERRORS).filter((code) => !FOR_PROGRAMS.some((pattern) => pattern.test(code)));
  assert.deepEqual([...Object.keys(en.errors.byCode), ...WITH_FIELDS, ...WITH_PAGE].toSorted(), shown.toSorted());
  for (const code of Object.keys(en.errors.byCode)) assert.ok(errorText(de.errors, "de", { errorCode: code }), code);
  assert.equal(errorText(de.errors, "de", { errorCode: "toString" }), undefined);
  assert.equal(errorText(de.errors, "de", { errorCode: "NO_URL" }), undefined);
});

test("texts of errors name limits and times in the language of the page", () => {
  const tooLarge = { errorCode: "QUOTA_EXCEEDED", limitKind: "FILE_SIZE", limitBytes: 1.5 * 1024 ** 3 };
  assert.match(errorText(en.errors, "en", tooLarge) ?? "", /at most 1\.5\sGB/);
  assert.match(errorText(de.errors, "de", tooLarge) ?? "", /höchstens 1,5\sGB/);
  assert.match(errorText(fr.errors, "fr", tooLarge) ?? "", /1,5\sGo au maximum/);
  const storage = { errorCode: "QUOTA_EXCEEDED", limitKind: "ANON_STORAGE_QUOTA", limitBytes: 1024 };
  assert.match(errorText(en.errors, "en", storage) ?? "", /storage of 1\sKB/);
  const files = { errorCode: "QUOTA_EXCEEDED", limitKind: "FILE_COUNT", limitBytes: null, limitFiles: 100_000 };
  assert.match(errorText(de.errors, "de", files) ?? "", /100\.000\sDateien/);
  const shipment = { errorCode: "QUOTA_EXCEEDED", limitKind: "SHIPMENT_QUOTA", limitBytes: null };
  assert.equal(errorText(en.errors, "en", shipment), en.errors.shipmentFull);
  const ingest = { errorCode: "QUOTA_EXCEEDED", limitKind: "INGEST_BUDGET", limitBytes: 5 };
  assert.equal(errorText(en.errors, "en", ingest), en.errors.ingestFull);
  assert.match(errorText(de.errors, "de", { errorCode: "EXPIRY_TOO_LONG", maxTtlSeconds: 259_200 }) ?? "", /3\sTage/);
  assert.match(errorText(fr.errors, "fr", { errorCode: "RATE_LIMITED", retryAfterSeconds: 20 }) ?? "", /20\ssecondes/);
});

test("texts of errors name the invalid fields, if all of them have a text", () => {
  const invalid = (...paths: string[]) => ({ errorCode: "VALIDATION_FAILED", issues: paths.map((path) => ({ path })) });
  assert.match(errorText(de.errors, "de", invalid("maxDownloads")) ?? "", /„Höchstzahl der Downloads“/);
  assert.match(errorText(en.errors, "en", invalid("title", "message")) ?? "", /^“Title”: .* “Message”: /);
  for (const error of [
    invalid("claimToken"),
    invalid("title", "claimToken"),
    invalid("toString"),
    invalid(),
    { errorCode: "VALIDATION_FAILED" },
  ])
    assert.equal(errorText(fr.errors, "fr", error), undefined);
  for (const field of ["ttl", "maxDownloads", "title", "message"]) assert.ok(errorText(fr.errors, "fr", invalid(field)), field);
});
