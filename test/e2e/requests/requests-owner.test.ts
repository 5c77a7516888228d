import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "../../support/until.ts";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { assertRefused, call } from "../support/api/api.ts";
import { startSession } from "../support/api/callers.ts";
import { postForm } from "../support/pages/pages.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { eventsOf } from "../support/servers/server-context.ts";
import { withDatabase } from "../support/servers/state.ts";
import { createFileRequest, getByToken, joining, openSubmission, patchRequest, send, tokenOf } from "../support/shares/requests.ts";

/** requests, "States" and "Received files". */
describe("the owner of a request", () => {
  let server: ServerWith<"owner" | "other">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: {}, other: {} });
  });
  after(() => server[Symbol.asyncDispose]());

  test("is named by the event of a file that is ready", async () => {
    const request = await createFileRequest(server, server.owner.key);
    const { body } = await send(server, { requestToken: tokenOf(request) });
    const [event] = await eventsOf(server, body.data.id);
    assert.equal(event?.type, "file.ready");
    assert.equal(JSON.parse(event?.data ?? "{}").requestId, request.id);
  });

  test("informs its owner about received files, with the page of the request", async () => {
    const request = await createFileRequest(server, server.owner.key);
    await send(server, { requestToken: tokenOf(request) });
    const notice = await withDatabase(server, (db) =>
      db.selectFrom("notices").select(["kind", "title", "path"]).where("about", "=", request.id).executeTakeFirst(),
    );
    assert.deepEqual(notice, { kind: "arrived", title: request.title, path: `/requests/${request.id}` });
  });

  test("informs its owner about a file once, also after another scan of the file", async () => {
    const request = await createFileRequest(server, server.owner.key);
    const { id } = (await send(server, { requestToken: tokenOf(request) })).body.data;
    assert.equal((await server.run(["rescan", id])).code, 0);
    await until("the file has passed again", () =>
      withDatabase(server, async (db) => {
        const file = await db.selectFrom("files").select(["scan_status", "scanned_at"]).where("id", "=", id).executeTakeFirst();
        return (file?.scan_status === "clean" && file.scanned_at !== null) || undefined;
      }),
    );
    const counts = await withDatabase(server, (db) => db.selectFrom("notices").select("count").where("about", "=", request.id).execute());
    assert.deepEqual(counts, [{ count: 1 }]);
  });

  test("downloads and shares files by a form that fits the IDs of 1,000", async () => {
    const request = await createFileRequest(server, server.owner.key);
    const { id } = (await send(server, { requestToken: tokenOf(request) })).body.data;
    const cookie = { Cookie: `session=${await startSession(server, server.owner)}` };
    const others = Array.from({ length: 999 }, () => crypto.randomUUID());
    const post = (action: string) => postForm(server, `/requests/${request.id}/${action}`, { fileIds: [id, ...others].join() }, cookie);
    const downloaded = await post("download");
    assert.equal(downloaded.status, 303, downloaded.html);
    // The other files are unknown, which the operation says, not the form.
    assert.equal((await post("share")).status, 404);
  });

  test("is unknown to another account", async () => {
    const request = await createFileRequest(server, server.owner.key);
    const { key } = server.other;
    const refused = { status: 404, code: "NOT_FOUND" };
    assertRefused(await call(server, "GET", `/api/requests/${request.id}`, { key }), refused);
    assertRefused(await patchRequest(server, key, request.id, { closed: true }), refused);
    assertRefused(await call(server, "POST", `/api/requests/${request.id}/rotate`, { key }), refused);
    assertRefused(await call(server, "DELETE", `/api/requests/${request.id}`, { key }), refused);
    assert.equal((await getByToken(server, tokenOf(request))).state, "open");
    assertRefused(await call(server, "GET", "/api/requests/by-token?requestToken=rq_wrong"), refused);
  });

  test("is unknown while its account is disabled, and deleted together with the account", async () => {
    const gone = (await withAccounts(Promise.resolve(server), { other: {} })).other;
    const request = await createFileRequest(server, gone.key, { message: "Secret words" });
    const requestToken = tokenOf(request);
    const submission = await openSubmission(server, requestToken, { senderName: "Ada" });
    const setDisabled = (at: number | null) =>
      withDatabase(server, (db) => db.updateTable("users").set({ disabled_at: at }).where("id", "=", gone.userId).execute());
    await setDisabled(Date.now());
    assertRefused(await send(server, { requestToken }), { status: 404, code: "NOT_FOUND" });
    assertRefused(await send(server, joining(requestToken, submission)), { status: 404, code: "NOT_FOUND" });
    assertRefused(await call(server, "GET", `/api/requests/by-token?requestToken=${requestToken}`), { status: 404, code: "NOT_FOUND" });
    await setDisabled(null);
    assert.equal((await getByToken(server, requestToken)).state, "open");
    await withDatabase(server, async (db) => {
      await db.deleteFrom("shares").where("owner_id", "=", gone.userId).execute();
      await db.deleteFrom("users").where("id", "=", gone.userId).execute();
    });
    assertRefused(await send(server, { requestToken }), { status: 404, code: "NOT_FOUND" });
    const left = await withDatabase(server, async (db) => ({
      request: await db.selectFrom("requests").select(["title", "message", "token"]).where("id", "=", request.id).executeTakeFirst(),
      submissions: await db.selectFrom("request_submissions").select("id").where("request_id", "=", request.id).execute(),
    }));
    assert.deepEqual(left, { request: { title: "", message: null, token: "" }, submissions: [] });
  });
});
