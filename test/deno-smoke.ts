/**
 * Runs the source under Deno: uploads a file, shows its share, downloads the file and a range of it, deletes it, and sends a mail. Then an
 * account signs up and in, with a code and with a passkey, opens its pages, asks others for files, and changes the settings. Another one signs in at
 * an identity provider, replaces its password by mail, and is deleted.
 * Ends with `N passed, N failed`; run by scripts/test.
 */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { homeOf } from "./e2e/support/accounts/person.ts";
import { codeOf, startSignIn } from "./e2e/support/accounts/two-step.ts";
import { assertRefused, call, clientOf } from "./e2e/support/api/api.ts";
import { callTool, connectMcp } from "./e2e/support/api/mcp.ts";
import { connectStdio } from "./e2e/support/api/mcp-stdio.ts";
import { sendRaw } from "./e2e/support/api/raw-http.ts";
import { createFileRequest, getRequest, send, tokenOf } from "./e2e/support/shares/requests.ts";
import { someBytes } from "./e2e/support/uploads/multipart.ts";
import { putFile } from "./e2e/support/uploads/transfers.ts";
import { createAuthenticator } from "./support/browser/authenticator.ts";
import { makeFolder } from "./support/folder.ts";
import { reservePort } from "./support/network/free-ports.ts";
import { startServer, type TestServer } from "./support/server.ts";
import { signInAtProvider, startIdentityProvider, type TestIdentityProvider } from "./support/services/identity-provider.ts";
import { linkIn, startSmtpServer, type TestSmtpServer } from "./support/services/smtp-server.ts";
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

/** An agent without a key registers, sends a file in parts and saves it, by its path. */
async function useStdio(server: TestServer): Promise<void> {
  await using dir = await makeFolder();
  const bytes = someBytes(5 * 1024 ** 2);
  await writeFile(join(dir.path, "agent.bin"), bytes);
  const env = { XDG_STATE_HOME: join(dir.path, "state") };
  await using agent = await connectStdio(server, { era: "no session", runtime: "deno", args: ["--allow", dir.path], env });
  assert.equal((await callTool(agent, "register_agent")).isError, false);
  const sent = await callTool(agent, "upload", { path: join(dir.path, "agent.bin") });
  const saved = await callTool(agent, "get_download_url", { fileId: sent.data.id, path: join(dir.path, "saved.bin") });
  assert.equal(saved.isError, false, saved.text);
  assert.ok((await readFile(join(dir.path, "saved.bin"))).equals(bytes));
}

