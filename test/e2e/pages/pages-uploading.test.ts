import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { inDays } from "../support/shares/settings.ts";
import { changeSettings } from "../support/shares/shares.ts";
import { complete, init, type Session, sendParts, someBytes } from "../support/uploads/multipart.ts";

const BYTES = someBytes(1000);

/** pages, "The page of an unfinished upload shows the planned settings": what the page of a share shows until its upload is completed. */
describe("pages of files that are still uploading", () => {
  let server: ServerWith<"free" | "pro">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { free: {}, pro: { tier: "pro", username: "ada" } });
  });
  after(() => server[Symbol.asyncDispose]());

  const startUpload = (fields: object, key?: string): Promise<Session> => init(server, { fileSize: BYTES.length, ...fields }, { key });
  const pageOf = async ({ shortId }: { readonly shortId: string }): Promise<string> =>
    await (await fetch(`${server.url}/d/${shortId}`)).text();
  const expiresIn = async (session: Session): Promise<string | undefined> =>
    /<dt>Expires<\/dt><dd>(.*?)<\/dd>/.exec(await pageOf(session))?.[1];

  test("the page shows the expiry that will apply, counted from the end of the upload if it is a duration", async () => {
    assert.equal(await expiresIn(await startUpload({})), "3\u00a0days after the upload");
    assert.equal(await expiresIn(await startUpload({ ttl: "1h" })), "1\u00a0hour after the upload");
    assert.equal(await expiresIn(await startUpload({}, server.free.key)), "7\u00a0days after the upload");
    assert.equal(await expiresIn(await startUpload({}, server.pro.key)), "Never");
    assert.equal(await expiresIn(await startUpload({ retention: "forever", visibility: "public" }, server.pro.key)), "Never");
    const expiresAt = inDays(20);
    assert.match(String(await expiresIn(await startUpload({ expiresAt }, server.pro.key))), new RegExp(`in 20\\sdays.*${expiresAt}`));
  });

  test("the page shows the settings that the owner changed during the upload, and keeps them after it", async () => {
    const { key } = server.pro;
    const session = await startUpload({ ttl: "1h" }, key);
    const expiresAt = inDays(5);
    await changeSettings(server, { fileId: session.fileId, expiresAt }, key);
    assert.match(String(await expiresIn(session)), new RegExp(expiresAt));
    await sendParts(server, session, BYTES, { key });
    await complete(server, session, {}, { key });
    assert.match(String(await expiresIn(session)), new RegExp(expiresAt));
  });

  test("the page shows the planned download limit", async () => {
    assert.match(await pageOf(await startUpload({ once: true })), /One download only/);
    assert.match(await pageOf(await startUpload({ maxDownloads: 3 })), /3\sdownloads left/);
    assert.doesNotMatch(await pageOf(await startUpload({})), /One download only|downloads? left/);
  });
});
