import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { describe, it } from "node:test";
import { isBlobKey } from "../../src/blobs/store.ts";
import type { CreatedKey } from "../../src/service/accounts/admin-keys.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { run, runJson } from "./support.ts";

interface Uploaded {
  readonly id: string;
  readonly shortId: string;
  readonly url: string;
  readonly expiresAt: string;
  readonly isAnonymous: boolean;
  readonly deletionToken?: string;
}

interface TakenDown {
  readonly shortId: string;
  readonly state: string;
  readonly bytesUntil: string;
  readonly files: readonly { readonly id: string; readonly name: string; readonly state: string }[];
}

interface Findings {
  readonly missing: readonly { readonly fileId: string }[];
  readonly orphans: readonly { readonly key: string; readonly where: string }[];
}

const EMPTY: Findings = { missing: [], orphans: [] };

const serve = (env: Readonly<Record<string, string>> = {}) =>
  startServer({ env: { FILEHOST_SCANNER: "off", FILEHOST_MIN_FREE: "1MB", ...env } });

const envOf = ({ dataDir }: TestServer) => ({ FILEHOST_DATA: dataDir, FILEHOST_SCANNER: "off" });

async function upload(
  server: TestServer,
  { name = "file.txt", key, query = "" }: { name?: string; key?: string; query?: string } = {},
): Promise<Uploaded> {
  const headers = { accept: "application/json", ...(key && { authorization: `Bearer ${key}` }) };
  const response = await fetch(`${server.url}/${name}${query}`, { method: "PUT", body: `what ${name} says`, headers });
  assert.equal(response.status, 200);
  return ((await response.json()) as { data: Uploaded }).data;
}

/** Uploads one byte; resolves to the status of the response. */
async function statusOfUpload(server: TestServer, key: string): Promise<number> {
  return (await fetch(`${server.url}/x.txt`, { method: "PUT", body: "x", headers: { authorization: `Bearer ${key}` } })).status;
}

const statusOf = async (url: string, headers: Readonly<Record<string, string>> = {}): Promise<number> =>
  (await fetch(url, { headers })).status;

async function blobsOf(server: TestServer): Promise<string[]> {
  const entries = await readdir(join(server.dataDir, "blobs"), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile() && isBlobKey(entry.name)).map((entry) => join(entry.parentPath, entry.name));
}

