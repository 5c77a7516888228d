import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../support/server.ts";
import { addAccount } from "./support/accounts.ts";
import { type Answer, assertRefused, call, upload } from "./support/api.ts";
import { startPlainServer } from "./support/plain-server.ts";

/** sharing, "Immutable files and lineage". */
describe("a file with derived files", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  test("can be deleted once those are deleted", async () => {
    const { key } = await addAccount(server);
    const parent = await upload(server, { bytes: "parent" }, { key });
    const child = await upload(server, { bytes: "child" }, { key });
    const named = await call(server, "PATCH", "/api/files/share-settings", {
      key,
      json: { fileId: child.id, upstreamFileIds: [parent.id] },
    });
    assert.equal(named.status, 200, JSON.stringify(named.body));
    const remove = (fileId: string): Promise<Answer> => call(server, "DELETE", `/api/files/delete?fileId=${fileId}`, { key });
    assertRefused(await remove(parent.id), { status: 409, code: "IMMUTABLE" });
    assert.equal((await remove(child.id)).status, 200);
    assert.equal((await remove(parent.id)).status, 200);
  });
});
