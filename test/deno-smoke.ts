/**
 * Runs the source under Deno: uploads a file, shows its share, downloads the file and a range of it, deletes it, and sends a mail.
 * Ends with `N passed, N failed`; run by scripts/test.
 */
import assert from "node:assert/strict";
import { startServer, type TestServer } from "./support/server.ts";
import { linkIn, startSmtpServer } from "./support/smtp-server.ts";
import { until } from "./support/until.ts";

const content = crypto.getRandomValues(new Uint8Array(60_000));

interface Uploaded {
  readonly id: string;
  readonly shortId: string;
  readonly deletionToken: string;
}

const outcome = { passed: 0, failed: 0 };

async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work();
    outcome.passed += 1;
    console.log(`(pass) Deno: ${name}`);
    return result;
  } catch (error) {
    outcome.failed += 1;
    console.log(`(fail) Deno: ${name}`);
    throw error;
  }
}

async function main(): Promise<void> {
  await using smtp = await startSmtpServer();
  await using server = await step("the server starts", () =>
    startServer({ runtime: "deno", env: { FILEHOST_SCANNER: "off", ...smtp.env } }),
  );
  const file = await step("a file is uploaded", () => upload(server));
  const url = await step("the download is authorized with a signed URL", () => signedUrl(server, file));
  await step("the bytes are downloaded", async () => {
    const response = await fetch(url);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("content-length"), String(content.byteLength));
    assert.deepEqual(new Uint8Array(await response.arrayBuffer()), content);
  });
  await step("a range is downloaded", async () => {
    const response = await fetch(url, { headers: { range: "bytes=1000-1999" } });
    assert.equal(response.status, 206);
    assert.deepEqual(new Uint8Array(await response.arrayBuffer()), content.subarray(1000, 2000));
  });
  await step("the share page opens", async () => {
    const response = await fetch(`${server.url}/d/${file.shortId}`);
    assert.equal(response.status, 200);
    assert.match(await response.text(), /smoke\.bin/);
  });
  await step("the file is deleted", async () => {
    const query = new URLSearchParams({ fileId: file.id, token: file.deletionToken });
    assert.equal((await fetch(`${server.url}/api/files/delete?${query}`, { method: "DELETE" })).status, 200);
    assert.equal((await fetch(url)).status, 404);
  });
  await step("a mail is sent", async () => {
    const { stdout } = await server.run(["invites", "create", "--email", "ada@example.org"]);
    assert.equal(linkIn(await smtp.next("ada@example.org"), "invite"), stdout.trim());
  });
  await step("the server stops", () => server.stop());
}

async function upload(server: TestServer): Promise<Uploaded> {
  const form = new FormData();
  form.set("file", new File([content], "smoke.bin"));
  const response = await fetch(`${server.url}/api/files/upload`, { method: "POST", body: form });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return (JSON.parse(text) as { data: Uploaded }).data;
}

async function signedUrl(server: TestServer, file: Uploaded): Promise<string> {
  return await until("the download is granted", async () => {
    const response = await fetch(`${server.url}/api/files/download/${file.id}`);
    const body = (await response.json()) as { url?: string };
    assert.ok(response.status === 200 || response.status === 409, JSON.stringify(body));
    return body.url;
  });
}

try {
  await main();
} catch (error) {
  console.log(error);
}
console.log(`${outcome.passed} passed, ${outcome.failed} failed`);
process.exitCode = outcome.failed === 0 ? 0 : 1;