/** command line, "Commands" and "Administration"; storage, "Rows and bytes"; expiry, "Takedown". */
describe("audit and cleanup, while a server runs", () => {
  it("audit finds a missing blob and an orphan, which cleanup removes", async () => {
    await using server = await serve();
    const env = envOf(server);
    const lost = await upload(server);
    assert.deepEqual(await runJson(["audit"], env), EMPTY);
    assert.equal((await run(["audit"], env)).stdout, "The check passed: no bytes are missing or orphaned.\n");
    for (const path of await blobsOf(server)) await rm(path);
    const kept = await upload(server, { name: "kept.txt" });
    const key = "0123456789abcdef0123456789abcdef";
    await mkdir(join(server.dataDir, "blobs", "01", "23"), { recursive: true });
    await writeFile(join(server.dataDir, "blobs", "01", "23", key), "stray");

    const found = await runJson<Findings>(["audit"], env, 1);
    assert.deepEqual(found, { missing: [{ fileId: lost.id, reason: "no bytes" }], orphans: [{ key, where: "visible" }] });
    const told = await run(["audit"], env);
    assert.equal(told.code, 1);
    assert.match(told.stdout, new RegExp(`^missing +${lost.id} +no bytes\norphan +${key} +visible\n$`));
    assert.match(told.stderr, /1 file without their bytes, 1 blob without a file\. Remove orphans with: filehost cleanup --orphans/);

    const plan = await runJson<{ orphans: number }>(["cleanup", "--orphans", "--dry-run"], env);
    assert.deepEqual(plan, { expired: 0, removedFiles: 0, uploads: 0, orphans: 1, deletedRows: 0 });
    assert.deepEqual(await runJson(["audit"], env, 1), found);
    assert.deepEqual(await runJson(["cleanup"], env), { ...plan, orphans: 0 });
    assert.deepEqual(await runJson(["audit"], env, 1), found);
    assert.deepEqual(await runJson(["cleanup", "--orphans", "--yes"], env), plan);
    assert.deepEqual((await runJson<Findings>(["audit"], env, 1)).orphans, []);
    const gone = await fetch(`${server.url}/api/files/delete?fileId=${lost.id}&token=${lost.deletionToken}`, { method: "DELETE" });
    assert.equal(gone.status, 200);
    assert.deepEqual(await runJson(["audit"], env), EMPTY);
    assert.equal(await statusOf(kept.url), 200);
  });

  it("audit finds unknown files among blobs, and cleanup removes neither hidden files nor other folders", async () => {
    await using server = await serve();
    const env = envOf(server);
    const kept = await upload(server);
    const [blob = ""] = await blobsOf(server);
    const at = (...names: string[]) => join(server.dataDir, ...names);
    for (const folder of [at("blobs", "lost+found"), at("quarantine", "ab")]) await mkdir(folder);
    const strays = [
      `${blob}.copy`,
      at("blobs", "notes.txt"),
      at("blobs", basename(blob)),
      at("quarantine", "ab", "old"),
      at("staging", "left"),
    ];
    const others = [at("blobs", ".keep"), at("blobs", "lost+found", "#1"), at("notes.txt")];
    for (const path of [...strays, ...others]) await writeFile(path, "stray");
    const { missing, orphans } = await runJson<Findings>(["audit"], env, 1);
    assert.deepEqual([missing, orphans.map(({ key }) => key).sort()], [[], [...strays].sort()]);
    assert.equal((await runJson<{ orphans: number }>(["cleanup", "--orphans", "--dry-run"], env)).orphans, strays.length);
    assert.equal((await runJson<{ orphans: number }>(["cleanup"], env)).orphans, 0);
    assert.equal((await runJson<{ orphans: number }>(["cleanup", "--orphans", "--yes"], env)).orphans, strays.length);
    assert.deepEqual(await runJson(["audit"], env), EMPTY);
    for (const path of others) assert.equal(await readFile(path, "utf8"), "stray");
    assert.equal(await statusOf(kept.url), 200);
  });

  it("audit finds a truncated blob", async () => {
    await using server = await serve();
    const { id } = await upload(server);
    for (const path of await blobsOf(server)) await writeFile(path, "cut");
    assert.deepEqual(await runJson(["audit"], envOf(server), 1), {
      missing: [{ fileId: id, reason: "3 bytes instead of 18" }],
      orphans: [],
    });
  });

  it("cleanup keeps a running upload, and removes the remains of a killed server", async () => {
    await using server = await serve();
    const env = envOf(server);
    const body = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(new Uint8Array(24 * 1024 * 1024)) });
    const sent = fetch(`${server.url}/endless.bin`, { method: "PUT", body, duplex: "half" } as RequestInit).catch(() => undefined);
    await until("it is under way", async () => (await readdir(join(server.dataDir, "staging"))).length > 0);
    assert.deepEqual(await runJson(["audit"], env), EMPTY);
    const nothing = { expired: 0, removedFiles: 0, uploads: 0, orphans: 0, deletedRows: 0 };
    assert.deepEqual(await runJson(["cleanup"], env), nothing);
    await server.kill("SIGKILL");
    await sent;
    assert.equal((await runJson<Findings>(["audit"], env, 1)).orphans[0]?.where, "staging");
    assert.deepEqual(await runJson(["cleanup", "--dry-run"], env), { ...nothing, uploads: 1 });
    assert.deepEqual(await runJson(["cleanup"], env), { ...nothing, uploads: 1 });
    assert.deepEqual(await runJson(["audit"], env), EMPTY);
    assert.deepEqual(await readdir(join(server.dataDir, "staging")), []);
  });
});

