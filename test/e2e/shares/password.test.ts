import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sendFile, startOrigin } from "../../support/services/origin-server.ts";
import { addAccount, type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { fromAddress } from "../support/accounts/agents.ts";
import {
  assertRefused,
  call,
  clientOf,
  findInfo,
  getShare,
  postUpload,
  signedUrl,
  toForm,
  type Upload,
  upload,
} from "../support/api/api.ts";
import { newKey } from "../support/api/idempotency.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";
import { delegationCalls } from "../support/shares/delegations.ts";
import { createImport, waitForEnd } from "../support/shares/imports.ts";
import {
  authorizeWith,
  changeLink,
  changeSettings,
  credentialsIn,
  patchLink,
  patchSettings,
  postUnlock,
  unlock,
} from "../support/shares/shares.ts";
import { complete, init, sendParts, someBytes } from "../support/uploads/multipart.ts";

const PASSWORD = "Tr0ub4dor & drei Süße";
const OTHER = "another password";

/** sharing, "A password of your own"; unlocking, "Passwords"; curl, "A password". */
describe("a share with a password of its sender", () => {
  let server: ServerWith<"owner">;
  before(async () => {
    server = await withAccounts(startPlainServer({ FILEHOST_TRUSTED_PROXIES: "127.0.0.1", FILEHOST_IMPORT_NETWORKS: "127.0.0.0/8" }), {
      owner: { username: "ada", tier: "pro" },
    });
  });
  after(() => server[Symbol.asyncDispose]());

  const { delegate, put } = delegationCalls(() => server);
  const share = (fields: Record<string, string> = {}): Promise<Upload> =>
    upload(server, { bytes: "hello", fields: { password: PASSWORD, ...fields } });

  /** Asserts that exactly the password opens a share. */
  async function assertOpens(shortId: string, password = PASSWORD): Promise<void> {
    const { data } = await getShare(server, shortId);
    assert.deepEqual([data.unlockRequired, data.unlockKind], [true, "password"]);
    assert.match((await unlock(server, { shortId, password })).unlockToken, /^ul_/);
    assertRefused(await postUnlock(server, { shortId, password: password.toUpperCase() }), { status: 403, code: "UNLOCK_INVALID" });
  }

  test("opens with the password as it was written, in either field, and with its handoff link", async () => {
    const file = await share();
    assert.equal(file.unlockCode, undefined);
    const handoffToken = file.handoffUrl?.split("/h/")[1];
    await assertOpens(file.shortId);
    for (const json of [{ unlockCode: PASSWORD }, { password: PASSWORD.normalize("NFD") }, { shortId: null, handoffToken }]) {
      const { unlockToken } = await unlock(server, { shortId: file.shortId, ...json });
      await signedUrl(server, file.id, { unlockToken });
    }
    const info = await findInfo(server, file.shortId);
    assert.equal(info?.unlockKind, "password");
    assert.equal(
      (await getShare(server, (await upload(server, { bytes: "x", fields: { protect: "1" } })).shortId)).data.unlockKind,
      "code",
    );
    assert.equal((await getShare(server, (await upload(server, { bytes: "x" })).shortId)).data.unlockKind, null);
  });

  test("names its password in the error, and takes none in a URL", async () => {
    const file = await share();
    const required = await authorizeWith(server, file.id);
    assertRefused(required, { status: 403, code: "UNLOCK_REQUIRED" });
    assert.equal((required.body as { unlockKind?: string }).unlockKind, "password");
    assert.match(required.body.error ?? "", /password/);
    for (const path of [
      `/api/files/download/${file.id}?unlockCode=${encodeURIComponent(PASSWORD)}`,
      `/api/files/download/${file.id}?password=x`,
      `/d/${file.shortId}?password=x`,
      `/d/${file.shortId}/download?password=`,
      "/h/unknown?password=x",
      "/?password=x",
      `/d/${file.shortId}?Password=x`,
    ])
      assertRefused(await call(server, "GET", path), { status: 400, code: "VALIDATION_FAILED" });
    const refusal = await fetch(`${server.url}/d/${file.shortId}?password=hunter2-x`, { headers: { Accept: "text/html" } });
    assert.equal(refusal.status, 400);
    assert.doesNotMatch(await refusal.text(), /hunter2-x/);
    const inQuery = await fetch(`${server.url}/a.txt?password=${OTHER.replace(" ", "+")}`, { method: "PUT", body: "x" });
    assert.equal(inQuery.status, 400);
    assert.match(await inQuery.text(), /does not belong in a URL.*X-Password/s);
  });

  test("is refused for a password of another length, with control characters, or without protection", async () => {
    const refused: Record<string, string>[] = [
      { password: "" },
      { password: "seven77" },
      { password: "x".repeat(129) },
      { password: "line\nbreaks" },
      { password: PASSWORD, protect: "false" },
    ];
    for (const fields of refused)
      assertRefused(await postUpload(server, { bytes: "x", fields }), { status: 400, code: "VALIDATION_FAILED" });
    await assertOpens((await share({ password: "eight 8!" })).shortId, "eight 8!");
    await assertOpens((await share({ password: "é".repeat(128) })).shortId, "é".repeat(128));
  });

  test("is made by curl -T, a form of several files, parts, an import, a delegation, a new shipment, and files of an account", async () => {
    const sent = await fetch(`${server.url}/a.txt`, {
      method: "PUT",
      headers: { "X-Password": Buffer.from(PASSWORD).toString("latin1"), Accept: "application/json" },
      body: "hello",
    });
    const put1 = ((await sent.json()) as { data: Upload }).data;
    assert.ok(sent.headers.get("x-handoff-url"));
    assert.equal(sent.headers.get("x-unlock-code"), null);
    await assertOpens(put1.shortId);

    const form = toForm({ bytes: "a", fields: { password: PASSWORD } });
    form.append("file", new File(["b"], "b.txt"));
    const several = await fetch(server.url, { method: "POST", headers: { Accept: "application/json" }, body: form });
    for (const { shortId } of ((await several.json()) as { data: { files: Upload[] } }).data.files) await assertOpens(shortId);

    const session = await init(server, { fileName: "a.bin", fileSize: 1000, password: PASSWORD });
    await sendParts(server, session, someBytes(1000));
    const parts = await complete(server, session);
    assert.ok(parts.handoffUrl);
    await assertOpens(parts.shortId);

    await using origin = await startOrigin({ "/a.bin": sendFile({ bytes: someBytes(10) }) });
    const created = await createImport(server, { url: `${origin.url}/a.bin`, password: PASSWORD });
    const job = await waitForEnd(server, created);
    assert.deepEqual([job.unlockCode, typeof job.handoffUrl], [undefined, "string"]);
    await assertOpens(job.shortId ?? "");

    const delegation = await delegate({ name: "a.txt", password: PASSWORD });
    assert.deepEqual([delegation.unlockCode, typeof delegation.handoffUrl], [undefined, "string"]);
    const delegated = await put(delegation, "hello");
    assert.equal(delegated.status, 200);
    await assertOpens((delegated.body.data as unknown as Upload).shortId);

    const shipment = (await clientOf(server).call("createShare", { password: PASSWORD })).data;
    await upload(server, { bytes: "joined", fields: { shareShortId: shipment.shortId, shareToken: shipment.shareToken } });
    await assertOpens(shipment.shortId);

    const own = await upload(server, { bytes: "own" }, { key: server.owner.key });
    const again = (await clientOf(server, { key: server.owner.key }).call("shareFiles", { fileIds: [own.id], password: PASSWORD })).data;
    await assertOpens(again.shortId);
  });

  test("gets, changes and loses its password, which ends earlier tokens, codes and links", async () => {
    const own = await upload(server, { bytes: "own" }, { key: server.owner.key });
    const first = await changeSettings(server, { fileId: own.id, password: PASSWORD }, server.owner.key);
    assert.deepEqual([first.unlockRequired, first.unlockKind, first.unlockCode], [true, "password", undefined]);
    const { unlockToken } = await unlock(server, { shortId: own.shortId, password: PASSWORD });
    const second = await changeSettings(server, { fileId: own.id, password: OTHER }, server.owner.key);
    assert.notEqual(second.handoffUrl, first.handoffUrl);
    assertRefused(await authorizeWith(server, own.id, { unlockToken }), { status: 403, code: "UNLOCK_INVALID" });
    assertRefused(await postUnlock(server, { shortId: own.shortId, password: PASSWORD }), { status: 403, code: "UNLOCK_INVALID" });
    await assertOpens(own.shortId, OTHER);
    const code = await changeSettings(server, { fileId: own.id, protect: true }, server.owner.key);
    assert.equal(code.unlockKind, "code");
    assertRefused(await postUnlock(server, { shortId: own.shortId, password: OTHER }), { status: 403, code: "UNLOCK_INVALID" });
    await unlock(server, { shortId: own.shortId, unlockCode: credentialsIn(code).unlockCode });
    assert.equal((await changeSettings(server, { fileId: own.id, protect: false }, server.owner.key)).unlockKind, null);

    const file = await upload(server, { bytes: "anonymous" });
    const { id: fileId, claimToken = "" } = file;
    assert.equal((await changeLink(server, { fileId, claimToken, protect: true, password: PASSWORD })).unlockKind, "password");
    await assertOpens(file.shortId);
    const refused = { status: 400, code: "VALIDATION_FAILED" };
    assertRefused(await patchLink(server, { fileId, claimToken, protect: false, password: PASSWORD }), refused);
    assertRefused(await patchSettings(server, { fileId, claimToken, protect: false, password: PASSWORD }), refused);
  });

  test("keeps its password while its upload is unfinished, until it is changed or removed", async () => {
    const begin = async (settings: object) => {
      const session = await init(server, { fileName: "a.bin", fileSize: 10, password: PASSWORD });
      await sendParts(server, session, someBytes(10));
      return await complete(server, session, settings);
    };
    await assertOpens((await begin({ protect: true })).shortId);
    await assertOpens((await begin({ password: OTHER })).shortId, OTHER);
    assert.equal((await getShare(server, (await begin({ protect: false })).shortId)).data.unlockKind, null);
  });

  test("is the same for a repeated request, and another one for another password", async () => {
    const headers = { "Idempotency-Key": newKey() };
    const send = (password: string) => postUpload(server, { bytes: "once", fields: { password } }, { headers });
    const first = await send(PASSWORD);
    assert.equal(first.status, 200);
    assert.equal(((await send(PASSWORD)).body as { idempotent?: boolean }).idempotent, true);
    assertRefused(await send(OTHER), { status: 422, code: "IDEMPOTENCY_KEY_REUSED" });
    const stream = { "Idempotency-Key": newKey() };
    const put = (password: string) =>
      fetch(`${server.url}/once.txt`, {
        method: "PUT",
        headers: { ...stream, "X-Password": password, Accept: "application/json" },
        body: "x",
      });
    assert.deepEqual(
      [(await put(PASSWORD.slice(0, 9))).status, (await put(PASSWORD.slice(0, 9))).status, (await put(OTHER)).status],
      [200, 200, 422],
    );
  });

  test("counts wrong passwords only, also those that are sent at the same time", async () => {
    const file = await share();
    const headers = fromAddress("203.0.113.9");
    for (let n = 0; n < 12; n++) await unlock(server, { shortId: file.shortId, password: PASSWORD }, headers);
    const guesses = await Promise.all(
      Array.from({ length: 14 }, (_, n) => postUnlock(server, { shortId: file.shortId, password: `a wrong guess ${n}` }, headers)),
    );
    // A guess that found too many others waiting was not checked, and is not counted.
    assert.ok(guesses.filter(({ status }) => status === 403).length <= 10);
    for (let n = 0; n < 12; n++) await postUnlock(server, { shortId: file.shortId, password: `another guess ${n}` }, headers);
    const limited = await postUnlock(server, { shortId: file.shortId, password: PASSWORD }, headers);
    assertRefused(limited, { status: 429, code: "RATE_LIMITED" });
    assert.ok(Number(limited.headers.get("retry-after")) > 0);
    await assertOpens(file.shortId);
  });

  test("is downloaded in a terminal with its password in a header", async () => {
    const file = await share();
    const ask = (headers: Record<string, string>) =>
      fetch(`${server.url}/d/${file.shortId}/download`, { headers: { "User-Agent": "curl/8.5.0", ...headers } });
    const without = await ask({});
    assert.deepEqual([without.status, /X-Password: PASSWORD/.test(await without.text())], [403, true]);
    const password = Buffer.from(PASSWORD).toString("latin1");
    assert.equal(await (await ask({ "X-Password": password })).text(), "hello");
    assert.equal((await ask({ "X-Password": "wrong password" })).status, 403);
  });

  test("shows the form for the password without JavaScript, and takes a text of another length for a typing error", async () => {
    const file = await share();
    const page = await (await fetch(`${server.url}/d/${file.shortId}`, { headers: { Accept: "text/html" } })).text();
    assert.match(page, /Enter the password from the sender/);
    assert.match(page, /<input[^>]*type="password"/);
    const post = (unlockCode: string) =>
      fetch(`${server.url}/d/${file.shortId}/unlock`, {
        method: "POST",
        headers: { Accept: "text/html", Origin: server.url },
        body: new URLSearchParams({ unlockCode }),
      });
    const short = await post("short");
    assert.match(await short.text(), /at least 8\scharacters; you entered 5/);
    assert.match(await (await post("wrong password")).text(), /Wrong password/);
    assert.match(await (await post(PASSWORD)).text(), /note\.txt/);
    const counted = await withDatabase(server, (db) =>
      db
        .selectFrom("rate_windows")
        .select("count")
        .where("name", "=", "unlockPerShare")
        .where("subject", "=", file.shortId)
        .executeTakeFirst(),
    );
    assert.equal(counted?.count, 1);
  });

  test("does not keep an account from its files, which others see without a name", async () => {
    const other = await addAccount(server);
    const file = await upload(server, { bytes: "own", fields: { password: PASSWORD, title: "Secret" } }, { key: other.key });
    assert.equal((await getShare(server, file.shortId)).data.title, null);
    const details = await clientOf(server, { key: other.key }).call("getFile", { fileId: file.id });
    assert.equal(details.data.unlockKind, "password");
  });
});