async function main(): Promise<void> {
  await using smtp = await startSmtpServer();
  const port = await reservePort();
  await using provider = await startIdentityProvider(`http://localhost:${port}/signin/oidc/callback`);
  const env = { FILEHOST_LISTEN: `127.0.0.1:${port}`, FILEHOST_SCANNER: "off", ...smtp.env, ...provider.env };
  await using server = await step("the server starts", () => startServer({ runtime: "deno", env }));
  const file = await step("a file is uploaded", () => upload(server));
  const url = await step("the download is authorized with a signed URL", () => grantedUrl(server, file.id));
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
  await step("the bytes of a limited share are downloaded", async () => {
    const large = someBytes(24 * 1024 ** 2);
    const { id } = await putFile(server, "/once.bin?once=true", large);
    const response = await fetch(await grantedUrl(server, id));
    assert.ok(Buffer.from(await response.arrayBuffer()).equals(large));
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
  await step("an agent registers and uploads by MCP", async () => {
    await using guest = await connectMcp(server, { era: "a session", path: "/mcp/guest" });
    const registered = await callTool(guest, "register_agent");
    assert.equal(registered.isError, false, registered.text);
    const uploaded = await callTool(guest, "upload", { contentBase64: btoa("hello"), fileName: "a.txt" });
    assert.equal(uploaded.data.isAnonymous, false, uploaded.text);
  });
  await step("filehost mcp registers, uploads and saves a file", () => useStdio(server));
  await step("a mail is sent", async () => {
    const { stdout } = await server.run(["invites", "create", "--email", "ada@example.org"]);
    assert.equal(linkIn(await smtp.next("ada@example.org"), "invite"), stdout.trim());
  });
  await useAccount(server);
  await useOtherAccount(server, smtp, provider);
  await step("the server stops", () => server.stop());
}

const PERSON = { email: "grace@example.org", password: "correct horse battery", name: "Grace Hopper" };

async function useAccount(server: TestServer): Promise<void> {
  const home = homeOf(server);
  const showPage = async (path: string, sessionToken: string): Promise<string> => {
    const headers = { Accept: "text/html", Cookie: `session=${sessionToken}` };
    const response = await fetch(home + path, { redirect: "manual", headers });
    assert.equal(response.status, 200, path);
    return await response.text();
  };
  const key = await step("the first administrator signs up with the link in the log", async () => {
    const invite = server
      .logs()
      .map(({ msg = "" }) => /\/invite\/(invite_\S+)/.exec(msg)?.[1])
      .find((token) => token !== undefined);
    const { data } = await clientOf(server).call("signUp", { ...PERSON, invite });
    return data.sessionToken;
  });
  await step("pages open with the session's cookie", async () => {
    assert.match(await showPage("/files", key), /Grace Hopper/);
    assert.match(await showPage("/admin", key), /Grace Hopper/);
  });
  const client = clientOf(server, { key });
  await step("a code of an app signs in", async () => {
    const { secret } = (await client.call("startTotp", {})).data;
    await client.call("confirmTotp", { code: codeOf(secret) });
    const signInToken = await startSignIn(server, PERSON);
    const { data } = await clientOf(server).call("signInWithCode", { signInToken, code: codeOf(secret, 1) });
    assert.match(await showPage("/settings", data.sessionToken), /grace@example\.org/);
  });
  await step("a passkey signs in", async () => {
    const device = createAuthenticator({ origin: home });
    const { options } = (await client.call("startPasskey", {})).data;
    await client.call("addPasskey", { credential: device.make(options) });
    const asked = (await clientOf(server).call("startPasskeySignIn", {})).data;
    const { data } = await clientOf(server).call("signInWithPasskey", { credential: device.use(asked.options) });
    assert.equal(data.owner.email, PERSON.email);
  });
  await step("a call without a body is accepted", async () => {
    const head = `POST /api/notices/read HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`;
    assert.equal((await sendRaw(server, [head])).status, 200);
  });
  await step("a request receives a file", async () => {
    const request = await createFileRequest(server, key);
    const page = await fetch(`${server.url}/r/${tokenOf(request)}`);
    assert.match(await page.text(), /Grace Hopper/);
    assert.equal((await send(server, { requestToken: tokenOf(request) })).status, 200);
    assert.equal((await getRequest(server, key, request.id)).receivedFiles, 1);
  });
  await step("a changed setting is in force with the next request", async () => {
    await client.call("updateSettings", { settings: { name: "Harbour" } });
    assert.match(await showPage("/", key), /Harbour<\/title>/);
  });
}

async function useOtherAccount(server: TestServer, smtp: TestSmtpServer, provider: TestIdentityProvider): Promise<void> {
  const email = "alan@example.org";
  const password = "another horse battery";
  provider.people.set("alan", { email, email_verified: true, name: "Alan Turing" });
  await step("an account is created at an identity provider", async () => {
    const home = homeOf(server);
    const headers = { Accept: "text/html", Origin: home, "Sec-Fetch-Site": "same-origin" };
    const begun = await fetch(`${home}/signin/oidc`, { method: "POST", redirect: "manual", headers, body: new URLSearchParams() });
    const away = begun.headers.get("refresh")?.replace(/^0; url=/, "") ?? "";
    const back = await signInAtProvider(away, "alan");
    const ended = await fetch(back, { redirect: "manual", headers: { Accept: "text/html", Cookie: cookieOf(begun, "provider-flow") } });
    assert.equal(ended.status, 303);
    const session = cookieOf(ended, "session").replace(/^session=/, "");
    assert.equal((await clientOf(server, { key: session }).call("getMe", {})).data.owner.email, email);
  });
  await step("a password is replaced by mail", async () => {
    await clientOf(server).call("requestPasswordReset", { email });
    const link = linkIn(await smtp.next(email), "reset");
    await clientOf(server).call("resetPassword", { token: link.slice(link.lastIndexOf("/") + 1), newPassword: password });
  });
  await step("an account is deleted", async () => {
    const { sessionToken: key } = (await clientOf(server).call("signIn", { login: email, password })).data;
    await clientOf(server, { key }).call("deleteMe", { confirm: email });
    assertRefused(await call(server, "GET", "/api/me", { key }), { status: 401, code: "UNAUTHENTICATED" });
  });
}

/** A cookie that a response sets, as `name=value`. */
const cookieOf = (response: Response, name: string): string =>
  response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0] ?? "")
    .find((cookie) => cookie.startsWith(`${name}=`)) ?? assert.fail(`The response sets no cookie ${name}.`);

async function upload(server: TestServer): Promise<Uploaded> {
  const form = new FormData();
  form.set("file", new File([content], "smoke.bin"));
  const response = await fetch(`${server.url}/api/files/upload`, { method: "POST", body: form });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return (JSON.parse(text) as { data: Uploaded }).data;
}

async function grantedUrl(server: TestServer, fileId: string): Promise<string> {
  return await until("the download is granted", async () => {
    const response = await fetch(`${server.url}/api/files/download/${fileId}`);
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
