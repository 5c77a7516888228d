import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { sql } from "kysely";
import type { Db } from "../../../src/db/database.ts";
import { sendFile, startOrigin } from "../../support/services/origin-server.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { register } from "../support/accounts/agents.ts";
import { codeOf, startSignIn } from "../support/accounts/two-step.ts";
import { call, type Upload, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";
import { tokenOf } from "../support/shares/requests.ts";
import { credentialsIn, unlock } from "../support/shares/shares.ts";
import { uploadInParts } from "../support/uploads/multipart.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Names of secret fields in responses. */
const SECRETS = [
  "claimToken",
  "shareToken",
  "deletionToken",
  "unlockCode",
  "handoffUrl",
  "unlockToken",
  "jobSecret",
  "delegationToken",
  "uploadId",
  "key",
  "secret",
  "requestUrl",
  "sessionToken",
];

/** identifiers, "Secrets"; idempotency, "What a repeated request gets": a secret is stored only hashed or encrypted. */
test("no secret from a response is in the data folder or in the log", async () => {
  await using origin = await startOrigin({ "/a.txt": sendFile({ bytes: Buffer.from("hello") }) });
  await using server = await startPlainServer({
    FILEHOST_IMPORT_NETWORKS: "127.0.0.0/8",
    FILEHOST_WEBHOOK_NETWORKS: "127.0.0.0/8",
    FILEHOST_LOG: "trace:json",
  });
  const { key } = await addAccount(server);
  const returned: Fields[] = [];
  const post = async (path: string, json: object, options: { key?: string } = {}): Promise<Fields> => {
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const { status, body } = await call<{ data: Fields }>(server, "POST", `/api${path}`, { ...options, headers, json });
    assert.ok(status < 300, JSON.stringify(body));
    returned.push(body.data);
    return body.data;
  };

  const file: Upload = await upload(
    server,
    { bytes: "hello", fields: { protect: "true" } },
    { headers: { "Idempotency-Key": crypto.randomUUID() } },
  );
  returned.push({ ...file });
  const { unlockCode, handoffToken } = credentialsIn(file);
  const unlocked = await unlock(server, { shortId: file.shortId, unlockCode });
  returned.push({ unlockToken: unlocked.unlockToken });
  returned.push({ ...(await uploadInParts(server, new Uint8Array(10), { protect: true })) });
  await post("/files/multipart/init", { fileName: "a", fileSize: 1 });
  const job = await post("/files/remote-multipart/init", { url: `${origin.url}/a.txt?token=of-the-address`, protect: true });
  const finished = await until("the import is done", async () => {
    const path = `/api/files/remote-multipart/${job.jobId}?secret=${job.jobSecret}`;
    const { body } = await call<{ data: Fields }>(server, "GET", path);
    return body.data.status === "completed" ? body.data : undefined;
  });
  returned.push(finished);
  const shipment = await post("/shares", { protect: true });
  const joining = { shareShortId: shipment.shortId, shareToken: shipment.shareToken };
  const joined = await post("/files/multipart/init", { fileName: "a", fileSize: 0, ...joining });
  await post("/files/multipart/complete", { uploadId: joined.uploadId, ...joining });
  const put = await fetch(`${server.url}/a.txt?${new URLSearchParams(joining as Record<string, string>)}`, {
    method: "PUT",
    body: "hello",
  });
  assert.equal(put.status, 200);
  await post("/files/remote-multipart/init", { url: `${origin.url}/a.txt`, ...joining });
  const delegation = await post("/files/upload-delegations", { name: "a.txt", protect: true }, { key });
  const sent = await fetch(String(delegation.uploadUrl), { method: "PUT", body: "hello" });
  assert.equal(sent.status, 200);
  await post("/webhooks", { url: "https://127.0.0.1:9/", events: ["file.failed"] }, { key });
  const made = await post("/keys", { label: "one" }, { key });
  await post(`/keys/${made.id}/rotate`, {}, { key });
  returned.push({ key: (await register(server)).key });
  const request = await post("/requests", { title: "Photos", protect: true }, { key });
  const requestToken = tokenOf({ requestUrl: String(request.requestUrl) });
  for (const path of [`/r/${requestToken}`, `/api/requests/by-token?requestToken=${requestToken}`])
    assert.equal((await fetch(server.url + path)).status, 200, path);
  const person = { email: "ada@example.org", password: "a password of these tests", name: "Ada" };
  const session = { key: String((await post("/auth/sign-up", person)).sessionToken) };
  const authenticatorSecret = String((await post("/auth/totp", {}, session)).secret);
  const turnedOn = await post("/auth/totp/confirm", { code: codeOf(authenticatorSecret) }, session);
  const recoveryCodes = turnedOn.recoveryCodes as readonly string[];
  assert.equal(recoveryCodes.length, 10);
  const signInToken = await startSignIn(server, person);
  await post("/auth/sign-in/code", { signInToken, code: recoveryCodes[0] });

  const secrets = [
    ...returned.flatMap((members) => SECRETS.flatMap((name) => (typeof members[name] === "string" ? [members[name] as string] : []))),
    handoffToken,
    "of-the-address",
  ].map((secret) => secret.replace(/^.*\/h\//, "").replace(/^.*\/r\//, "rq_"));
  // Recognized by their form: an API key and the public name of an upload are both called `key`.
  const recognized = secrets.filter((secret) => /^(bc_\w{8}_|ho_|rq_|[a-z]+_[\w-]{43}$|[\w-]{43}$|[0-9A-Z]{6}$|ul_|of-the)/.test(secret));
  recognized.push(person.password, authenticatorSecret, signInToken, ...recoveryCodes.flatMap((code) => [code, code.replaceAll("-", "")]));
  const kinds = new Set(recognized.map((secret) => /^[a-z]+_/.exec(secret)?.[0] ?? secret.length));
  for (const kind of ["share_", "claim_", "del_", "ho_", "ul_", "job_", "dg_", "whsec_", "bc_", "rq_", "session_", "signin_", 6, 43])
    assert.ok(kinds.has(kind), String(kind));
  await server.stop();
  const entries = await readdir(server.dataDir, { recursive: true, withFileTypes: true });
  const texts = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => [entry.name, await readFile(join(entry.parentPath, entry.name), "latin1")] as const),
  );
  const log = JSON.stringify(server.logs());
  assert.ok(texts.some(([, text]) => text.includes(file.shortId)));
  for (const secret of recognized.filter(({ length }) => length > 6)) {
    const bare = secret.replace(/^(bc_\w{8}|[a-z]+)_/, "");
    for (const [name, text] of [...texts, ["the log", log] as const]) assert.ok(!text.includes(bare), `${secret} is in ${name}`);
  }
  // Six characters may occur in random text, so codes are searched as whole words.
  const cells = await withDatabase(server, listCells);
  assert.ok(cells.includes(file.shortId));
  for (const code of recognized.filter(({ length }) => length === 6))
    assert.ok(![...cells, log].some((text) => new RegExp(`(?<![\\w-])${code}(?![\\w-])`).test(text)), code);
});

/** Every value in the database, as text. */
async function listCells(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`SELECT name FROM sqlite_master WHERE type = 'table'`.execute(db);
  const tables = await Promise.all(rows.map(({ name }) => sql<object>`SELECT * FROM ${sql.table(name)}`.execute(db)));
  return tables.flatMap(({ rows }) => rows.flatMap((row) => Object.values(row).map(String)));
}

/** addresses, "Base addresses": no part of a response derives from the `Host` header. */
test("all URLs are the configured ones, whatever Host a request names", async () => {
  await using server = await startPlainServer({ FILEHOST_URL: "https://files.example.org" });
  const { port } = new URL(server.url);
  const headers = { Host: "evil.example", "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "ftp", Forwarded: "host=evil.example" };
  const file: Upload = await upload(server, { bytes: "x", fields: { protect: "true" } }, { headers });
  assert.equal(file.shareUrl, `https://files.example.org/d/${file.shortId}`);
  for (const address of [file.url, file.handoffUrl ?? ""]) assert.ok(address.startsWith("https://files.example.org/"), address);
  const pages = [`/d/${file.shortId}`, "/", "/llms.txt", "/agent-openapi.json", "/api/agent/capabilities"];
  for (const path of pages) {
    const text = await (await fetch(server.url + path, { headers })).text();
    assert.ok(!/evil\.example/.test(text), path);
    assert.ok(!text.includes(`localhost:${port}`), path);
  }
});
