import assert from "node:assert/strict";
import { test } from "node:test";
import { OPERATION_PATHS } from "../../src/http/operation-paths.ts";
import { operationDefinitions } from "../../src/service/contract.ts";

test("lists every operation in the route table at the path of its contract", () => {
  const expected = Object.fromEntries(operationDefinitions.map(([name, { method, path }]) => [name, `${method} ${path}`]));
  assert.deepEqual(OPERATION_PATHS, expected);
});
