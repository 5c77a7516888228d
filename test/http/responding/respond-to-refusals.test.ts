import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AppError, invalidField } from "../../../src/errors.ts";
import { refusedField, respondToRefusals } from "../../../src/http/responding/respond-to-refusals.ts";

const refuse = (error: unknown) => async (): Promise<string> => {
  throw error;
};
const conflict = new AppError("CONFLICT", "It exists.");

describe("answers to refusals", () => {
  test("work that is not refused has its own result", async () => {
    assert.equal(await respondToRefusals(async () => "done", { other: () => "refused" }), "done");
  });

  test("a refusal gets the answer of its code, otherwise the answer `other`", async () => {
    const answers = { CONFLICT: ({ message }: AppError) => message, other: ({ code }: AppError): string => code };
    assert.equal(await respondToRefusals(refuse(conflict), answers), "It exists.");
    assert.equal(await respondToRefusals(refuse(new AppError("NOT_FOUND", "It is gone.")), answers), "NOT_FOUND");
  });

  test("a refusal without an answer is thrown, and so is any other error", async () => {
    await assert.rejects(respondToRefusals(refuse(conflict), { NOT_FOUND: () => "gone" }), conflict);
    const fault = new Error("A fault.");
    await assert.rejects(respondToRefusals(refuse(fault), { other: () => "refused" }), fault);
  });

  test("an error of an answer is thrown, not answered again", async () => {
    const fail = (refusal: AppError): string => {
      throw new AppError("CONFLICT", "It exists still.", { cause: refusal });
    };
    await assert.rejects(respondToRefusals(refuse(conflict), { CONFLICT: fail }), { message: "It exists still." });
  });

  test("the field of a refused list is the list", () => {
    assert.equal(refusedField(invalidField("events.3", "Unknown event.")), "events");
    assert.equal(refusedField(conflict), undefined);
  });
});
