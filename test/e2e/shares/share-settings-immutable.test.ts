import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DAY_MS } from "../../../src/lib/text/duration.ts";
import { assertRefused, deleteFile, signedUrl, upload } from "../support/api/api.ts";
import { assertNear, inDays, type SettingsServer, settingsCalls, startSettingsServer } from "../support/shares/settings.ts";
import { authorizeWith, changeSettings, credentialsIn } from "../support/shares/shares.ts";

/** sharing, "Changing a share" and "Immutable files and lineage". */
describe("immutable files, lineage and shipments", () => {
  let server: SettingsServer;
  before(async () => {
    server = await startSettingsServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const { uploadAs, patch, patchAccepted, expiryOf, remove } = settingsCalls(() => server);

  test("an immutable file accepts only protection and a later expiry, and is deleted only by force", async () => {
    const file = await uploadAs("named", { ttl: "2d" });
    await patchAccepted("named", file, { immutable: true });
    const refused: readonly object[] = [
      { visibility: "public" },
      { direct: true },
      { retention: "forever", visibility: "public" },
      { expiresAt: inDays(1) },
      { upstreamFileIds: [] },
      { handoffMessage: "Hello" },
      { title: "Hello" },
      { message: "Hello" },
    ];
    for (const fields of refused) assertRefused(await patch("named", file, fields), { status: 409, code: "IMMUTABLE" });
    await patchAccepted("named", file, { expiresAt: inDays(3), retention: "ttl", visibility: "unlisted" });
    await patchAccepted("named", file, { extendTtl: "4d" });
    assertNear(await expiryOf(file), Date.now() + 4 * DAY_MS);
    credentialsIn(await patchAccepted("named", file, { protect: true, handoffMessage: "Hello" }));
    await patchAccepted("named", file, { protect: false });
    assertRefused(await remove("named", file), { status: 409, code: "IMMUTABLE" });
    assertRefused(await remove("named", file, "&force=false"), { status: 409, code: "IMMUTABLE" });
    await patchAccepted("named", file, { immutable: false, direct: true });
    await patchAccepted("named", file, { immutable: true });
    await deleteFile(server, { fileId: file.id, force: "true" }, server.named);
    const freed = await uploadAs("free");
    await patchAccepted("free", freed, { immutable: true });
    // IMMUTABLE takes precedence over a missing username and a missing tier.
    for (const fields of [{ visibility: "public" }, { direct: true }])
      assertRefused(await patch("free", freed, fields), { status: 409, code: "IMMUTABLE" });
    await patchAccepted("free", freed, { immutable: false });
    await deleteFile(server, { fileId: freed.id }, server.free);
  });

  test("a file that another file was derived from cannot be deleted while the other exists", async () => {
    const [parent, child, other] = [await uploadAs("free"), await uploadAs("free"), await uploadAs("pro")];
    assertRefused(await patch("free", child, { upstreamFileIds: [other.id] }), { status: 404, code: "NOT_FOUND" });
    assertRefused(await patch("free", child, { upstreamFileIds: ["aaaaaaaaaaaaaaaa"] }), { status: 404, code: "NOT_FOUND" });
    assertRefused(await patch("free", child, { upstreamFileIds: [child.id] }), { status: 404, code: "NOT_FOUND" });
    await patchAccepted("free", child, { upstreamFileIds: [parent.id, parent.id] });
    assertRefused(await remove("free", parent), { status: 409, code: "IMMUTABLE" });
    await patchAccepted("free", child, { upstreamFileIds: [] });
    await patchAccepted("free", child, { upstreamFileIds: [parent.id] });
    await deleteFile(server, { fileId: child.id }, server.free);
    await deleteFile(server, { fileId: parent.id }, server.free);
    const [old, derived] = [await uploadAs("free"), await uploadAs("free")];
    await patchAccepted("free", derived, { upstreamFileIds: [old.id] });
    await deleteFile(server, { fileId: old.id, force: "1" }, server.free);
  });

  test("a shipment's shortId changes all of its files together", async () => {
    const first = await upload(server, { bytes: "a", fields: { openShare: "true" } }, { key: server.free.key });
    const second = await upload(server, { bytes: "b", fields: { shareShortId: first.shortId } }, { key: server.free.key });
    const changed = await changeSettings(server, { shortId: first.shortId, protect: true, immutable: true }, server.free.key);
    const { unlockCode } = credentialsIn(changed);
    assert.equal(changed.shortId, first.shortId);
    for (const file of [first, second]) {
      assertRefused(await authorizeWith(server, file.id), { status: 403, code: "UNLOCK_REQUIRED" });
      await signedUrl(server, file.id, { unlockCode });
      assertRefused(await remove("free", file), { status: 409, code: "IMMUTABLE" });
    }
  });

  test("one immutable file protects the settings of its whole shipment", async () => {
    const first = await upload(server, { bytes: "a", fields: { openShare: "true", ttl: "3d" } }, { key: server.free.key });
    const second = await upload(server, { bytes: "b", fields: { shareShortId: first.shortId } }, { key: server.free.key });
    await patchAccepted("free", first, { immutable: true });
    for (const fields of [{ expiresAt: inDays(1) }, { expiresAt: inDays(1), immutable: false }])
      assertRefused(await patch("free", second, fields), { status: 409, code: "IMMUTABLE" });
    await patchAccepted("free", first, { expiresAt: inDays(1), immutable: false });
  });
});
