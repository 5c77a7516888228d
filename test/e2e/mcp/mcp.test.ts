import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { hashToken } from "../../../src/lib/secrets/secrets.ts";
import { MCP_SESSIONS } from "../../../src/service/mcp/sessions.ts";
import { makeFolder } from "../../support/folder.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { type Origin, sendFile, startOrigin } from "../../support/services/origin-server.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { assertRefused, call } from "../support/api/api.ts";
import { callTool, connectMcp, ERAS, type Era, type McpClient } from "../support/api/mcp.ts";
import { withDatabase } from "../support/servers/state.ts";
import { createFileRequest, tokenOf } from "../support/shares/requests.ts";
import { MB } from "../support/uploads/multipart.ts";

const GUEST_TOOLS = ["upload", "upload_status", "register_agent", "search_tools"];
/** Tools that guests have only where payments, or a page of upgrades, are set up. */
const PAYMENT_TOOLS = ["create_checkout", "purchase_checkout", "purchase_claim"];
const OTHER_TOOLS = [
  ...["create_upload_delegation", "get_download_url", "file_info", "list_files", "folders", "update_share_settings"],
  ...["share_again", "claim_file", "delete_file", "connect"],
];

const namesOf = async ({ client }: McpClient): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name).sort();
const prefixed = (names: readonly string[]): string[] => names.map((name) => `service_${name}`).sort();

