import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "../../support/until.ts";
import { type Account, addAccount, type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { askShare, assertRefused, authorize, call, clientOf, getShare, type Upload, upload } from "../support/api/api.ts";
import { uploadShipment } from "../support/pages/pages.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";
import { changeSettings } from "../support/shares/shares.ts";
import { sha256 } from "../support/uploads/multipart.ts";

/** A name and a note that try to leave their place. */
const HOSTILE = `<script>alert(1)</script>"'\u202egnp.exe`;

describe("moderation over the API", () => {
  let server: ServerWith<"administrator" | "second" | "owner">;
  before(async () => {
    server = await withAccounts(startPlainServer({ FILEHOST_LIMITS: '{"rates":{"reports":1000}}' }), {
      administrator: { isAdministrator: true },
      second: { isAdministrator: true },
      owner: {},
    });
  });
  after(() => server[Symbol.asyncDispose]());

  const admin = (account: Account = server.administrator) => clientOf(server, account);
  const report = async (shortId: string, details?: string): Promise<string> =>
    (await clientOf(server).call("createReport", { shortId, reason: "phishing", details })).data.id;
  const auditOf = async (subject: string) => (await admin().call("listAuditLog", { subject })).data.map(({ action }) => action);

  /** reports, "For the administrator". */
  describe("a report", () => {
    test("says whether the file that it names is encrypted, so that the pages do not show a hidden name", async () => {
      const name = "encrypted-0123456789abcdef.tar.age";
      const ids: string[] = [];
      for (const bytes of ["age-encryption.org/v1\n-> X25519 a key", "a file that is only called so"])
        ids.push(await report((await upload(server, { name, bytes }, server.owner)).shortId));
      const { data } = await admin().call("listReports", { limit: 200 });
      assert.deepEqual(
        ids.map((id) => data.find((report) => report.id === id)?.encrypted),
        [true, false],
      );
    });

    test("is listed with its share, and its other reports", async () => {
      const file = await upload(server, { name: HOSTILE, bytes: "pay here" }, server.owner);
      const [first, second] = [await report(file.shortId, HOSTILE), await report(file.shortId)];
      const { data: listed } = await admin().call("listReports", { limit: 200 });
      const found = listed.find(({ id }) => id === first);
      assert.deepEqual([found?.shortId, found?.openReports, found?.shareStatus], [file.shortId, 2, "active"]);
      const { data: details } = await admin().call("getReport", { id: first });
      assert.deepEqual(
        [details.owner?.id, details.files.map(({ file: { id, sha256 } }) => [id, sha256]), details.others.map(({ id }) => id)],
        [server.owner.userId, [[file.id, sha256("pay here")]], [second]],
      );
      assert.match(details.details ?? "", /<script>/);
      const byShare = await admin().call("listReports", { state: "all", byShare: true, limit: 200 });
      assert.deepEqual(
        byShare.data.filter(({ shortId }) => shortId === file.shortId).map(({ id }) => id),
        [second],
        "the latest one of the share",
      );
      const { data: open } = await admin().call("listReports", { byShare: true, limit: 200 });
      assert.deepEqual(
        open.filter(({ shortId }) => shortId === file.shortId).map(({ id }) => id),
        [first],
        "the oldest open one of the share",
      );
    });

    test("is listed in pages of open and of resolved ones", async () => {
      const ids: string[] = [];
      for (let index = 0; index < 3; index += 1) ids.push(await report((await upload(server, { bytes: "x" })).shortId));
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await admin().call("listReports", { state: "open", limit: 2, cursor });
        found.push(...page.data.map(({ id }) => id));
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
      assert.deepEqual(
        found.filter((id) => ids.includes(id)),
        ids,
        "oldest first",
      );
      assert.equal(new Set(found).size, found.length);
    });

    test("is dismissed once, with administrator, reason and time", async () => {
      const file = await upload(server, { bytes: "harmless" });
      const [first, second] = [await report(file.shortId), await report(file.shortId)];
      const { data } = await admin().call("dismissReport", { id: first, note: HOSTILE });
      assert.deepEqual(data, { shortId: file.shortId, resolved: [first] });
      const again = await call(server, "POST", `/api/admin/reports/${first}/dismiss`, { ...server.second, json: {} });
      assertRefused(again, { status: 409, code: "CONFLICT" });
      const taken = await call(server, "POST", `/api/admin/reports/${first}/takedown`, { ...server.second, json: {} });
      assertRefused(taken, { status: 409, code: "CONFLICT" });
      await getShare(server, file.shortId);
      const { data: details } = await admin().call("getReport", { id: first });
      assert.deepEqual(
        [details.outcome, details.resolvedBy, details.openReports],
        ["dismissed", `${server.administrator.userId}@example.org`, 1],
      );
      assert.deepEqual(await auditOf(first), ["report.resolved"]);
      const other = await addAccount(server, { isAdministrator: true });
      await admin(other).call("dismissReport", { id: second, all: true });
      await withDatabase(server, (db) => db.updateTable("users").set({ email_verified: 0 }).where("id", "=", other.userId).execute());
      const { openReports, resolvedBy } = (await admin().call("getReport", { id: second })).data;
      assert.deepEqual([openReports, resolvedBy], [0, other.userId]);
    });

    test("takes its share down with the digest blocked, and resolves the other reports", async () => {
      const bytes = `text ${crypto.randomUUID()}`;
      const [file, copy] = [await upload(server, { bytes }, server.owner), await upload(server, { bytes })];
      const [first, second] = [await report(file.shortId), await report(file.shortId)];
      const { data } = await admin().call("takeDownReported", { id: first, block: true, note: "Court order" });
      assert.deepEqual([data.resolved.sort(), data.blocked], [[first, second].sort(), [sha256(bytes)]]);
      assert.equal((await askShare(server, file.shortId)).status, 404);
      await until("the copy is blocked", async () => (await getShare(server, copy.shortId)).scanStatus === "unavailable");
      assert.equal((await admin().call("getReport", { id: second })).data.outcome, "taken_down");
      await admin().call("restoreTakenDown", { shortId: file.shortId });
      assert.deepEqual(await auditOf(file.shortId), ["share.restored", "share.taken_down"]);
    });

    test("is resolved by one of two administrators, and the other gets a conflict", async () => {
      const file = await upload(server, { bytes: "x" });
      const id = await report(file.shortId);
      const path = `/api/admin/reports/${id}/takedown`;
      const answers = await Promise.all(
        [server.administrator, server.second].map(({ key }) => call(server, "POST", path, { key, json: {} })),
      );
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
      assert.deepEqual(await auditOf(file.shortId), ["share.taken_down"]);
    });

    test("allows to take down one file of its shipment, but not a file of another share", async () => {
      const shipment = await uploadShipment(server, { key: server.owner.key, paths: ["a.txt", "b.txt"] });
      const id = await report(shipment.shortId);
      const other = await upload(server, { bytes: "x" });
      const foreign = await call(server, "POST", `/api/admin/reports/${id}/takedown`, {
        ...server.administrator,
        json: { fileId: other.id },
      });
      assertRefused(foreign, { status: 404, code: "NOT_FOUND" });
      await getShare(server, other.shortId);
      await admin().call("takeDownReported", { id, fileId: shipment.id });
      assert.deepEqual(
        (await getShare(server, shipment.shortId)).files?.map(({ name }) => name),
        ["b.txt"],
      );
    });
  });

  /** administration, "Files". */
  describe("all files", () => {
    const idsOf = async (input: Parameters<ReturnType<typeof admin>["call"]>[1]) =>
      (await admin().call("listAllFiles", input as Record<string, never>)).data.map(({ id }) => id);

    test("are found by name, ID, short ID, link, digest and owner", async () => {
      const word = `w${crypto.randomUUID().slice(0, 8)}`;
      const bytes = crypto.randomUUID();
      const own = await upload(server, { name: `Ärger ${word} 100%.pdf`, bytes }, server.owner);
      const anonymous = await upload(server, { name: `${word}.txt`, bytes: "x" });
      assert.deepEqual(await idsOf({ search: word }), [anonymous.id, own.id]);
      assert.deepEqual(await idsOf({ search: `${word} arger` }), [own.id]);
      for (const search of [own.id, own.shortId, own.shareUrl, sha256(bytes), sha256(bytes).toUpperCase()])
        assert.deepEqual(await idsOf({ search }), [own.id], search);
      const named = { fileId: own.id, alias: "found-by-link" };
      await changeSettings(server, named, server.owner.key);
      assert.deepEqual(await idsOf({ search: `${server.url}/d/Found-By-Link` }), [own.id]);
      assert.deepEqual(await idsOf({ search: word, owner: `${server.owner.userId}@example.org` }), [own.id]);
      assert.deepEqual(await idsOf({ search: word, owner: "anonymous" }), [anonymous.id]);
      assert.deepEqual(await idsOf({ search: word, owner: "nobody@example.org" }), []);
    });

    test("are paged by age and by size without a gap or a repetition", async () => {
      const word = `p${crypto.randomUUID().slice(0, 8)}`;
      const sent: Upload[] = [];
      for (const bytes of ["1", "333", "22", "333", "1"]) sent.push(await upload(server, { name: `${word}.txt`, bytes }));
      for (const sort of ["created", "size"] as const)
        for (const order of ["asc", "desc"] as const) {
          const found: { id: string; sizeBytes: number; createdAt: string }[] = [];
          let cursor: string | undefined;
          do {
            const page = await admin().call("listAllFiles", { search: word, sort, order, limit: 2, cursor });
            found.push(...page.data);
            cursor = page.nextCursor ?? undefined;
          } while (cursor !== undefined);
          assert.deepEqual(found.map(({ id }) => id).sort(), sent.map(({ id }) => id).sort());
          const values = found.map(({ sizeBytes, createdAt }) => (sort === "size" ? sizeBytes : Date.parse(createdAt)));
          assert.deepEqual(
            values,
            values.toSorted((one, other) => (order === "asc" ? one - other : other - one)),
          );
        }
    });

    test("are filtered by state", async () => {
      const word = `s${crypto.randomUUID().slice(0, 8)}`;
      const [ready, taken, expired] = [
        await upload(server, { name: `${word}.txt`, bytes: "1" }),
        await upload(server, { name: `${word}.txt`, bytes: "2" }),
        await upload(server, { name: `${word}.txt`, bytes: "3" }, server.owner),
      ];
      await admin().call("takeDownFile", { fileId: taken.id });
      await clientOf(server, server.owner).call("closeShare", { shortId: expired.shortId });
      assert.deepEqual(await idsOf({ search: word, state: "ready" }), [ready.id]);
      assert.deepEqual(await idsOf({ search: word, state: "taken_down" }), [taken.id]);
      assert.deepEqual(await idsOf({ search: word, state: "expired" }), [expired.id]);
      assert.deepEqual(await idsOf({ search: word, state: "blocked" }), []);
    });

    test("say whether an expired one was used up", async () => {
      const word = `u${crypto.randomUUID().slice(0, 8)}`;
      const usedUp = await upload(server, { name: `${word}.txt`, fields: { once: "true" } }, server.owner);
      await clientOf(server).call("authorizeDownload", { fileId: usedUp.id });
      const { data } = await admin().call("listAllFiles", { search: word });
      assert.deepEqual(
        data.map(({ status, isUsedUp }) => ({ status, isUsedUp })),
        [{ status: "expired", isUsedUp: true }],
      );
    });

    test("are taken down and restored one by one", async () => {
      const shipment = await uploadShipment(server, { key: server.owner.key, paths: ["a.txt", "b.txt"] });
      const namesOf = async () => (await getShare(server, shipment.shortId)).files?.map(({ name }) => name).sort();
      await admin().call("takeDownFile", { fileId: shipment.id });
      assert.deepEqual(await namesOf(), ["b.txt"]);
      assert.equal((await authorize(server, shipment.id)).status, 404);
      const again = await call(server, "POST", `/api/admin/files/${shipment.id}/takedown`, { ...server.second, json: {} });
      assertRefused(again, { status: 409, code: "CONFLICT" });
      await admin().call("restoreFile", { fileId: shipment.id });
      assert.deepEqual(await namesOf(), ["a.txt", "b.txt"]);
      assertRefused(await call(server, "POST", `/api/admin/files/${shipment.id}/restore`, server.second), {
        status: 409,
        code: "CONFLICT",
      });
      assert.deepEqual(await auditOf(shipment.id), ["file.restored", "file.taken_down"]);
    });

    test("are taken down with their share if it has no other file, and restored with it", async () => {
      const file = await upload(server, { bytes: "x" });
      await admin().call("takeDownFile", { fileId: file.id });
      assert.equal((await fetch(`${server.url}/d/${file.shortId}`)).status, 451);
      await admin().call("restoreFile", { fileId: file.id });
      assert.equal((await fetch(`${server.url}/d/${file.shortId}`)).status, 200);
    });

    test("are not restored into a share that has ended meanwhile", async () => {
      const shipment = await uploadShipment(server, { key: server.owner.key, paths: ["a.txt", "b.txt"] });
      await admin().call("takeDownFile", { fileId: shipment.id });
      await clientOf(server, server.owner).call("closeShare", { shortId: shipment.shortId });
      const refused = await call(server, "POST", `/api/admin/files/${shipment.id}/restore`, server.administrator);
      assertRefused(refused, { status: 409, code: "CONFLICT" });
    });

    test("are scanned again, with an entry in the audit log", async () => {
      const file = await upload(server, { bytes: "x" });
      const { data } = await admin().call("rescanFile", { fileId: file.id });
      assert.equal(data.id, file.id);
      await until("it is clean again", async () => (await getShare(server, file.shortId)).scanStatus === "clean");
      assert.deepEqual(await auditOf(file.id), ["file.rescanned"]);
      await admin().call("takeDownFile", { fileId: file.id });
      assertRefused(await call(server, "POST", `/api/admin/files/${file.id}/rescan`, server.administrator), {
        status: 409,
        code: "CONFLICT",
      });
      assertRefused(await call(server, "POST", "/api/admin/files/unknown/rescan", server.administrator), {
        status: 404,
        code: "NOT_FOUND",
      });
    });
  });

  /** administration, "Files". */
  describe("several files", () => {
    const idsOf = (files: readonly { readonly id: string }[]) => files.map(({ id }) => id);
    const codesOf = (refused: readonly { readonly id: string; readonly errorCode: string; readonly error: string }[]) =>
      refused.map(({ id, errorCode, error }) => [id, errorCode, error.length > 20]);

    test("are taken down and restored independently, with an entry in the audit log for each", async () => {
      const shipment = await uploadShipment(server, { key: server.owner.key, paths: ["a.txt", "b.txt", "c.txt"] });
      const ids = idsOf((await admin().call("listAllFiles", { search: shipment.shortId })).data).sort();
      const [first = "", second = "", third = ""] = ids;
      const anonymous = await upload(server, { bytes: "x" });
      await admin().call("takeDownFile", { fileId: second });
      const { data: taken } = await admin().call("takeDownFiles", { fileIds: [first, second, "unknown", anonymous.id, first] });
      assert.deepEqual(
        taken.takenDown.map(({ id, shortId }) => [id, shortId]),
        [
          [first, shipment.shortId],
          [anonymous.id, anonymous.shortId],
        ],
      );
      assert.ok(taken.takenDown.every(({ bytesUntil }) => Date.parse(bytesUntil) > Date.now()));
      assert.deepEqual(codesOf(taken.refused), [
        [second, "CONFLICT", true],
        ["unknown", "NOT_FOUND", true],
      ]);
      assert.deepEqual(await listActive(shipment.shortId), [third]);
      assert.equal((await askShare(server, anonymous.shortId)).status, 404);
      const { data: back } = await admin().call("restoreFiles", { fileIds: [third, ...ids, anonymous.id, "unknown"] });
      assert.deepEqual(idsOf(back.restored), [first, second, anonymous.id]);
      assert.deepEqual(codesOf(back.refused), [
        [third, "CONFLICT", true],
        ["unknown", "NOT_FOUND", true],
      ]);
      assert.deepEqual(await listActive(shipment.shortId), ids);
      for (const id of [first, anonymous.id]) assert.deepEqual(await auditOf(id), ["file.restored", "file.taken_down"]);
      assert.deepEqual([await auditOf(third), await auditOf("unknown")], [[], []]);
    });

    const listActive = async (shortId: string): Promise<string[]> =>
      (await admin().call("listAllFiles", { search: shortId })).data
        .filter(({ status }) => status === "active")
        .map(({ id }) => id)
        .sort();

    test("are blocked with their digests, once for each", async () => {
      const bytes = [crypto.randomUUID(), crypto.randomUUID()];
      const files = await Promise.all(bytes.map((bytes) => upload(server, { bytes })));
      const copy = await upload(server, { bytes: bytes[0] ?? "" });
      const reason = `note ${crypto.randomUUID()}`;
      const { data } = await admin().call("takeDownFiles", { fileIds: [...idsOf(files), copy.id], block: true, reason });
      const digests = bytes.map((text) => sha256(text)).sort();
      assert.deepEqual([data.blocked.toSorted(), data.blockedLater, data.notBlocked], [digests, [], []]);
      const { data: listed } = await admin().call("listBlockedDigests", { search: reason });
      assert.deepEqual(listed.map(({ sha256 }) => sha256).sort(), digests);
    });

    test("are scanned again, except those whose state does not allow it", async () => {
      const [file, taken] = [await upload(server, { bytes: "x" }), await upload(server, { bytes: "x" })];
      await admin().call("takeDownFile", { fileId: taken.id });
      const { data } = await admin().call("rescanFiles", { fileIds: [file.id, taken.id, "unknown"] });
      assert.deepEqual(idsOf(data.queued), [file.id]);
      assert.deepEqual(codesOf(data.refused), [
        [taken.id, "CONFLICT", true],
        ["unknown", "NOT_FOUND", true],
      ]);
      await until("it is clean again", async () => (await getShare(server, file.shortId)).scanStatus === "clean");
      assert.deepEqual(await auditOf(file.id), ["file.rescanned"]);
    });

    test("are refused with 400 if there are none or too many, and nothing is changed", async () => {
      const file = await upload(server, { bytes: "x" });
      const tooMany = [file.id, ...Array.from({ length: 200 }, (_, index) => `id${index}`)];
      for (const action of ["takedown", "restore", "rescan"])
        for (const json of [{ fileIds: [] }, { fileIds: tooMany }, { fileIds: file.id }, {}]) {
          const answer = await call(server, "POST", `/api/admin/files/${action}`, { ...server.administrator, json });
          assertRefused(answer, { status: 400, code: "VALIDATION_FAILED" });
        }
      await getShare(server, file.shortId);
    });

    test("are taken down once for an `Idempotency-Key`", async () => {
      const file = await upload(server, { bytes: "x" });
      const headers = { "Idempotency-Key": `taken-${file.id}` };
      const send = () =>
        call<{ data: object }>(server, "POST", "/api/admin/files/takedown", {
          ...server.administrator,
          headers,
          json: { fileIds: [file.id] },
        });
      const [first, again] = [await send(), await send()];
      assert.deepEqual(again.body.data, { ...first.body.data, idempotent: true });
      assert.deepEqual(await auditOf(file.id), ["file.taken_down"]);
    });
  });

  /** administration, "Access". */
  test("is refused to other callers, without disclosing what exists", async () => {
    const file = await upload(server, { bytes: "x" });
    const id = await report(file.shortId);
    const other = await addAccount(server);
    const calls: readonly (readonly [string, string])[] = [
      ["GET", "/api/admin/reports"],
      ["GET", `/api/admin/reports/${id}`],
      ["POST", `/api/admin/reports/${id}/dismiss`],
      ["POST", `/api/admin/reports/${id}/takedown`],
      ["GET", "/api/admin/files"],
      ["POST", `/api/admin/files/${file.id}/rescan`],
      ["POST", `/api/admin/files/${file.id}/takedown`],
      ["POST", `/api/admin/files/${file.id}/restore`],
      ["POST", "/api/admin/files/rescan"],
      ["POST", "/api/admin/files/takedown"],
      ["POST", "/api/admin/files/restore"],
    ];
    for (const [method, path] of calls) {
      assertRefused(await call(server, method, path, method === "POST" ? { json: {} } : {}), { status: 401, code: "UNAUTHENTICATED" });
      const refused = await call(server, method, path, { ...other, ...(method === "POST" && { json: {} }) });
      assertRefused(refused, { status: 403, code: "FORBIDDEN" });
    }
    await getShare(server, file.shortId);
  });
});
