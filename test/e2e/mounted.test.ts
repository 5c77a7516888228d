import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { operations } from "../../src/contract/index.ts";
import { inputSource } from "../../src/contract/operation.ts";
import type { TestServer } from "../support/server.ts";
import { call } from "./support/api.ts";
import { startPlainServer } from "./support/plain.ts";

/** interface, "Versioning". */
describe("every operation of the contract is served", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  for (const [name, definition] of operations) {
    test(name, async () => {
      const path = `/api${definition.path.replace(/\{\w+\}/g, "nothing")}`;
      const takesJson = inputSource(definition) === "json";
      const { status, body, headers } = await call(server, definition.method, path, takesJson ? { json: {} } : {});
      assert.notEqual(status, 405);
      assert.notEqual(status, 500);
      assert.doesNotMatch(body.error ?? "", /nothing at this address/);
      assert.match(headers.get("content-type") ?? "", /^application\/json/);
      if (definition.access !== "public" && definition.access !== "optional") {
        assert.deepEqual([status, body.success, body.errorCode], [401, false, "UNAUTHENTICATED"]);
      } else {
        assert.notEqual(status, 401);
      }
    });
  }
});
