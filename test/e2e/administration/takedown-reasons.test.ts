import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { addAccount, type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { clientOf, getShare, upload } from "../support/api/api.ts";
import { uploadShipment } from "../support/pages/pages.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

/** expiry, "Takedown". */
describe("the reason of a takedown", () => {
  let server: ServerWith<"admin">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { admin: { isAdministrator: true } });
  });
  after(() => server[Symbol.asyncDispose]());

  const admin = () => clientOf(server, { key: server.admin.key });
  const askPage = (shortId: string, language = "en") =>
    fetch(`${server.url}/d/${shortId}`, { headers: { Accept: "text/html", "Accept-Language": language } });
  /** Returns the reason on the page of a share that was taken down. */
  async function reasonOf(shortId: string, language?: string): Promise<string> {
    const response = await askPage(shortId, language);
    assert.equal(response.status, 451);
    return /<p data-message>(.*?)<\/p>/.exec(await response.text())?.[1] ?? "";
  }

  test("is the report's, unless the administrator chooses another one or none", async () => {
    const [first, second, third] = [
      await upload(server, { bytes: "first" }),
      await upload(server, { bytes: "second" }),
      await upload(server, { bytes: "third" }),
    ];
    const report = async (shortId: string) => (await clientOf(server).call("createReport", { shortId, reason: "malware" })).data.id;
    await admin().call("takeDownReported", { id: await report(first.shortId) });
    await admin().call("takeDownReported", { id: await report(second.shortId), publicReason: "phishing", note: "Not for recipients" });
    await admin().call("takeDownReported", { id: await report(third.shortId), publicReason: null });
    assert.equal(await reasonOf(third.shortId), "The administrator removed it.");
    assert.equal(await reasonOf(first.shortId), "The administrator removed it because of malware.");
    assert.equal(await reasonOf(first.shortId, "de"), "Der Administrator hat sie wegen Schadsoftware entfernt.");
    assert.equal(await reasonOf(second.shortId), "The administrator removed it because of phishing or fraud.");
  });

  test("is not made up, and the administrators' note is not shown", async () => {
    const [share, file] = [await upload(server, { bytes: "share" }), await upload(server, { bytes: "file" })];
    await admin().call("takeDownShare", { shortId: share.shortId, block: true, reason: "Court order 12/26" });
    await admin().call("takeDownFile", { fileId: file.id, block: true, reason: "Court order 12/26" });
    for (const { shortId } of [share, file]) {
      assert.equal(await reasonOf(shortId), "The administrator removed it.");
      assert.doesNotMatch(await (await askPage(shortId)).text(), /legal|Court/);
    }
  });

  test("is shown for other shares of the same bytes, in a terminal, and can be added by repeating the takedown", async () => {
    const { key } = await addAccount(server);
    const file = await upload(server, {}, { key });
    const other = (await clientOf(server, { key }).call("shareFiles", { fileIds: [file.id] })).data;
    await admin().call("takeDownShare", { shortId: file.shortId });
    assert.equal(await reasonOf(other.shortId), "The administrator removed it.");
    await admin().call("takeDownShare", { shortId: file.shortId, publicReason: "copyright" });
    for (const shortId of [file.shortId, other.shortId])
      assert.equal(await reasonOf(shortId), "The administrator removed it because of a copyright complaint.");
    const terminal = await fetch(`${server.url}/d/${other.shortId}/download`, { headers: { "User-Agent": "curl/8.0" } });
    assert.match(
      await terminal.text(),
      /^This file has been taken down\. The administrator removed it because of a copyright complaint\.\n$/,
    );
  });

  test("is chosen for files and on the command line, and ends with the takedown", async () => {
    const shipment = await uploadShipment(server, { key: server.admin.key, paths: ["a.txt", "b.txt"] });
    const { data } = await getShare(server, shipment.shortId);
    const fileIds = (data.files ?? []).map(({ id }) => id);
    await admin().call("takeDownFiles", { fileIds, publicReason: "personal_data" });
    assert.equal(await reasonOf(shipment.shortId), "The administrator removed it to protect personal data.");
    const file = await upload(server, { bytes: "illegal" });
    assert.equal((await server.run(["takedown", file.shortId, "--public-reason", "illegal"])).code, 0);
    assert.equal(await reasonOf(file.shortId), "The administrator removed it because its content is illegal.");
    await admin().call("restoreTakenDown", { shortId: file.shortId });
    assert.equal((await askPage(file.shortId)).status, 200);
    await admin().call("takeDownShare", { shortId: file.shortId });
    assert.equal(await reasonOf(file.shortId), "The administrator removed it.");
    assert.notEqual((await server.run(["takedown", file.shortId, "--public-reason", "boredom"])).code, 0);
  });
});
