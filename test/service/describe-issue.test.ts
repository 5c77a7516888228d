import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { describeIssue } from "../../src/service/describe-issue.ts";

/** envelopes and errors, "Errors": a refusal says what to send instead. */
test("describes the valid values of an invalid field", () => {
  const cases: readonly [schema: z.ZodType, sent: unknown, told: string][] = [
    [z.string(), undefined, "is required"],
    [z.string(), 5, "give a string"],
    [z.int(), 1.5, "give a whole number"],
    [z.int().min(3), 2, "give at least 3"],
    [z.int().max(3), 4, "give at most 3"],
    [z.boolean(), "x", "give true or false"],
    [z.string().min(1), "", "give at least 1 character"],
    [z.string().min(8), "1234567", "give at least 8 characters"],
    [z.array(z.string()).max(2), ["a", "b", "c"], "give at most 2 items"],
    [z.array(z.string()), {}, "give an array"],
    [z.record(z.string(), z.string()), [], "give an object"],
    [z.record(z.string().regex(/^\d+$/, "name it by a number"), z.string()), { x: "y" }, "name it by a number"],
    [z.enum(["a", "b"]), "c", "give one of a, b"],
    [z.literal("a"), "b", "give a"],
    [z.uuid(), "x", "give a UUID"],
    [z.string().regex(/x/, "give an x"), "y", "give an x"],
    [z.union([z.literal(0), z.int().min(5)], "give 0, or at least 5"), "x", "give 0, or at least 5"],
  ];
  for (const [schema, sent, told] of cases) {
    const { error } = schema.safeParse(sent, { error: describeIssue });
    assert.deepEqual(
      error?.issues.map(({ message }) => message),
      [told],
    );
  }
});
