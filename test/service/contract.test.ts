import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { inputSource, pathParameters } from "../../src/contract/operation.ts";
import { operationDefinitions } from "../../src/service/contract.ts";
import { operations } from "../../src/service/operations.ts";

/** openapi, "The OpenAPI document". */
describe("the contract", () => {
  test("every operation has exactly one function", () => {
    assert.deepEqual(Object.keys(operations).sort(), operationDefinitions.map(([name]) => name).sort());
  });

  test("no two operations have the same method and path", () => {
    const routes = operationDefinitions.map(([, { method, path }]) => `${method} ${path.replace(/\{\w+\}/g, "{}")}`);
    assert.deepEqual(routes, [...new Set(routes)]);
  });

  for (const [name, definition] of operationDefinitions) {
    test(`${name} has a summary, and every path parameter is a field of its input`, () => {
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
