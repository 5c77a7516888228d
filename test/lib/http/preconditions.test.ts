import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { evaluatePreconditions, isRangeCurrent, type PreconditionResult, type Validators } from "../../../src/lib/http/preconditions.ts";

const ID = "0198b6f5";
const TAG = `"${ID}"`;
const MODIFIED_MS = Date.UTC(2025, 5, 1, 12, 0, 0);
const MODIFIED = new Date(MODIFIED_MS).toUTCString();
const LATER = new Date(MODIFIED_MS + 60_000).toUTCString();
const LONG_AGO = "Thu, 01 Jan 1970 00:00:00 GMT";
const CURRENT = { etag: TAG, modifiedMs: MODIFIED_MS };

type Headers = Partial<Record<"If-Match" | "If-Unmodified-Since" | "If-None-Match" | "If-Modified-Since", string>>;

const evaluate = (headers: Headers, current: Validators = CURRENT): PreconditionResult =>
  evaluatePreconditions(
    {
      ifMatch: headers["If-Match"] ?? null,
      ifUnmodifiedSince: headers["If-Unmodified-Since"] ?? null,
      ifNoneMatch: headers["If-None-Match"] ?? null,
      ifModifiedSince: headers["If-Modified-Since"] ?? null,
    },
    current,
  );

/** downloads, "Signed URLs". RFC 9110, 13.1 and 13.2.2. */
describe("the preconditions of a request", () => {
  const cases: readonly (readonly [Headers, PreconditionResult])[] = [
    [{}, "met"],
    [{ "If-Match": TAG }, "met"],
    [{ "If-Match": `"other", ${TAG}` }, "met"],
    [{ "If-Match": "*" }, "met"],
    [{ "If-Match": TAG, "If-None-Match": TAG }, "unchanged"],
    [{ "If-Match": '"other"' }, "refused"],
    [{ "If-Match": `W/${TAG}` }, "refused"],
    [{ "If-Match": ID }, "refused"],
    [{ "If-Match": '"other"', "If-None-Match": TAG }, "refused"],
    [{ "If-Match": '"other"', "If-Unmodified-Since": MODIFIED }, "refused"],
    [{ "If-Match": TAG, "If-Unmodified-Since": LONG_AGO }, "met"],
    [{ "If-Unmodified-Since": MODIFIED }, "met"],
    [{ "If-Unmodified-Since": "yesterday" }, "met"],
    [{ "If-Unmodified-Since": LONG_AGO }, "refused"],
    [{ "If-Unmodified-Since": LONG_AGO, "If-Modified-Since": MODIFIED }, "refused"],
    [{ "If-None-Match": TAG }, "unchanged"],
    [{ "If-None-Match": `"other", W/${TAG}` }, "unchanged"],
    [{ "If-None-Match": "*" }, "unchanged"],
    [{ "If-None-Match": '"other"' }, "met"],
    [{ "If-None-Match": ID }, "met"],
    [{ "If-None-Match": '"other"', "If-Modified-Since": LATER }, "met"],
    [{ "If-Modified-Since": MODIFIED }, "unchanged"],
    [{ "If-Modified-Since": LATER }, "unchanged"],
    [{ "If-Modified-Since": LONG_AGO }, "met"],
    [{ "If-Modified-Since": "yesterday" }, "met"],
  ];
  for (const [headers, result] of cases) test(`${JSON.stringify(headers)} are ${result}`, () => assert.equal(evaluate(headers), result));

  test("`*` and dates are met, and tags are refused, if the file has neither a tag nor a date", () => {
    const none = { etag: null, modifiedMs: null };
    assert.equal(evaluate({ "If-Match": TAG }, none), "refused");
    assert.equal(evaluate({ "If-Match": "*", "If-Unmodified-Since": LONG_AGO }, none), "met");
    assert.equal(evaluate({ "If-Unmodified-Since": LONG_AGO }, none), "met");
  });
});

describe("If-Range", () => {
  for (const header of [undefined, TAG, MODIFIED])
    test(`${header} permits the range`, () => assert.equal(isRangeCurrent(header, CURRENT), true));

  for (const header of ['"other"', `W/${TAG}`, ID, LONG_AGO, "yesterday"])
    test(`${header} returns the whole file`, () => assert.equal(isRangeCurrent(header, CURRENT), false));
});
