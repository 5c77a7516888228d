import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Ctx, RequestContext } from "../../../src/context.ts";
import { AppError, type ErrorCode } from "../../../src/errors.ts";
import { createKeyring } from "../../../src/lib/secrets/secrets.ts";
import { DAY_MS } from "../../../src/lib/text/duration.ts";
import type { UserActor } from "../../../src/service/accounts/actor.ts";
import { THIS_MACHINE } from "../../../src/service/accounts/administrator.ts";
import { deleteClosedUser } from "../../../src/service/accounts/deleted-users.ts";
import { deleteUser } from "../../../src/service/administration/delete-account.ts";
import { addUser } from "../../../src/service/administration/users.ts";
import { deleteAccountFiles } from "../../../src/service/files/delete-account-files.ts";
import { deleteFile } from "../../../src/service/files/delete-file.ts";
import { deleteOldEmptyShares, deleteOldFileRows, removeDueFiles } from "../../../src/service/files/remove-bytes.ts";
import { updateShareSettings } from "../../../src/service/files/update-share-settings.ts";
import { createShare } from "../../../src/service/shares/create-share.ts";
import { closeShareRows, findLinkedShare, findShare } from "../../../src/service/shares/queries.ts";
import { isReservedAlias } from "../../../src/service/shares/reserved-aliases.ts";
import { completeMultipart } from "../../../src/service/uploads/complete-multipart.ts";
import { initMultipart } from "../../../src/service/uploads/init-multipart.ts";
import { storeForm } from "../../../src/service/uploads/upload-form.ts";
import { uploadStream } from "../../../src/service/uploads/upload-stream.ts";
import { openProcesses } from "../../jobs/support.ts";
import { callOf } from "../owner-calls.ts";

async function newOwner(ctx: Ctx, name: string): Promise<RequestContext & { readonly userId: string }> {
  const { id } = await addUser(ctx, THIS_MACHINE, { email: `${name}@example.org`, name });
  return { ...callOf(id), userId: id };
}

const newShare = async (ctx: Ctx, call: RequestContext): Promise<string> => (await createShare(ctx, call, {})).shortId;
const setTo = (ctx: Ctx, call: RequestContext, shortId: string, alias: string | null) => updateShareSettings(ctx, call, { shortId, alias });
const find = async (ctx: Ctx, alias: string): Promise<string | undefined> => (await findLinkedShare(ctx.db, alias))?.short_id;
const withCode = (code: ErrorCode) => (error: unknown) => error instanceof AppError && error.code === code;
const stored = (ctx: Ctx) => ctx.db.selectFrom("share_aliases").selectAll().execute();