describe("takedown, while a server runs", () => {
  it("blocks a share on every channel, keeps its bytes in quarantine, and can be repeated", async () => {
    await using server = await serve();
    const env = envOf(server);
    const file = await upload(server);
    const granted = (await (await fetch(`${server.url}/api/files/download/${file.id}`)).json()) as { url: string };
    assert.equal(await statusOf(granted.url), 200);

    const taken = await runJson<TakenDown>(["takedown", `${server.url}/d/${file.shortId}`], env);
    assert.deepEqual(taken.files, [{ id: file.id, name: "file.txt", state: "taken_down" }]);
    assert.deepEqual([taken.shortId, taken.state], [file.shortId, "taken_down"]);
    assert.ok(Math.abs(Date.parse(taken.bytesUntil) - Date.now() - 7 * 86_400_000) < 60_000);

    assert.equal(await statusOf(`${server.url}/d/${file.shortId}`, { accept: "text/html" }), 451);
    assert.equal(await statusOf(`${server.url}/api/files/share/${file.shortId}`), 404);
    assert.equal(await statusOf(`${server.url}/api/files/download/${file.id}`), 404);
    for (const url of [granted.url, file.url]) assert.ok([403, 404].includes(await statusOf(url)), url);
    const removal = await fetch(`${server.url}/api/files/delete?fileId=${file.id}&token=${file.deletionToken}`, { method: "DELETE" });
    assert.equal(removal.status, 404);

    await runJson(["cleanup"], env);
    assert.equal((await blobsOf(server)).length, 1);
    assert.deepEqual(await runJson(["audit"], env), EMPTY);
    assert.equal((await runJson<TakenDown>(["takedown", file.shortId], env)).bytesUntil, taken.bytesUntil);
    const skipped = await run(["rescan", file.id, "--json"], env);
    assert.equal(skipped.code, 6);
    assert.equal(await statusOf(`${server.url}/d/${file.shortId}`), 451);
  });

  it("removes the bytes with the next cleanup if the quarantine keeps nothing", async () => {
    await using server = await serve();
    const env = envOf(server);
    const { shortId } = await upload(server);
    await runJson(["takedown", shortId, "--quarantine-days", "0", "--yes"], env);
    await until("the bytes are gone", async () => {
      await runJson(["cleanup"], env);
      return (await blobsOf(server)).length === 0;
    });
    assert.deepEqual(await runJson(["audit"], env), EMPTY);
    assert.equal(await statusOf(`${server.url}/d/${shortId}`), 451);
  });

  it("aborts a running upload whose link is already known", async () => {
    await using server = await serve();
    const bytes = new Uint8Array(5 * 1024 * 1024);
    const post = async (path: string, body: unknown) =>
      await fetch(`${server.url}/api/files/multipart/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    const session = (await (await post("init", { fileName: "big.bin", fileSize: bytes.length })).json()) as {
      uploadId: string;
      key: string;
      shortId: string;
    };
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    const ids = { uploadId: session.uploadId, key: session.key };
    const urls = await post("batch-urls", { ...ids, totalParts: 1, partDigests: { "1": Buffer.from(digest).toString("hex") } });
    const { urls: parts } = (await urls.json()) as { urls: Record<string, string> };
    const partUrl = new URL(parts["1"] ?? "");
    assert.equal((await fetch(`${server.url}${partUrl.pathname}${partUrl.search}`, { method: "PUT", body: bytes })).status, 200);
    await runJson(["takedown", session.shortId], envOf(server));
    assert.equal((await post("complete", ids)).status, 409);
    assert.equal(await statusOf(`${server.url}/d/${session.shortId}`), 451);
    assert.equal((await runJson<Findings>(["audit"], envOf(server))).missing.length, 0);
  });

  it("explains that a share is unknown or deleted", async () => {
    await using server = await serve();
    const env = envOf(server);
    const unknown = await run(["takedown", "4kTqW9xZ"], env);
    assert.equal(unknown.code, 4);
    assert.match(unknown.stderr, /no share 4kTqW9xZ/);
    const file = await upload(server);
    await fetch(`${server.url}/api/files/delete?fileId=${file.id}&token=${file.deletionToken}`, { method: "DELETE" });
    const deleted = await run(["takedown", file.shortId], env);
    assert.equal(deleted.code, 4);
    assert.match(deleted.stderr, /deleted by its owner/);
  });
});

describe("accounts and keys, while a server runs", () => {
  it("every change applies from the next request on", async () => {
    await using server = await serve();
    const env = envOf(server);
    await runJson(["users", "create", "--email", "a@example.org", "--name", "A"], env);
    const { key, prefix } = await runJson<CreatedKey>(["keys", "create", "--user", "a@example.org"], env);
    const owned = await upload(server, { key });
    assert.equal(owned.isAnonymous, false);
    assert.ok(Math.abs(Date.parse(owned.expiresAt) - Date.now() - 7 * 86_400_000) < 60_000);
    const [user] = await runJson<{ usedBytes: number }[]>(["users", "list"], env);
    assert.equal(user?.usedBytes, 18);

    await runJson(["users", "set-tier", "a@example.org", "pro"], env);
    assert.equal((await upload(server, { key, name: "pro.txt" })).expiresAt, null);
    await runJson(["users", "disable", "a@example.org"], env);
    assert.equal(await statusOfUpload(server, key), 401);
    await runJson(["users", "enable", "a@example.org"], env);
    assert.equal(await statusOfUpload(server, key), 200);
    await runJson(["keys", "revoke", prefix, "--yes"], env);
    assert.equal(await statusOfUpload(server, key), 401);
  });

  it("a new key is limited to its scope", async () => {
    await using server = await serve();
    const env = envOf(server);
    await runJson(["users", "create", "--email", "a@example.org", "--name", "A"], env);
    const { key } = await runJson<CreatedKey>(["keys", "create", "--user", "a@example.org", "--scope", "files_read"], env);
    assert.equal(await statusOfUpload(server, key), 403);
  });
});
