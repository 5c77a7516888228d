import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { inputSource } from "../../../src/contract/operation.ts";
import { operationDefinitions } from "../../../src/service/contract.ts";
import type { TestServer } from "../../support/server.ts";
import { call } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

interface Operation {
  readonly operationId: string;
}

interface Document {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, Operation>> & { readonly servers?: readonly { readonly url: string }[] }>
  >;
}

/** openapi, "The OpenAPI document". */
describe("the routes of the contract", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  test("every byte route of the OpenAPI document is served by the server that it names", async () => {
    const { body } = await call<Document>(server, "GET", "/agent-openapi.json");
    let count = 0;
    for (const [path, { servers, ...items }] of Object.entries(body.paths)) {
      if (servers === undefined) continue;
      for (const [method, { operationId }] of Object.entries<Operation>(items)) {
        count += 1;
        assert.equal(new URL(servers[0]?.url ?? "").port, new URL(server.url).port);
        const sent = method === "get" ? {} : { body: "x" };
        const response = await fetch(server.url + path.replace(/\{\w+\}/g, "1"), { method: method.toUpperCase(), ...sent });
        assert.ok([200, 403, 404, 415].includes(response.status), `${operationId}: ${response.status}`);
        assert.doesNotMatch(await response.text(), /Nothing was found at this URL/, operationId);
      }
    }
    assert.equal(count, 7);
  });

  for (const [name, definition] of operationDefinitions) {
    test(`${name} is served as its definition says`, async () => {
      const path = `/api${definition.path.replace(/\{\w+\}/g, "nothing")}`;
      const takesJson = inputSource(definition) === "json";
      const { status, body, headers } = await call(server, definition.method, path, takesJson ? { json: {} } : {});
      assert.notEqual(status, 405);
      assert.notEqual(status, 500);
      assert.doesNotMatch(body.error ?? "", /Nothing was found at this URL/);
      assert.match(headers.get("content-type") ?? "", /^application\/json/);
      if (definition.access !== "public" && definition.access !== "optional") {
        assert.deepEqual([status, body.success, body.errorCode], [401, false, "UNAUTHENTICATED"]);
      } else {
        assert.notEqual(status, 401);
      }
    });
  }
});