/** sharing, "Aliases". */
describe("aliases of shares", () => {
  test("lead to the share in any case, also the earlier ones, until they are removed", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const owner = await newOwner(ctx, "ada");
    const shortId = await newShare(ctx, owner);
    assert.equal((await setTo(ctx, owner, shortId, "trip-to-rome")).alias, "trip-to-rome");
    await setTo(ctx, owner, shortId, "rome-2026");
    for (const alias of ["trip-to-rome", "Trip-To-Rome", "rome-2026"]) assert.equal(await find(ctx, alias), shortId);
    assert.equal((await setTo(ctx, owner, shortId, null)).alias, null);
    for (const alias of ["trip-to-rome", "rome-2026"]) assert.equal(await find(ctx, alias), undefined);
    await setTo(ctx, owner, shortId, "trip-to-rome");
    assert.equal(await find(ctx, "trip-to-rome"), shortId);
  });

  test("two processes that ask for the same alias get it once", async () => {
    await using processes = await openProcesses();
    const [one, other] = processes.ctxs;
    const owners = [await newOwner(one, "ada"), await newOwner(one, "bob")] as const;
    const shares = [await newShare(one, owners[0]), await newShare(one, owners[1])] as const;
    const results = await Promise.allSettled([
      setTo(one, owners[0], shares[0], "same-name"),
      setTo(other, owners[1], shares[1], "same-name"),
    ]);
    const refused = results.filter((result) => result.status === "rejected");
    assert.deepEqual(
      refused.map(({ reason }) => reason instanceof AppError && reason.code),
      ["ALIAS_TAKEN"],
    );
    assert.equal((await stored(one)).length, 1);
  });

  test("are never given to another account, not even when share and account are gone", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const [owner, other] = [await newOwner(ctx, "ada"), await newOwner(ctx, "bob")];
    const body = new Blob(["hello"]).stream();
    const file = await uploadStream(ctx, owner, {
      name: "a.txt",
      type: "text/plain",
      sizeBytes: 5,
      body,
      publish: { alias: "trip-to-rome" },
    });
    const others = await newShare(ctx, other);
    await assert.rejects(setTo(ctx, other, others, "trip-to-rome"), withCode("ALIAS_TAKEN"));
    await deleteFile(ctx, owner, { fileId: file.id });
    await assert.rejects(setTo(ctx, other, others, "trip-to-rome"), withCode("ALIAS_TAKEN"));
    await deleteUser(ctx, THIS_MACHINE, { id: owner.userId, confirm: "ada@example.org" });
    await deleteAccountFiles(ctx, owner.userId);
    await removeDueFiles(ctx);
    processes.clock.nowMs += 40 * DAY_MS;
    await deleteOldFileRows(ctx);
    await deleteOldEmptyShares(ctx);
    assert.equal(await ctx.transaction((ctx) => deleteClosedUser(ctx.db, owner.userId)), true);
    const [row] = await stored(ctx);
    assert.deepEqual([row?.alias, row?.short_id, row?.owner_id], [null, null, null]);
    assert.ok(!JSON.stringify(row).includes("rome"));
    const last = await newShare(ctx, other);
    await assert.rejects(setTo(ctx, other, last, "trip-to-rome"), withCode("ALIAS_TAKEN"));
  });

  test("can be used again by the account once its share has ended", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const owner = await newOwner(ctx, "ada");
    const [first, second] = [await newShare(ctx, owner), await newShare(ctx, owner)];
    await setTo(ctx, owner, first, "trip-to-rome");
    await assert.rejects(setTo(ctx, owner, second, "trip-to-rome"), withCode("ALIAS_TAKEN"));
    await deleteFile(ctx, owner, { fileId: first });
    await setTo(ctx, owner, second, "trip-to-rome");
    assert.equal(await find(ctx, "trip-to-rome"), second);
    const rows = await ctx.db.selectFrom("shares").select(["short_id", "alias"]).where("alias", "is not", null).execute();
    assert.deepEqual(rows, [{ short_id: second, alias: "trip-to-rome" }]);
  });

  test("stay unique and lead to their shares after the server's secret was replaced", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const [owner, other] = [await newOwner(ctx, "ada"), await newOwner(ctx, "bob")];
    const [shortId, others] = [await newShare(ctx, owner), await newShare(ctx, other)];
    await setTo(ctx, owner, shortId, "trip-to-rome");
    const keyring = createKeyring("another secret of the server");
    const later: Ctx = { ...ctx, keyring, transaction: (work) => ctx.transaction((inner) => work({ ...inner, keyring })) };
    assert.equal(await find(later, "trip-to-rome"), shortId);
    await assert.rejects(setTo(later, other, others, "trip-to-rome"), withCode("ALIAS_TAKEN"));
    await setTo(later, owner, shortId, "rome-2026");
    await setTo(later, owner, shortId, "trip-to-rome");
    assert.equal((await stored(ctx)).length, 2);
  });

  test("a share and an account have limits, and requests for taken names count", async () => {
    await using processes = await openProcesses({ FILEHOST_LIMITS: JSON.stringify({ rates: { aliases: 8 } }) });
    const [ctx] = processes.ctxs;
    const [owner, other] = [await newOwner(ctx, "ada"), await newOwner(ctx, "bob")];
    const [shortId, others] = [await newShare(ctx, owner), await newShare(ctx, other)];
    await setTo(ctx, other, others, "bobs-name");
    for (let n = 1; n <= 5; n++) await setTo(ctx, owner, shortId, `name-${n}`);
    await assert.rejects(setTo(ctx, owner, shortId, "name-6"), withCode("TOO_MANY_ALIASES"));
    for (let n = 1; n <= 2; n++) await assert.rejects(setTo(ctx, owner, shortId, "bobs-name"), withCode("ALIAS_TAKEN"));
    await assert.rejects(setTo(ctx, owner, shortId, "bobs-name"), withCode("RATE_LIMITED"));
    processes.clock.nowMs += DAY_MS;
    await assert.rejects(setTo(ctx, owner, shortId, "bobs-name"), withCode("ALIAS_TAKEN"));
  });

  test("an account whose address is not verified cannot choose one", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const owner = await newOwner(ctx, "ada");
    const unverified = { ...owner, actor: { ...owner.actor, isUnverified: true } as UserActor };
    await assert.rejects(setTo(ctx, unverified, await newShare(ctx, owner), "trip-to-rome"), withCode("FORBIDDEN"));
    await assert.rejects(createShare(ctx, unverified, { alias: "trip-to-rome" }), withCode("FORBIDDEN"));
    assert.deepEqual(await stored(ctx), []);
  });

  test("the alias of a file that joined a shipment ends with the aliases of the shipment, and can move to it", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const owner = await newOwner(ctx, "ada");
    const [shipment, another] = [await newShare(ctx, owner), await newShare(ctx, owner)];
    const { uploadId, key, shortId } = await initMultipart(ctx, owner, { fileName: "a", fileSize: 0, alias: "in-parts" });
    await completeMultipart(ctx, owner, { uploadId, key, shareShortId: shipment });
    assert.equal(await find(ctx, "in-parts"), shipment);
    await assert.rejects(setTo(ctx, owner, another, "in-parts"), withCode("ALIAS_TAKEN"));
    await setTo(ctx, owner, shipment, "in-parts");
    assert.equal((await findShare(ctx.db, shortId))?.alias, null);
    const second = await initMultipart(ctx, owner, { fileName: "b", fileSize: 0, alias: "second-part" });
    await completeMultipart(ctx, owner, { uploadId: second.uploadId, key: second.key, shareShortId: "in-parts" });
    assert.equal(await find(ctx, "second-part"), shipment);
    await setTo(ctx, owner, shipment, null);
    for (const alias of ["in-parts", "second-part"]) assert.equal(await find(ctx, alias), undefined);
    await setTo(ctx, owner, another, "second-part");
  });

  test("the alias of a file that joins the shipment of another account ends", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const [owner, other] = [await newOwner(ctx, "ada"), await newOwner(ctx, "bob")];
    const { shortId, shareToken } = await createShare(ctx, other, {});
    const { uploadId, key } = await initMultipart(ctx, owner, { fileName: "a", fileSize: 0, alias: "in-parts" });
    await completeMultipart(ctx, owner, { uploadId, key, shareShortId: shortId, shareToken });
    assert.equal(await find(ctx, "in-parts"), undefined);
  });

  test("an upload that joins by an alias joins the share that had it when it started", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const [owner, other] = [await newOwner(ctx, "ada"), await newOwner(ctx, "bob")];
    const [{ shortId, shareToken }, later] = [await createShare(ctx, owner, { alias: "trip-to-rome" }), await newShare(ctx, owner)];
    const joining = { fileName: "a", fileSize: 0, shareShortId: "Trip-To-Rome" };
    const byKey = await initMultipart(ctx, owner, joining);
    const byToken = await initMultipart(ctx, other, { ...joining, shareToken });
    assert.deepEqual([byKey.shortId, byToken.shortId], [shortId, shortId]);
    await assert.rejects(initMultipart(ctx, owner, { ...joining, shareShortId: "no-such-name" }), withCode("NOT_FOUND"));
    await setTo(ctx, owner, shortId, null);
    await setTo(ctx, owner, later, "trip-to-rome");
    for (const [call, { uploadId, key }] of [[owner, byKey] as const, [other, byToken] as const])
      assert.equal((await completeMultipart(ctx, call, { uploadId, key })).shortId, shortId);
  });

  test("an alias after the file of a form counts, and requires a verified address", async () => {
    await using processes = await openProcesses({ FILEHOST_LIMITS: JSON.stringify({ rates: { aliases: 2 } }) });
    const [ctx] = processes.ctxs;
    const owner = await newOwner(ctx, "ada");
    const send = (call: RequestContext, { before, after }: { readonly before?: string; readonly after: string }) =>
      storeForm(ctx, call, async (receive) => ({
        results: [
          await receive({ name: "a.txt", type: "text/plain", body: new Blob(["hello"]).stream() }, before ? { alias: before } : {}),
        ],
        publish: { alias: after },
      }));
    const unverified = { ...owner, actor: { ...owner.actor, isUnverified: true } as UserActor };
    await assert.rejects(send(unverified, { after: "trip-to-rome" }), withCode("FORBIDDEN"));
    assert.deepEqual(await stored(ctx), []);
    await send(owner, { before: "trip-to-rome", after: "trip-to-rome" });
    await send(owner, { after: "rome-2026" });
    await assert.rejects(send(owner, { after: "third-name" }), withCode("RATE_LIMITED"));
    processes.clock.nowMs += DAY_MS;
    await send(owner, { before: "fourth-name", after: "fifth-name" });
    await assert.rejects(send(owner, { after: "third-name" }), withCode("RATE_LIMITED"));
  });

  test("the present alias of a share does not count when it is sent again", async () => {
    await using processes = await openProcesses({ FILEHOST_LIMITS: JSON.stringify({ rates: { aliases: 1 } }) });
    const [ctx] = processes.ctxs;
    const owner = await newOwner(ctx, "ada");
    const shortId = await newShare(ctx, owner);
    for (let n = 0; n < 3; n++) await setTo(ctx, owner, shortId, "trip-to-rome");
    await assert.rejects(setTo(ctx, owner, shortId, "rome-2026"), withCode("RATE_LIMITED"));
  });

  test("the alias of a share that was taken down shows no other files", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const owner = await newOwner(ctx, "ada");
    const [first, second] = [await newShare(ctx, owner), await newShare(ctx, owner)];
    await setTo(ctx, owner, first, "trip-to-rome");
    await ctx.transaction((ctx) => closeShareRows(ctx, first, "dmca_removed"));
    await assert.rejects(setTo(ctx, owner, second, "trip-to-rome"), withCode("ALIAS_TAKEN"));
    assert.equal(await find(ctx, "trip-to-rome"), first);
  });

  test("names that could mislead are reserved", () => {
    const reserved = [
      "sign-in",
      "log-in-here",
      "my-password",
      "password-reset",
      "filehost-help",
      "file-host",
      "the-admin",
      "no-reply",
      "mypassword-1",
      "filehosts-x",
      "mot-de-passe",
    ];
    assert.deepEqual(
      reserved.filter((alias) => !isReservedAlias(alias)),
      [],
    );
    const free = ["trip-to-rome", "catalog-info", "design-inn", "2026-11", "team-photos"];
    assert.deepEqual(free.filter(isReservedAlias), []);
  });
});
