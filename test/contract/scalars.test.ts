import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { contract, type OperationName } from "../../src/contract/index.ts";
import { count, dateTime, sentDateTime, text } from "../../src/contract/scalars.ts";

/** interface, "Limits": lengths are in characters, as the document that describes them counts them too. */
test("a text's length is in characters, of which an emoji is one", () => {
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

/** interface, "Limits": `maxDownloads` and `page` have a minimum. */
test("a number may be as large in a form as in JSON", () => {
  for (const good of [1, 50, 999_999_999_999_999]) {
    assert.equal(count.parse(good), good);
    assert.equal(count.parse(String(good)), good);
  }
  for (const bad of [0, -1, 1.5, 1_000_000_000_000_000])
    for (const sent of [bad, String(bad)]) assert.ok(!count.safeParse(sent).success, String(sent));
});

/** interface, "Publish fields": settings that wait with an upload are read again. */
test("a time without an offset is in UTC, to the minute or finer, and stays what it has become", () => {
  const sent = ["2030-01-31T12:00", "2030-01-31T12:00:00", "2030-01-31T12:00:00.000", "2030-01-31T12:00:00Z", "2030-01-31T13:00:00+01:00"];
  for (const value of sent) {
    const parsed = dateTime.parse(sentDateTime.parse(value));
    assert.equal(new Date(parsed).toISOString(), "2030-01-31T12:00:00.000Z", value);
    assert.equal(sentDateTime.parse(parsed), parsed, value);
  }
});

test("the texts of the interface have their lengths, to the character", () => {
  const bounds: readonly [OperationName, string, number][] = [
    ["uploadFile", "handoffMessage", 480],
    ["setLinkProtection", "handoffMessage", 480],
    ["updateShareSettings", "handoffMessage", 480],
    ["initMultipart", "runId", 120],
    ["importFile", "runId", 120],
    ["listFiles", "runId", 120],
    ["listRun", "runId", 120],
    ["registerAgent", "label", 120],
    ["uploadFile", "shareShortId", 16],
  ];
  for (const [name, field, most] of bounds) {
    const { input } = contract[name];
    const isTooLong = (length: number): boolean =>
      input.safeParse({ [field]: "🙂".repeat(length) }).error?.issues.some(({ path }) => path[0] === field) ?? false;
    assert.deepEqual([isTooLong(most), isTooLong(most + 1)], [false, true], `${name}.${field}`);
  }
});
