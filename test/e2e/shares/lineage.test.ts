import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { assertRefused, call, deleteFile, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { changeSettings, shareFiles } from "../support/shares/shares.ts";

/** sharing, "Immutable files and lineage". */
describe("a file with derived files", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  test("can be deleted after the derived files are deleted", async () => {
    const { key } = await addAccount(server);
    const parent = await upload(server, { bytes: "parent" }, { key });
    const child = await upload(server, { bytes: "child" }, { key });
    await changeSettings(server, { fileId: child.id, upstreamFileIds: [parent.id] }, key);
    assertRefused(await call(server, "DELETE", `/api/files/delete?fileId=${parent.id}`, { key }), { status: 409, code: "IMMUTABLE" });
    await deleteFile(server, { fileId: child.id }, { key });
    await deleteFile(server, { fileId: parent.id }, { key });
  });

  test("is another file, not another place of the same one, and its named place stays in its share", async () => {
    const { key } = await addAccount(server);
    const parent = await upload(server, { bytes: "parent" }, { key });
    const { ids } = await shareFiles(server, { fileIds: [parent.id] }, key);
    const [place = ""] = ids;
    const change = (fileId: string, upstreamFileIds: readonly string[]) =>
      call(server, "PATCH", "/api/files/share-settings", { key, json: { fileId, upstreamFileIds } });
    assertRefused(await change(parent.id, [place]), { status: 404, code: "NOT_FOUND" });
    const child = await upload(server, { bytes: "child" }, { key });
    assert.equal((await change(child.id, [place])).status, 200);
    const move = { fileIds: [parent.id, place], move: true };
    assertRefused(await call(server, "POST", "/api/files/share", { key, json: move }), { status: 409, code: "IMMUTABLE" });
    assert.equal((await call(server, "POST", "/api/files/share", { key, json: { ...move, force: true } })).status, 200);
  });
});