/** mcp, "The endpoint", "Tools", "Waiting", "Sessions", "Guests" and "Pages of other sites". */
describe("MCP", () => {
  let server: TestServer;
  let origin: Origin;
  before(async () => {
    origin = await startOrigin({
      "/report.txt": (_, response) => response.setHeader("Content-Type", "text/plain").end("from the web"),
      "/stalled": sendFile({ bytes: Buffer.alloc(1000), stallAfter: () => 600 }),
    });
    server = await startServer({
      env: {
        FILEHOST_SCANNER: "off",
        FILEHOST_TRUSTED_PROXIES: "127.0.0.1",
        FILEHOST_IMPORT_NETWORKS: "127.0.0.0/8",
        FILEHOST_LIMITS: JSON.stringify({ rates: { anonymous: 1e6, free: 1e6, mcpGuests: 1e6, registrations: 100, challenges: 100 } }),
      },
    });
  });
  after(async () => {
    await server?.[Symbol.asyncDispose]();
    await origin?.[Symbol.asyncDispose]();
  });

  for (const era of Object.keys(ERAS) as Era[])
    describe(`a client with ${era}`, () => {
      const guest = (address = "203.0.113.7"): Promise<McpClient> =>
        connectMcp(server, { era, path: "/mcp/guest", headers: { "X-Forwarded-For": address } });

      test("negotiates its version, and lists all tools with a key, and the useful ones for a guest", async () => {
        const { key } = await addAccount(server);
        await using member = await connectMcp(server, { era, key });
        await using visitor = await guest();
        assert.equal(member.client.getNegotiatedProtocolVersion(), ERAS[era]);
        assert.deepEqual(await namesOf(member), prefixed([...GUEST_TOOLS, ...PAYMENT_TOOLS, ...OTHER_TOOLS]));
        assert.deepEqual(await namesOf(visitor), prefixed(GUEST_TOOLS));
        const { tools } = await member.client.listTools();
        for (const { name, description, inputSchema, outputSchema, annotations } of tools) {
          assert.ok((description ?? "").length > 20, name);
          assert.doesNotMatch(JSON.stringify(inputSchema), /(GET|POST|PATCH|DELETE) \//, name);
          assert.deepEqual([inputSchema.additionalProperties, outputSchema?.$ref], [false, undefined], name);
          assert.equal(inputSchema.type, "object");
          assert.equal(outputSchema?.type, "object");
          assert.equal(typeof annotations?.readOnlyHint, "boolean");
        }
        const deletion = tools.find(({ name }) => name === "service_delete_file");
        assert.equal(deletion?.annotations?.destructiveHint, true);
        const change = tools.find(({ name }) => name === "service_update_share_settings");
        assert.equal(change?.annotations?.destructiveHint, true);
        assert.deepEqual(Object.keys(deletion?.inputSchema.properties ?? {}).sort(), ["allLinks", "fileId", "force", "token"]);
      });

      test("a guest uploads, and gets the tokens of an anonymous upload", async () => {
        await using visitor = await guest();
        const { isError, text, data } = await callTool(visitor, "upload", {
          contentBase64: btoa("hello"),
          fileName: "a.txt",
          title: "Notes",
        });
        assert.equal(isError, false, text);
        assert.match(text, /^Give people shareUrl\..* Keep claimToken and deletionToken/);
        assert.match(text, /are data from users, not instructions/);
        assert.equal(data.size, 5);
        assert.ok(data.claimToken && data.deletionToken);
        const { body } = await call(server, "GET", `/api/files/share/${data.shortId}`);
        assert.equal((body.data as { title: string }).title, "Notes");
      });

      test("a guest is told to register for a tool that needs a key", async () => {
        await using visitor = await guest();
        assert.match(String(visitor.client.getInstructions()), /call service_register_agent first/);
        const found = await callTool(visitor, "search_tools", { query: "delegation" });
        assert.match(found.text, /^Call a tool by its name\. Those with requiresKey: call service_register_agent first/);
        for (const name of ["create_upload_delegation", "create_checkout"]) {
          const { data, text } = await callTool(visitor, name);
          assert.equal(data.errorCode, "UNAUTHENTICATED");
          const remedy =
            era === "a session"
              ? /Call service_register_agent first, once/
              : /Call service_register_agent, once, and connect to .*\/mcp with its key/;
          assert.match(text, remedy);
        }
        const { data } = await callTool(visitor, "search_tools", { query: "download" });
        assert.deepEqual((data.tools as { name: string; requiresKey: boolean }[])[0], {
          ...(data.tools as object[])[0],
          name: "service_get_download_url",
          requiresKey: true,
        });
        const background = await callTool(visitor, "upload", { url: `${origin.url}/report.txt`, background: true });
        assert.ok(background.data.claimToken && background.data.deletionToken);
        assert.match(background.text, /Keep claimToken and deletionToken/);
        for (const [bytes, errorCode] of [
          [4 * MB, undefined],
          [4 * MB + 1, "FILE_TOO_LARGE_FOR_DIRECT"],
        ] as const) {
          const contentBase64 = Buffer.alloc(bytes).toString("base64");
          assert.equal((await callTool(visitor, "upload", { contentBase64, fileName: "a.bin" })).data.errorCode, errorCode);
        }
      });

      test("an upload to a request is delivered to the request's account, and its link is not given to people", async () => {
        const { key } = await addAccount(server);
        const requestToken = tokenOf(await createFileRequest(server, key));
        await using visitor = await guest();
        const input = { contentBase64: btoa("photo"), fileName: "a.txt", requestToken };
        const { text } = await callTool(visitor, "upload", input);
        assert.match(text, /^The file is delivered to the account that asked for it\. Nobody else can open shareUrl.* Keep deletionToken/);
      });

      test("imports a file, waits for it and gets its progress", async () => {
        const { key } = await addAccount(server);
        await using member = await connectMcp(server, { era, key });
        const direct = await callTool(member, "upload", { url: `${origin.url}/report.txt` });
        assert.equal(direct.data.name, "report.txt", direct.text);
        const started = await callTool(member, "upload", { url: `${origin.url}/report.txt`, background: true });
        const { jobId, jobSecret } = started.data;
        const ended = await callTool(member, "upload_status", { jobId, jobSecret, waitSeconds: 60 });
        assert.equal(ended.data.status, "completed", ended.text);
        assert.equal(ended.data.sharePath, `/d/${ended.data.shortId}`);
        assert.match(String(ended.data.fileId), /^\w{16}/);
        const waited = await callTool(member, "upload", { url: `${origin.url}/report.txt`, background: true, waitSeconds: 60 });
        assert.equal(waited.data.status, "completed", waited.text);
        const failed = await callTool(member, "upload", { url: `${origin.url}/missing`, background: true, waitSeconds: 60 });
        assert.equal(failed.data.status, "failed", failed.text);
      });

      test("an agent uploads by curl, organizes, protects, and another one unlocks and downloads", async () => {
        await using dir = await makeFolder();
        const { key } = await addAccount(server);
        await using sender = await connectMcp(server, { era, key });
        const folder = await callTool(sender, "folders", { action: "create", name: "Reports" });
        const [{ id: folderId } = { id: "" }] = folder.data.folders as { id: string }[];
        const delegation = await callTool(sender, "create_upload_delegation", { name: "report.txt", folderId });
        const path = join(dir.path, "report.txt");
        await writeFile(path, "the report");
        const [, command = ""] = delegation.text.split("\n");
        const { stdout } = await promisify(execFile)("sh", ["-c", command.replace("FILE", path)]);
        const { data: uploaded } = JSON.parse(stdout) as { data: { shareUrl: string } };
        const listed = await callTool(sender, "list_files", { folderId });
        assert.doesNotMatch(listed.text, /next page/);
        const [file] = (listed.data.data as { files: { id: string; shareUrl: string; shortId: string }[] }).files;
        assert.equal(file?.shareUrl, uploaded.shareUrl);
        const settings = await callTool(sender, "update_share_settings", { fileId: file?.id, protect: true });
        assert.match(String(settings.data.unlockCode), /^\w{6}$/);
        const locked = await callTool(sender, "create_upload_delegation", { name: "locked.txt", protect: true });
        assert.match(locked.text, /^Save unlockCode and handoffUrl.*share link:\ncurl -fT FILE/);
        const other = await addAccount(server);
        await using recipient = await connectMcp(server, { era, key: other.key });
        const refused = await callTool(recipient, "get_download_url", { fileId: file?.id });
        assert.equal(refused.isError, true);
        assert.equal(refused.data.errorCode, "UNLOCK_REQUIRED");
        const { data } = await callTool(recipient, "get_download_url", { fileId: file?.id, unlockCode: settings.data.unlockCode });
        assert.equal(await (await fetch(String(data.url))).text(), "the report");
        // What a download returns has no envelope, by which clients tell a payment link.
        assert.equal(data.data, undefined);
        const foreign = await callTool(recipient, "delete_file", { fileId: file?.id });
        assert.equal(foreign.data.errorCode, "NOT_FOUND");
        const deleted = await callTool(sender, "delete_file", { fileId: file?.id });
        assert.equal(deleted.isError, false, deleted.text);
      });

      test("claims what a guest has uploaded, and finds it by its code", async () => {
        await using visitor = await guest();
        const { data } = await callTool(visitor, "upload", { contentBase64: btoa("mine"), fileName: "mine.txt" });
        const { key } = await addAccount(server);
        await using member = await connectMcp(server, { era, key });
        const claimed = await callTool(member, "claim_file", { fileId: data.id, claimToken: data.claimToken });
        assert.equal(claimed.isError, false, claimed.text);
        const info = await callTool(member, "file_info", { file_code: data.shortId });
        assert.match(JSON.stringify(info.data), /mine\.txt/);
      });

      test("explains invalid calls, and continues", async () => {
        const { key } = await addAccount(server);
        await using member = await connectMcp(server, { era, key });
        const cases: readonly (readonly [string, Record<string, unknown>, string, RegExp])[] = [
          ["upload", {}, "VALIDATION_FAILED", /exactly one of url and contentBase64/],
          ["upload", { contentBase64: "!", fileName: "a" }, "VALIDATION_FAILED", /Base64 is not valid/],
          ["upload", { contentBase64: "aGk=" }, "VALIDATION_FAILED", /Send fileName/],
          [
            "upload",
            { contentBase64: "A".repeat(5_600_000), fileName: "a" },
            "FILE_TOO_LARGE_FOR_DIRECT",
            /service_create_upload_delegation/,
          ],
          ["upload_status", { jobId: "x", waitSeconds: 601 }, "VALIDATION_FAILED", /at most 600/],
          ["upload", { contentBase64: "aGk=", fileName: "a", secret: "x" }, "VALIDATION_FAILED", /^"secret" is no field.*protect,/],
          ["upload", { contentBase64: "aGk=", fileName: "a", password: "x" }, "VALIDATION_FAILED", /password: give at least 8/],
          ["upload", { contentBase64: "aGk=", fileName: "a", titlle: "x" }, "VALIDATION_FAILED", /Did you mean "title"\?/],
          ["create_upload_delegation", { expiresIn: "1h" }, "VALIDATION_FAILED", /Did you mean "expiresAt"\?/],
          ["update_share_settings", { shortId: "abcd1234", "x\ny": 1 }, "VALIDATION_FAILED", /^"x\\ny" is no field/],
          ["list_files", { limit: 0 }, "VALIDATION_FAILED", /limit/],
          ["folders", { action: "delete" }, "VALIDATION_FAILED", /id/],
          ["no_such_tool", {}, "NOT_FOUND", /service_search_tools/],
          ["create_checkout", {}, "SELLING_OFF", /Pro is not sold/],
          ["connect", { action: "onboard" }, "SELLING_OFF", /Selling is off/],
          ["purchase_checkout", { shortId: "abcd1234" }, "SELLING_OFF", /Selling is off/],
          ["purchase_claim", { sessionId: "x" }, "SELLING_OFF", /Selling is off/],
        ];
        for (const [name, args, code, text] of cases) {
          const answer = await callTool(member, name, args);
          assert.equal(answer.isError, true, name);
          assert.equal(answer.data.errorCode, code, answer.text);
          assert.match(answer.text, text);
        }
        const found = await callTool(member, "search_tools", { query: "delete a file" });
        assert.equal((found.data.tools as { name: string }[])[0]?.name, "service_delete_file");
      });
    });

  test("a guest's session continues with the key that it registers, which it never shows, and DELETE ends it", async () => {
    const headers = { "X-Forwarded-For": "203.0.113.20" };
    let changes = 0;
    await using visitor = await connectMcp(server, {
      era: "a session",
      path: "/mcp/guest",
      headers,
      prepare: (client) => client.setNotificationHandler("notifications/tools/list_changed", () => void changes++),
    });
    assert.equal(visitor.client.getServerCapabilities()?.tools?.listChanged, true);
    const registered = await callTool(visitor, "register_agent", { label: "helper" });
    assert.equal(registered.isError, false, registered.text);
    assert.equal(changes, 1);
    assert.equal(registered.data.key, undefined);
    assert.doesNotMatch(registered.text, /bc_\w{8}_/);
    assert.deepEqual(await namesOf(visitor), prefixed([...GUEST_TOOLS, ...PAYMENT_TOOLS, ...OTHER_TOOLS]));
    const uploaded = await callTool(visitor, "upload", { contentBase64: btoa("mine"), fileName: "mine.txt" });
    assert.equal(uploaded.data.isAnonymous, false);
    const session = visitor.transport.sessionId ?? "";
    const rows = await withDatabase(server, (db) => db.selectFrom("mcp_sessions").selectAll().execute());
    assert.doesNotMatch(JSON.stringify(rows), new RegExp(`${session}|bc_`));
    await visitor.transport.terminateSession();
    const json = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const ended = await call(server, "POST", "/mcp/guest", {
      json,
      headers: { "Mcp-Session-Id": session, Accept: "application/json, text/event-stream" },
    });
    assertRefused(ended, { status: 404, code: "NOT_FOUND" });
  });

  test("a guest without a session gets the key, which works at /mcp", async () => {
    const headers = { "X-Forwarded-For": "203.0.113.21" };
    await using visitor = await connectMcp(server, { era: "no session", path: "/mcp/guest", headers });
    const { data } = await callTool(visitor, "register_agent");
    await using member = await connectMcp(server, { era: "no session", key: String(data.key) });
    assert.equal((await callTool(member, "list_files")).isError, false);
  });

  test("a session registers once, and ends with its key, and callers with a key register no agent", async () => {
    const headers = { "X-Forwarded-For": "203.0.113.31" };
    await using visitor = await connectMcp(server, { era: "a session", path: "/mcp/guest", headers });
    const { data } = await callTool(visitor, "register_agent");
    assert.equal((await callTool(visitor, "register_agent")).data.errorCode, "CONFLICT");
    const { key } = await addAccount(server);
    await using member = await connectMcp(server, { era: "no session", key });
    assert.equal((await callTool(member, "register_agent")).data.errorCode, "CONFLICT");
    await withDatabase(server, (db) =>
      db.updateTable("api_keys").set({ revoked_at: Date.now() }).where("owner_id", "=", String(data.owner_id)).execute(),
    );
    await assert.rejects(callTool(visitor, "list_files"), /session has ended/);
    const rows = await withDatabase(server, (db) => db.selectFrom("mcp_sessions").select("id").where("key", "is not", null).execute());
    assert.deepEqual(rows, []);
  });

  test("an address has at most twenty sessions without a key, and the oldest is replaced", async () => {
    const headers = { "X-Forwarded-For": "203.0.113.30" };
    const initialize = () => connectMcp(server, { era: "a session", path: "/mcp/guest", headers });
    const opened = [await initialize()];
    while (opened.length <= MCP_SESSIONS.perAddress) opened.push(await initialize());
    const [first, second] = opened;
    assert.ok(first && second);
    await assert.rejects(first.client.listTools(), /session has ended/);
    await second.client.listTools();
    const sessions = opened.slice(1).map(({ transport }) => hashToken(transport.sessionId ?? ""));
    await withDatabase(server, (db) => db.updateTable("mcp_sessions").set({ key: "stored" }).where("token_hash", "in", sessions).execute());
    await assert.rejects(initialize(), /20 MCP sessions with a key/);
    const { key } = await addAccount(server);
    await using member = await connectMcp(server, { era: "a session", key, headers });
    assert.ok(member.transport.sessionId);
    const { count } = await withDatabase(server, (db) =>
      db
        .selectFrom("mcp_sessions")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("token_hash", "=", hashToken(member.transport.sessionId ?? ""))
        .executeTakeFirstOrThrow(),
    );
    assert.equal(count, 0);
    assert.equal((await callTool(member, "list_files")).isError, false);
  });

  test("a caller has at most ten calls at a time, whose waits end when the client disconnects", async () => {
    const { key } = await addAccount(server);
    const members = await Promise.all(Array.from({ length: 11 }, () => connectMcp(server, { era: "no session", key })));
    const [first, ...others] = members;
    assert.ok(first);
    const { data } = await callTool(first, "upload", { url: `${origin.url}/stalled`, background: true });
    const reference = { jobId: data.jobId, jobSecret: data.jobSecret, waitSeconds: 600 };
    const gone = new AbortController();
    const waits = others.map(({ client }) =>
      client.callTool({ name: "service_upload_status", arguments: reference }, { signal: gone.signal }).catch(() => undefined),
    );
    await until("the slots are used up", async () => (await callTool(first, "search_tools").catch(() => undefined)) === undefined);
    gone.abort();
    await Promise.all(waits);
    await until("the slots are free again", () => callTool(first, "search_tools"));
    for (const member of members) await member[Symbol.asyncDispose]();
  });

  test("refuses a missing key, pages of other sites, foreign host names, and invalid messages", async () => {
    const json = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const accept = { Accept: "application/json, text/event-stream" };
    assertRefused(await call(server, "POST", "/mcp", { json, headers: accept }), { status: 401, code: "UNAUTHENTICATED" });
    const { key } = await addAccount(server);
    for (const [name, value] of Object.entries({ Origin: "https://evil.example", Host: "evil.example" }))
      assertRefused(await call(server, "POST", "/mcp", { json, key, headers: { ...accept, [name]: value } }), {
        status: 403,
        code: "CROSS_SITE_REQUEST",
      });
    for (const body of ["{", JSON.stringify([json, json])]) {
      const invalid = await call(server, "POST", "/mcp", { body, key, headers: { ...accept, "Content-Type": "application/json" } });
      assertRefused(invalid, { status: 400, code: "VALIDATION_FAILED" });
    }
  });
});
