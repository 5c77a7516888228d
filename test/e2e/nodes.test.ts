import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startSwift, swiftMissing, type TestSwift } from "../support/swift.ts";
import { until } from "../support/until.ts";
import { assertRefused, authorize, call, getShare, upload } from "./support/api.ts";
import { type Arrived, init, MB, partUrl, postComplete, putPart, sha256, someBytes, split } from "./support/multipart.ts";
import { type Nodes, startNodes } from "./support/nodes.ts";

const many = Array.from({ length: 50 }, (_, index) => index);

for (const { database, count, store, skip } of [
  { database: "server", count: 3, store: "folder", skip: undefined },
  { database: "server", count: 3, store: "bucket", skip: swiftMissing },
  { database: "file", count: 2, store: "folder", skip: undefined },
] as const) {
  describe(`${count} nodes on one database, a ${database}, and one ${store}`, { skip }, () => {
    let nodes: Nodes;
    let swift: TestSwift | undefined;
    const bytes = someBytes(100_000);

    before(async () => {
      swift = store === "bucket" ? await startSwift() : undefined;
      nodes = await startNodes({ count, database, swift, env: { FILEHOST_SCANNER: "off", FILEHOST_MIN_FREE: "0" } });
    });
    after(async () => {
      await nodes[Symbol.asyncDispose]();
      await swift?.[Symbol.asyncDispose]();
    });

    const deliver = async (index: number, url: string): Promise<string | number> => {
      const response = await fetch(nodes.at(index, url));
      const body = new Uint8Array(await response.arrayBuffer());
      return response.status === 200 ? sha256(body) : response.status;
    };

    test("of those that start at once, one makes the schema", () => {
      const migrated = nodes.all.flatMap((node) => node.logs().filter((line) => "migrations" in line));
      assert.equal(migrated.length, 1);
    });

    test("what one takes, any other tells of, signs for and delivers; deleted on one, it is gone on all", async () => {
      const file = await upload(nodes.node(0), { bytes });
      assert.equal((await getShare(nodes.node(1), file.shortId)).status, 200);
      const { body } = await authorize(nodes.node(1), file.id);
      assert.equal(await deliver(2, body.url ?? ""), sha256(bytes));
      const gone = await call(nodes.node(2), "DELETE", `/api/files/delete?fileId=${file.id}&token=${file.deletionToken}`);
      assert.equal(gone.status, 200);
      for (const index of nodes.all.keys()) assert.equal(await deliver(index, body.url ?? ""), 404);
    });

    test("of fifty at once, over all nodes, exactly three are let through, and once means once", async () => {
      for (const [fields, granted] of [
        [{ maxDownloads: "3" }, 3],
        [{ once: "true" }, 1],
      ] as const) {
        const file = await upload(nodes.node(0), { bytes, fields });
        const answers = await Promise.all(many.map((index) => authorize(nodes.node(index), file.id)));
        const urls = answers.flatMap(({ status, body }) => (status === 200 ? [body.url ?? ""] : []));
        assert.equal(urls.length, granted);
        for (const answer of answers) if (answer.status !== 200) assertRefused(answer, { status: 404, code: "NOT_FOUND" });
        assert.deepEqual(await Promise.all(urls.map((url, index) => deliver(index + 1, url))), Array(granted).fill(sha256(bytes)));
      }
    });

    test("a multipart upload goes to another node at each request", async () => {
      const large = someBytes(5 * MB + 123, 7);
      const session = await init(nodes.node(0), { fileSize: large.length, partSize: MB });
      const parts: Arrived[] = [];
      for (const [index, part] of split(large, session).entries()) {
        const url = await partUrl(nodes.node(index + 1), session, index + 1, part);
        const { status, headers, body } = await putPart(nodes.at(index + 2, url), part);
        assert.equal(status, 200, JSON.stringify(body));
        parts.push({ partNumber: index + 1, etag: headers.get("etag") ?? "" });
      }
      const [first, again] = [await postComplete(nodes.node(1), session, { parts }), await postComplete(nodes.node(2), session, { parts })];
      assert.equal(first.status, 200, JSON.stringify(first.body));
      assert.deepEqual(again.body.data, first.body.data);
      const { id, shortId } = first.body.data;
      await until("it is checked", async () => (await getShare(nodes.node(0), shortId)).body.scanStatus === "clean");
      const { body } = await authorize(nodes.node(2), id);
      assert.equal(await deliver(0, body.url ?? ""), sha256(large));
    });

    test("its complete, called on all nodes at once, makes one file", async () => {
      const session = await init(nodes.node(0), { fileSize: bytes.length });
      const { status } = await putPart(nodes.at(1, await partUrl(nodes.node(1), session, 1, bytes)), bytes);
      assert.equal(status, 200);
      const answers = await Promise.all(many.slice(0, 9).map((index) => postComplete(nodes.node(index), session)));
      for (const answer of answers) {
        // One that comes while another completes may be told to come again.
        if (answer.status === 200) assert.equal(answer.body.data.id, session.fileId);
        else assert.ok([409, 503].includes(answer.status), JSON.stringify(answer.body));
      }
      assert.ok(answers.some(({ status }) => status === 200));
      assert.equal((await postComplete(nodes.node(1), session)).status, 200);
      const events = await nodes.withDatabase((db) =>
        db.selectFrom("files").select("id").where("short_id", "=", session.shortId).execute(),
      );
      assert.equal(events.length, 1);
    });

    test("every check runs once, whoever runs it", async () => {
      const files = await Promise.all(many.slice(0, 24).map((index) => upload(nodes.node(index), { bytes, name: `${index}.bin` })));
      const ids = files.map(({ id }) => id);
      const ready = () =>
        nodes.withDatabase((db) =>
          db.selectFrom("events").select("file_id").where("type", "=", "file.ready").where("file_id", "in", ids).execute(),
        );
      await until("all are ready", async () => (await ready()).length >= ids.length);
      await until("no job is left", () =>
        nodes.withDatabase(async (db) => (await db.selectFrom("jobs").select("id").execute()).length === 0),
      );
      assert.deepEqual((await ready()).map(({ file_id }) => file_id).sort(), [...ids].sort());
    });

    test("wrong codes are counted together, also at once", async () => {
      const file = await upload(nodes.node(0), { bytes, fields: { protect: "true" } });
      const guess = (index: number) =>
        call(nodes.node(index), "POST", "/api/downloads/unlock", { json: { shortId: file.shortId, unlockCode: "AAAAAA" } });
      const answers = await Promise.all(many.slice(0, 30).map(guess));
      assert.equal(answers.filter(({ status }) => status === 403).length, 10);
      assert.equal(answers.filter(({ status }) => status === 429).length, 20);
    });

    test("challenges and imports are counted together, also at once", async () => {
      const challenges = await Promise.all(
        many.slice(0, 24).map((index) => call(nodes.node(index), "POST", "/api/agent/register/challenge")),
      );
      assert.equal(challenges.filter(({ status }) => status === 200).length, 20);
      assert.equal(challenges.filter(({ status }) => status === 429).length, 4);
      const { body } = await call<{ rateLimits: Record<string, { limit: number }> }>(nodes.node(0), "GET", "/api/agent/capabilities");
      const limit = body.rateLimits.importsAnonymous?.limit;
      assert.ok(limit !== undefined && limit < many.length, JSON.stringify(body.rateLimits));
      const imports = await Promise.all(
        many.map((index) =>
          call(nodes.node(index), "POST", "/api/files/remote-multipart/init", { json: { url: "https://files.example.invalid/a.zip" } }),
        ),
      );
      assert.equal(imports.filter(({ status }) => status === 202).length, limit);
    });

    test("health is well on all", async () => {
      for (const node of nodes.all) assert.equal((await call(node, "GET", "/health")).status, 200);
    });
  });
}
