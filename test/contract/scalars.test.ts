import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { count, dateTime, dateTimeInput, text } from "../../src/contract/scalars.ts";
import { contract, type OperationName } from "../../src/service/contract.ts";

/** envelopes and errors, "Requests". */
test("the length of a text counts code points, as its JSON schema does", () => {
  const two = text(2).nullish();
  for (const good of ["", "ab", "é", "🙂🙂", "🙂b", null, undefined]) assert.ok(two.safeParse(good).success, String(good));
  for (const bad of ["abc", "🙂🙂🙂", "ab🙂", 2]) assert.ok(!two.safeParse(bad).success, String(bad));
  assert.deepEqual(z.toJSONSchema(text(2).min(1).meta({ description: "x" })), {
    ...z.toJSONSchema(z.string()),
    minLength: 1,
    maxLength: 2,
    description: "x",
  });
});

/** limits, "Fields"; listing, "Pages": `maxDownloads` and `page` have a minimum. */
test("a count has the same range as text and as a JSON number", () => {
  for (const good of [1, 50, 999_999_999_999_999]) {
    assert.equal(count.parse(good), good);
    assert.equal(count.parse(String(good)), good);
  }
  for (const bad of [0, -1, 1.5, 1_000_000_000_000_000])
    for (const sent of [bad, String(bad)]) assert.ok(!count.safeParse(sent).success, String(sent));
});

/** sharing, "Publish fields": pending settings of an upload are parsed again. */
test("a time without an offset is in UTC, and parsing it again changes nothing", () => {
  const sent = ["2030-01-31T12:00", "2030-01-31T12:00:00", "2030-01-31T12:00:00.000", "2030-01-31T12:00:00Z", "2030-01-31T13:00:00+01:00"];
  for (const value of sent) {
    const parsed = dateTime.parse(dateTimeInput.parse(value));
    assert.equal(new Date(parsed).toISOString(), "2030-01-31T12:00:00.000Z", value);
    assert.equal(dateTimeInput.parse(parsed), parsed, value);
  }
});

test("every text field accepts its documented length and no more", () => {
  const bounds: readonly [OperationName, string, number][] = [
    ["uploadFile", "handoffMessage", 480],
    ["setLinkProtection", "handoffMessage", 480],
    ["updateShareSettings", "handoffMessage", 480],
    ["updateShareSettings", "title", 120],
    ["updateShareSettings", "message", 480],
    ["initMultipart", "runId", 120],
    ["importFile", "runId", 120],
    ["listFiles", "runId", 120],
    ["listRun", "runId", 120],
    ["registerAgent", "label", 120],
    ["uploadFile", "shareShortId", 16],
  ];
  for (const [name, field, maxLength] of bounds) {
    const { input } = contract[name];
    const isTooLong = (length: number): boolean =>
      input.safeParse({ [field]: "🙂".repeat(length) }).error?.issues.some(({ path }) => path[0] === field) ?? false;
    assert.deepEqual([isTooLong(maxLength), isTooLong(maxLength + 1)], [false, true], `${name}.${field}`);
  }
});
