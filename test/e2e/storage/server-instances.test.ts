import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { joinSwift, swiftMissing, type TestSwift } from "../../support/services/swift.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { assertRefused, authorize, call, clientOf, deleteFile, getShare, signedUrl, upload } from "../support/api/api.ts";
import { type ServerInstances, startServerInstances } from "../support/servers/server-instances.ts";
import { whenFree } from "../support/servers/when-free.ts";
import { untilHealthy } from "../support/shares/scanning.ts";
import {
  type CompletePart,
  complete,
  init,
  MB,
  partUrl,
  postComplete,
  putPart,
  sha256,
  someBytes,
  split,
} from "../support/uploads/multipart.ts";

const many = Array.from({ length: 50 }, (_, index) => index);

for (const { database, count, store, skip } of [
  { database: "server", count: 3, store: "folder", skip: undefined },
  { database: "server", count: 3, store: "bucket", skip: swiftMissing },
  { database: "file", count: 2, store: "folder", skip: undefined },
] as const) {
  describeUnless(skip, `${count} server instances on one database, a ${database}, and one ${store}`, () => {
    let instances: ServerInstances;
    let swift: TestSwift | undefined;
    const bytes = someBytes(100_000);

    before(async () => {
      swift = store === "bucket" ? await joinSwift() : undefined;
      instances = await startServerInstances({ count, database, swift, env: { FILEHOST_SCANNER: "off", FILEHOST_MIN_FREE: "0" } });
    });
    after(async () => {
      await instances[Symbol.asyncDispose]();
    });

    const downloadFrom = async (index: number, url: string): Promise<string | number> => {
      const response = await fetch(instances.at(index, url));
      const body = new Uint8Array(await response.arrayBuffer());
      return response.status === 200 ? sha256(body) : response.status;
    };

    test("exactly one of the instances that start together creates the schema", () => {
      const migrated = instances.all.flatMap((instance) => instance.logs().filter((line) => "migrations" in line));
      assert.equal(migrated.length, 1);
    });

    test("a file uploaded to one instance is shown, signed and sent by every other, and deleted on all of them", async () => {
      const file = await upload(instances.instance(0), { bytes });
      await getShare(instances.instance(1), file.shortId);
      const url = await signedUrl(instances.instance(1), file.id);
      assert.equal(await downloadFrom(2, url), sha256(bytes));
      await deleteFile(instances.instance(2), { fileId: file.id, token: file.deletionToken });
      for (const index of instances.all.keys()) assert.equal(await downloadFrom(index, url), 404);
    });

    test("as many of fifty concurrent download requests to all instances are granted as the limit allows", async () => {
      for (const [fields, granted] of [
        [{ maxDownloads: "3" }, 3],
        [{ once: "true" }, 1],
      ] as const) {
        const file = await upload(instances.instance(0), { bytes, fields });
        const responses = await Promise.all(many.map((index) => whenFree(() => authorize(instances.instance(index), file.id))));
        const urls = responses.flatMap(({ status, body }) => (status === 200 ? [body.url ?? ""] : []));
        assert.equal(urls.length, granted);
        for (const response of responses) if (response.status !== 200) assertRefused(response, { status: 404, code: "NOT_FOUND" });
        assert.deepEqual(await Promise.all(urls.map((url, index) => downloadFrom(index + 1, url))), Array(granted).fill(sha256(bytes)));
      }
    });

    test("a multipart upload may use another instance for each request", async () => {
      const large = someBytes(5 * MB + 123, 7);
      const session = await init(instances.instance(0), { fileSize: large.length, partSize: MB });
      const parts: CompletePart[] = [];
      for (const [index, part] of split(large, session).entries()) {
        const url = await partUrl(instances.instance(index + 1), session, index + 1, part);
        const { status, headers, body } = await putPart(instances.at(index + 2, url), part);
        assert.equal(status, 200, JSON.stringify(body));
        parts.push({ partNumber: index + 1, etag: headers.get("etag") ?? "" });
      }
      const [first, again] = [
        await complete(instances.instance(1), session, { parts }),
        await complete(instances.instance(2), session, { parts }),
      ];
      assert.deepEqual(again, first);
      const { id, shortId } = first;
      await until("it is checked", async () => (await getShare(instances.instance(0), shortId)).scanStatus === "clean");
      assert.equal(await downloadFrom(0, await signedUrl(instances.instance(2), id)), sha256(large));
    });

    test("concurrent complete requests to all instances make one file", async () => {
      const session = await init(instances.instance(0), { fileSize: bytes.length });
      const { status } = await putPart(instances.at(1, await partUrl(instances.instance(1), session, 1, bytes)), bytes);
      assert.equal(status, 200);
      const responses = await Promise.all(many.slice(0, 9).map((index) => postComplete(instances.instance(index), session)));
      for (const response of responses) {
        // A request that meets another complete in progress may be refused with a retry.
        if (response.status === 200) assert.equal(response.body.data.id, session.fileId);
        else assert.ok([409, 503].includes(response.status), JSON.stringify(response.body));
      }
      assert.ok(responses.some(({ status }) => status === 200));
      await complete(instances.instance(1), session);
      const events = await instances.withDatabase((db) =>
        db.selectFrom("files").select("id").where("short_id", "=", session.shortId).execute(),
      );
      assert.equal(events.length, 1);
    });

    test("every scan runs once, on any of the instances", async () => {
      const files = await Promise.all(many.slice(0, 24).map((index) => upload(instances.instance(index), { bytes, name: `${index}.bin` })));
      const ids = files.map(({ id }) => id);
      const ready = () =>
        instances.withDatabase((db) =>
          db.selectFrom("events").select("file_id").where("type", "=", "file.ready").where("file_id", "in", ids).execute(),
        );
      await until("all are ready", async () => (await ready()).length >= ids.length);
      await until("no job is left", () =>
        instances.withDatabase(async (db) => (await db.selectFrom("jobs").select("id").execute()).length === 0),
      );
      assert.deepEqual((await ready()).map(({ file_id }) => file_id).sort(), [...ids].sort());
    });

    test("concurrent wrong codes are counted across all instances", async () => {
      const file = await upload(instances.instance(0), { bytes, fields: { protect: "true" } });
      const guess = (index: number) =>
        whenFree(() =>
          call(instances.instance(index), "POST", "/api/downloads/unlock", { json: { shortId: file.shortId, unlockCode: "AAAAAA" } }),
        );
      const responses = await Promise.all(many.slice(0, 30).map(guess));
      assert.equal(responses.filter(({ status }) => status === 403).length, 10);
      assert.equal(responses.filter(({ status }) => status === 429).length, 20);
    });

    test("concurrent challenges and imports are counted across all instances", async () => {
      const challenges = await Promise.all(
        many.slice(0, 24).map((index) => whenFree(() => call(instances.instance(index), "POST", "/api/agent/register/challenge"))),
      );
      assert.equal(challenges.filter(({ status }) => status === 200).length, 20);
      assert.equal(challenges.filter(({ status }) => status === 429).length, 4);
      const capabilities = await clientOf(instances.instance(0)).call("getCapabilities", {});
      const limit = capabilities.rateLimits.importsAnonymous?.limit;
      assert.ok(limit !== undefined && limit < many.length, JSON.stringify(capabilities.rateLimits));
      const imports = await Promise.all(
        many.map((index) =>
          whenFree(() =>
            call(instances.instance(index), "POST", "/api/files/remote-multipart/init", {
              json: { url: "https://files.example.invalid/a.zip" },
            }),
          ),
        ),
      );
      assert.equal(imports.filter(({ status }) => status === 202).length, limit);
    });

    test("every instance reports good health", async () => {
      for (const instance of instances.all) await untilHealthy(instance);
    });
  });
}
