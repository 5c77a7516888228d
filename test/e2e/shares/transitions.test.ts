import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Account, type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import {
  type ApiResponse,
  askShare,
  authorize,
  call,
  clientOf,
  deleteFile,
  findInfo,
  getShare,
  listFiles,
  signedUrl,
  type Upload,
  upload,
} from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { cleanUp, holdScheduledCleanup } from "../support/servers/server-context.ts";
import { withDatabase } from "../support/servers/state.ts";
import {
  authorizeWith,
  changeSettings,
  claim,
  credentialsIn,
  patchLink,
  patchSettings,
  postClaim,
  postUnlock,
} from "../support/shares/shares.ts";
import { init } from "../support/uploads/multipart.ts";

type Named = Pick<Upload, "id" | "shortId" | "claimToken" | "deletionToken">;

/** model, "Transitions" and "File status": every state with every request. */
describe("requests to a file", () => {
  let server: ServerWith<"owner" | "other">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: {}, other: {} });
    await holdScheduledCleanup(server);
  });
  after(() => server[Symbol.asyncDispose]());

  const anonymous = (fields: Record<string, string> = {}): Promise<Upload> => upload(server, { bytes: "x", fields });
  const owned = (): Promise<Upload> => upload(server, { bytes: "x" }, { key: server.owner.key });
  const claimed = async (account: Account, fields?: Record<string, string>): Promise<Upload> => {
    const file = await anonymous(fields);
    await claim(server, file, account.key);
    return file;
  };
  const expire = async (file: Upload): Promise<Upload> => {
    await withDatabase(server, (db) =>
      db
        .updateTable("shares")
        .set({ expires_at: Date.now() - 1 })
        .where("short_id", "=", file.shortId)
        .execute(),
    );
    return file;
  };
  const deleteByToken = ({ id, deletionToken }: Named) =>
    call(server, "DELETE", `/api/files/delete?${new URLSearchParams({ fileId: id, token: deletionToken ?? "del_invented" })}`);
  const deleteByKey = ({ id }: Named, { key }: Account) => call(server, "DELETE", `/api/files/delete?fileId=${id}`, { key });

  const states: Readonly<Record<string, () => Promise<Named>>> = {
    anonymous,
    "anonymous, blocked": async () => {
      const file = await anonymous();
      await withDatabase(server, (db) =>
        db.updateTable("files").set({ scan_status: "unavailable", scan_reason: "scan_failed" }).where("id", "=", file.id).execute(),
      );
      return file;
    },
    claimed: () => claimed(server.owner),
    "claimed by another": () => claimed(server.other),
    owned,
    "anonymous, expired": async () => expire(await anonymous()),
    "claimed, expired": async () => expire(await claimed(server.owner)),
    "owned, expired": async () => expire(await owned()),
    "anonymous, expired and cleaned up": async () => {
      const file = await expire(await anonymous());
      await cleanUp(server);
      return file;
    },
    "anonymous, used up": async () => {
      const file = await anonymous({ once: "true" });
      await signedUrl(server, file.id);
      return file;
    },
    "anonymous, deleted": async () => {
      const file = await anonymous();
      await deleteFile(server, { fileId: file.id, token: file.deletionToken });
      return file;
    },
    "owned, taken down": async () => {
      const file = await owned();
      assert.equal((await server.run(["takedown", file.shortId])).code, 0);
      return file;
    },
    "owned, still uploading": async () => {
      const { fileId, shortId } = await init(server, { fileSize: 10 }, { key: server.owner.key });
      return { id: fileId, shortId };
    },
    unknown: async () => ({ id: "A".repeat(16), shortId: "zzzzzzzz" }),
  };

  const requests: Readonly<Record<string, (file: Named) => Promise<ApiResponse>>> = {
    share: ({ shortId }) => askShare(server, shortId),
    download: ({ id }) => authorize(server, id),
    unlock: ({ shortId }) => postUnlock(server, { shortId, unlockCode: "AAAAAA" }),
    linkProtection: ({ id, claimToken = "claim_invented" }) => patchLink(server, { fileId: id, claimToken, protect: true }),
    claim: ({ id, claimToken = "claim_invented" }) => postClaim(server, { fileId: id, claimToken }, server.owner.key),
    shareSettings: ({ id }) => patchSettings(server, { fileId: id, protect: true }, server.owner.key),
    settingsByToken: ({ id, claimToken = "claim_invented" }) => patchSettings(server, { fileId: id, claimToken, once: true }),
    deleteByToken,
    deleteByKey: (file) => deleteByKey(file, server.owner),
  };

  const OK = "200";
  const GONE = "404 NOT_FOUND";
  const nothing = {
    ...{ share: GONE, download: GONE, unlock: GONE, linkProtection: GONE, claim: GONE, shareSettings: GONE },
    ...{ settingsByToken: GONE, deleteByToken: GONE, deleteByKey: GONE },
  };
  const open = { ...nothing, share: OK, download: OK, unlock: OK };
  const WRONG_TOKEN = "403 WRONG_TOKEN";
  const CONFLICT = "409 CONFLICT";
  const byToken = { deleteByToken: OK, deleteByKey: WRONG_TOKEN };
  const outcomes: Readonly<Record<string, Readonly<Record<keyof typeof requests, string>> & { readonly is: string }>> = {
    anonymous: { is: "active", ...open, linkProtection: OK, settingsByToken: OK, claim: OK, ...byToken },
    "anonymous, blocked": {
      is: "active",
      ...open,
      download: "404 SCAN_BLOCKED",
      linkProtection: OK,
      settingsByToken: OK,
      claim: OK,
      ...byToken,
    },
    claimed: { is: "active", ...open, linkProtection: CONFLICT, settingsByToken: CONFLICT, claim: OK, shareSettings: OK, deleteByKey: OK },
    "claimed by another": { is: "active", ...open, linkProtection: CONFLICT, settingsByToken: CONFLICT, claim: CONFLICT },
    owned: { is: "active", ...open, claim: WRONG_TOKEN, shareSettings: OK, deleteByKey: OK },
    "anonymous, expired": { is: "expired", ...nothing, ...byToken },
    "claimed, expired": { is: "expired", ...nothing, deleteByKey: OK },
    "owned, expired": { is: "expired", ...nothing, deleteByKey: OK },
    "anonymous, expired and cleaned up": { is: "expired", ...nothing, ...byToken },
    "anonymous, used up": { is: "expired", ...nothing, ...byToken },
    "anonymous, deleted": { is: "deleted", ...nothing },
    "owned, taken down": { is: "dmca_removed", ...nothing },
    "owned, still uploading": { is: "active", ...open, download: "409 SCAN_PENDING", shareSettings: OK },
    unknown: { is: "unknown", ...nothing },
  };

  const outcomeOf = ({ status, body }: ApiResponse): string => (status === 200 ? OK : `${status} ${body.errorCode}`);
  const statusOf = async ({ shortId }: Named): Promise<unknown> => {
    return (await findInfo(server, shortId))?.status_field ?? "unknown";
  };

  for (const [state, make] of Object.entries(states)) {
    test(`${state}: every request has the expected outcome`, async () => {
      const { is, ...expected } = outcomes[state] ?? assert.fail();
      const seen: Record<string, string> = {};
      for (const [request, send] of Object.entries(requests)) {
        const file = await make();
        assert.equal(await statusOf(file), is);
        seen[request] = outcomeOf(await send(file));
      }
      assert.deepEqual(seen, expected);
    });
  }

  test("a claim keeps the protection and its credentials, and the claim token can no longer change them", async () => {
    const file = await anonymous({ protect: "true" });
    const { unlockCode, handoffToken } = credentialsIn(file);
    await claim(server, file, server.owner.key);
    assert.equal((await getShare(server, file.shortId)).unlockRequired, true);
    assert.equal(outcomeOf(await authorizeWith(server, file.id)), "403 UNLOCK_REQUIRED");
    for (const credential of [{ unlockCode }, { handoffToken }])
      assert.equal(outcomeOf(await authorizeWith(server, file.id, credential)), OK);
    const cleared = await patchLink(server, { fileId: file.id, claimToken: file.claimToken, protect: false });
    assert.equal(outcomeOf(cleared), CONFLICT);
    await changeSettings(server, { fileId: file.id, protect: false }, server.owner.key);
    assert.equal(outcomeOf(await authorizeWith(server, file.id)), OK);
    assert.equal(outcomeOf(await postUnlock(server, { handoffToken })), "403 UNLOCK_INVALID");
  });

  test("a deletion after a claim removes the file from the list, with its download statistics", async () => {
    const file = await anonymous();
    await signedUrl(server, file.id);
    await claim(server, file, server.other.key);
    const { events } = await clientOf(server, server.other).call("listDownloadEvents", { fileId: file.id });
    assert.equal(events.length, 1);
    await deleteFile(server, { fileId: file.id }, server.other);
    const { files } = await listFiles(server, server.other.key);
    assert.ok(files.every(({ id }) => id !== file.id));
    assert.equal(outcomeOf(await call(server, "GET", `/api/files/${file.id}/download-events`, { key: server.other.key })), GONE);
    const info = await findInfo(server, file.shortId);
    assert.deepEqual([info?.download, info?.name], ["0", ""]);
  });
});
