import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { operations as contractOperations } from "../../src/contract/index.ts";
import { inputSource, pathParameters } from "../../src/contract/operation.ts";
import { operations } from "../../src/operations/index.ts";

/** interface, "Versioning". */
describe("the contract", () => {
  test("each operation is done by one function, and each function by one operation", () => {
    assert.deepEqual(Object.keys(operations).sort(), contractOperations.map(([name]) => name).sort());
  });

  test("no two operations share a method and an address", () => {
    const addresses = contractOperations.map(([, { method, path }]) => `${method} ${path.replace(/\{\w+\}/g, "{}")}`);
    assert.deepEqual(addresses, [...new Set(addresses)]);
  });

  for (const [name, definition] of contractOperations) {
    test(`${name} says what it does, and its address names fields of its input`, () => {
      assert.match(name, /^[a-z]+([A-Z][a-z]+)*$/);
      assert.match(definition.summary, /^[A-Z].{5,80}[^.]$/);
      assert.match(definition.path, /^(\/[a-z][a-z-]*|\/\{[a-z]\w*\})+$/i);
      const fields = Object.keys(definition.input.shape);
      for (const parameter of pathParameters(definition.path)) assert.ok(fields.includes(parameter), parameter);
      if (definition.method === "GET") assert.equal(inputSource(definition), "query");
      for (const status of Object.keys(definition.errors)) assert.ok(Number(status) >= 400, status);
    });
  }
});
