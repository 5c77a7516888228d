import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { ResponseOf } from "../../../src/service/contract.ts";
import type { TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { type ApiResponse, assertRefused, call, clientOf, deleteFile, type InputOf, signedUrl, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

type Listed = ResponseOf<"listDownloadEvents">;

/** listing, "Download events". */
describe("the list of download events", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const list = (key: string, fileId: string, paging: Omit<InputOf<"listDownloadEvents">, "fileId"> = {}): Promise<Listed> =>
    clientOf(server, { key }).call("listDownloadEvents", { fileId, ...paging });
  const events = (key: string, fileId: string, query = ""): Promise<ApiResponse> =>
    call(server, "GET", `/api/files/${fileId}/download-events${query}`, { key });

  test("is ordered oldest first, in pages, without personal data", async () => {
    const { key } = await addAccount(server);
    const file = await upload(server, { bytes: "hello" }, { key });
    assert.deepEqual(await list(key, file.id), { success: true, events: [], nextCursor: null });
    await (await fetch(await signedUrl(server, file.id))).text();
    for (let count = 0; count < 4; count += 1) await signedUrl(server, file.id);
    const body = await until("the completed download is recorded", async () => {
      const listed = await list(key, file.id);
      return listed.events.length === 6 ? listed : undefined;
    });
    assert.deepEqual(body.events.map(({ event_kind }) => event_kind).sort(), [...Array(5).fill("authorized"), "completed"]);
    assert.equal(body.events[0]?.event_kind, "authorized");
    for (const event of body.events) {
      assert.deepEqual(Object.keys(event).sort(), ["client_ua_class", "created_at", "event_kind", "id", "route"]);
      assert.ok(!JSON.stringify(event).includes("127.0.0.1"));
    }
    assert.equal(body.nextCursor, null);

    const paged: Listed["events"] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page: Listed = await list(key, file.id, { limit: 2, cursor });
      paged.push(...page.events);
      cursor = page.nextCursor;
    }
    assert.deepEqual(paged, body.events);
    const last = body.events.at(-1)?.created_at ?? "";
    assert.deepEqual((await list(key, file.id, { cursor: last })).events, []);
  });

  test("is returned only to the owner, and refuses invalid queries", async () => {
    const [ada, bob] = [await addAccount(server), await addAccount(server)];
    const file = await upload(server, { bytes: "x" }, ada);
    const anonymous = await upload(server, { bytes: "x" });
    for (const id of [anonymous.id, "unknown"]) assertRefused(await events(ada.key, id), { status: 404, code: "NOT_FOUND" });
    assertRefused(await events(bob.key, file.id), { status: 404, code: "NOT_FOUND" });
    for (const query of ["?limit=0", "?limit=x", "?cursor=x", "?cursor=2030-13-01"]) {
      assertRefused(await events(ada.key, file.id, query), { status: 400, code: "VALIDATION_FAILED" });
    }
    await deleteFile(server, { fileId: file.id }, { key: ada.key });
    assertRefused(await events(ada.key, file.id), { status: 404, code: "NOT_FOUND" });
  });
});
