import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { addAccount, getMe } from "../support/accounts/accounts.ts";
import { PERSONS_PASSWORD } from "../support/accounts/person.ts";
import { clientOf, upload } from "../support/api/api.ts";
import { postForm, uploadProtected, uploadShipment } from "../support/pages/pages.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";
import { createFileRequest, joining, openSubmission, tokenOf } from "../support/shares/requests.ts";

/** accounts, "The name that recipients see". */
describe("the name of a sender on the pages of recipients", () => {
  let server: TestServer;
  /** The session of an account that shows its name. */
  let key: string;
  before(async () => {
    server = await startPlainServer();
    key = await signUp();
  });
  after(() => server[Symbol.asyncDispose]());

  let people = 0;
  const signUp = async (): Promise<string> => {
    people += 1;
    const person = { email: `person${people}@example.org`, password: PERSONS_PASSWORD, name: "Ada Lovelace" };
    return (await clientOf(server).call("signUp", person)).data.sessionToken;
  };
  const read = async (path: string, headers: Readonly<Record<string, string>> = {}): Promise<string> => {
    const response = await fetch(new URL(path, server.url), { headers: { Accept: "text/html", ...headers } });
    assert.equal(response.status, 200, path);
    return await response.text();
  };
  const senderOf = (html: string): string | undefined => /<p class="quiet from">(.*?)<\/p>/.exec(html)?.[1]?.replaceAll(/<.*?>/g, "");

  test("is shown for files and shipments, in the language of the page, also after the name was changed", async () => {
    const own = await signUp();
    const { sharePath } = await upload(server, { bytes: "x" }, { key: own });
    const shipment = await uploadShipment(server, { key: own, paths: ["a.txt", "b.txt"] });
    for (const path of [sharePath, shipment.sharePath]) assert.equal(senderOf(await read(path)), "From Ada Lovelace");
    assert.equal(senderOf(await read(sharePath, { "Accept-Language": "de" })), "Von Ada Lovelace");
    assert.equal(senderOf(await read(sharePath, { "Accept-Language": "fr" })), "Envoyé par Ada Lovelace");
    await clientOf(server, { key: own }).call("updateMe", { name: "Augusta <King>" });
    assert.equal(senderOf(await read(sharePath)), "From Augusta &lt;King>");
  });

  test("is hidden and shown by its owner", async () => {
    const own = await signUp();
    const client = clientOf(server, { key: own });
    const { sharePath } = await upload(server, { bytes: "x" }, { key: own });
    assert.equal((await client.call("updateMe", { showName: false })).data.showName, false);
    assert.equal(senderOf(await read(sharePath)), undefined);
    assert.doesNotMatch(await read(sharePath), /Ada|person\d/);
    assert.equal((await getMe(server, own)).owner.name, "Ada Lovelace");
    await client.call("updateMe", { showName: true });
    assert.equal(senderOf(await read(sharePath)), "From Ada Lovelace");
  });

  test("is not shown for accounts whose owner did not agree, for unverified addresses and for uploads without an account", async () => {
    const account = await addAccount(server);
    assert.equal((await getMe(server, account.key)).owner.showName, false);
    for (const other of [account.key, undefined])
      assert.equal(senderOf(await read((await upload(server, { bytes: "x" }, { key: other })).sharePath)), undefined);
    const own = await signUp();
    const { sharePath } = await upload(server, { bytes: "x" }, { key: own });
    const { owner } = await getMe(server, own);
    await withDatabase(server, (db) => db.updateTable("users").set({ email_verified: 0 }).where("id", "=", owner.id).execute());
    assert.equal(senderOf(await read(sharePath)), undefined);
  });

  test("of a protected share is shown after unlocking and with its private link only", async () => {
    const share = await uploadProtected(server, {}, { key });
    assert.doesNotMatch(await read(share.sharePath), /Ada/);
    const { html } = await postForm(server, `${share.sharePath}/unlock`, { unlockCode: share.unlockCode });
    assert.equal(senderOf(html), "From Ada Lovelace");
    assert.equal(senderOf(await read(share.handoffUrl)), "From Ada Lovelace");
  });

  test("is not shown for files that others sent to a request", async () => {
    const request = await createFileRequest(server, key, { title: "Photos" });
    const submission = await openSubmission(server, tokenOf(request));
    await upload(server, { bytes: "x", fields: joining(tokenOf(request), submission) });
    const html = await read(submission.sharePath, { Cookie: `session=${key}` });
    assert.match(html, /note/);
    assert.equal(senderOf(html), undefined);
  });

  test("is neither in metadata nor in link previews", async () => {
    const { sharePath, shortId } = await upload(server, { bytes: "x" }, { key });
    assert.doesNotMatch(JSON.stringify(await (await fetch(`${server.url}/api/files/share/${shortId}`)).json()), /Ada/);
    assert.doesNotMatch((await read(sharePath)).replace(/<body.*/s, ""), /Ada/);
  });
});
