import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Migration } from "../../../src/db/migrate.ts";
import { migrations } from "../../../src/db/migrations/index.ts";
import { openDatabase } from "../../../src/db/open.ts";
import { type CodeBlock, codeBlocks } from "../../support/documents.ts";
import { until } from "../../support/until.ts";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { clientOf, getShare, upload } from "../support/api/api.ts";
import { callTool } from "../support/api/mcp.ts";
import { connectStdio } from "../support/api/mcp-stdio.ts";
import { siteOf } from "../support/client/client-device.ts";
import {
  assertSettingsAccepted,
  fillIn,
  makeReader,
  nameBlocks,
  runDocumentedCommands,
  settingsIn,
} from "../support/documents/documented-blocks.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { createFileRequest, openSubmission, send, tokenOf } from "../support/shares/requests.ts";
import { addWebhook, sendTest, startWebhookServer } from "../support/shares/webhooks.ts";

/** The blocks that another test file reads from the document and runs. */
const RUN_ELSEWHERE: Readonly<Record<string, string>> = {
  'docs/configuration.md, "Limits", 1': "test/docs/configuration.test.ts",
  'docs/deploy.md, "systemd", 1': "test/e2e/installation/systemd-unit.test.ts",
  'docs/deploy.md, "systemd", 2': "test/e2e/installation/systemd-unit.test.ts",
  'docs/deploy.md, "Reverse proxy", 1': "test/e2e/support/documents/documented-nginx.ts",
  'docs/deploy.md, "Several servers", 2': "test/e2e/support/documents/documented-nginx.ts",
  'docs/interface/json-output.md, "Shared types", 1': "test/e2e/client/json-output.test.ts",
  'docs/interface/json-output.md, "Lines", 1': "test/e2e/client/json-output.test.ts",
  'docs/interface/json-output.md, "One value", 1': "test/e2e/client/json-output.test.ts",
};

/** Why a block is not run. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'docs/bench.md, "Benchmark", 1': "measures for minutes, on a quiet machine",
  'docs/bench.md, "Benchmark", 2': "measures for minutes, on a quiet machine",
  'docs/deploy.md, "systemd", 3': "asks the machine's own systemd, in which tests start nothing; `filehost users list` itself is tested",
  'docs/deploy.md, "Reverse proxy", 2': "Caddy is not among the programs that tests install",
  'docs/operate.md, "Attacks", 1': "attacks for minutes, with all memory and processors",
  'docs/storage.md, "CORS", 1': "rules for a store; `filehost doctor` prints them, which test/doctor/s3-store.test.ts compares",
  'docs/usage.md, "Sign in from a terminal", 1': "asks a person in a browser; test/e2e/client/client-login.browser.test.ts is that person",
};

const ageMissing = spawnSync("age", ["--version"]).status === 0 ? undefined : "age is not installed (Debian: age)";

type Run = (text: string, server: ServerWith<"me">) => Promise<void>;

/** How each other block is run, in a separate folder, at a real server. */
const RUNS: Readonly<Record<string, Run>> = {
  'README.md, "filehost", 1': async (text, server) => {
    await using reader = await makeReader(["photo.jpg"]);
    const [command = "", answer = ""] = text.split("\n");
    const output = await runDocumentedCommands(reader, fillIn(command, { "$ ": "", "https://files.example.org": siteOf(server) }));
    assert.match(output, new RegExp(`^${answer.replace("https://files.example.org", siteOf(server)).replace(/\w+$/, "\\w{8}")}\n$`));
  },
  'README.md, "Start", 1': async (text, server) => {
    await using reader = await makeReader(["photo.jpg"]);
    // Installs, builds and starts what this test has: scripts/test does the same, and `filehost serve` is what all tests start.
    const commands = fillIn(text, { "./scripts/start\n": "", "http://localhost:8080": siteOf(server) });
    assert.match(await runDocumentedCommands(reader, commands), /^http:\S+\/d\/\w{8}\n$/);
  },
  'README.md, "Four lines of curl", 1': async (text, server) => {
    await using reader = await makeReader(["report.pdf", "folder/a.txt"]);
    const { shortId } = await upload(server, { name: "saved.txt", bytes: Buffer.from("saved") });
    const output = await runDocumentedCommands(reader, fillIn(text, { "http://localhost:8080": siteOf(server), SHORTID: shortId }));
    assert.match(output, /"unlockCode":"\w{6}"/);
    assert.equal(await readFile(join(reader.path, "saved.txt"), "utf8"), "saved");
  },
  'README.md, "The client", 1': async (text, server) => {
    await using reader = await makeReader(["report.pdf", "photos/a.jpg", "photos/b.jpg", "plan.pdf"]);
    const { shortId } = await upload(server, { name: "fetched.txt", bytes: Buffer.from("fetched") });
    const output = await runDocumentedCommands(reader, fillIn(text, { "http://localhost:8080": siteOf(server), SHORTID: shortId }));
    assert.equal(await readFile(join(reader.path, "fetched.txt"), "utf8"), "fetched");
    for (const expected of ["report.pdf", "Trip to Rome", "#key="]) assert.ok(output.includes(expected), expected);
  },
  'README.md, "Agents", 1': connectAsConfigured,
  'docs/interface/mcp.md, "On your own machine", 1': connectAsConfigured,
  'docs/configuration.md, "Sponsors", 1': async (text) => {
    await using reader = await makeReader([]);
    await writeFile(join(reader.path, "sponsor.html"), text);
    await using sponsored = await startPlainServer({ FILEHOST_SPONSOR_FILE: join(reader.path, "sponsor.html") });
    const { shortId } = await upload(sponsored, { bytes: Buffer.from("x") });
    const page = await (await fetch(`${sponsored.url}/d/${shortId}`)).text();
    const [, frame = ""] = /src="(\/assets\/sponsor[^"]*)"/.exec(page) ?? [];
    assert.match(await (await fetch(`${sponsored.url}${frame}`)).text(), /Summit Ropes/);
  },
  'docs/deploy.md, "Container", 1': async (text) => {
    const { services } = Bun.YAML.parse(text) as Compose;
    const { filehost } = services;
    await assertSettingsAccepted(filehost?.environment ?? {});
    for (const [name, { restart, ports = [] }] of Object.entries(services)) {
      assert.equal(restart, "unless-stopped", name);
      for (const port of ports) assert.match(port, /^127\.0\.0\.1:/, name);
    }
    for (const name of ["FILEHOST_URL", "FILEHOST_TRUSTED_PROXIES", "FILEHOST_CLAMD"]) assert.ok(filehost?.environment?.[name], name);
  },
  'docs/operate.md, "Doctor", 1': async (text, server) => {
    await using reader = await makeReader([]);
    assert.match(await runDocumentedCommands(reader, text, { ...server.env, HOME: reader.path }), /^ok {4}free space /m);
  },
  'docs/operate.md, "Doctor", 2': async (text, server) => {
    await using reader = await makeReader([]);
    const env = { ...server.env, FILEHOST_URL: "https://files.example.org", FILEHOST_MIN_FREE: "1GB" };
    const output = await runDocumentedCommands(reader, "./filehost doctor || true", env);
    const sizes = (lines: string) => lines.replace(/\d[\d.]* [KMGT]B free/, "… free");
    for (const line of text.trimEnd().split("\n")) assert.ok(sizes(output).includes(sizes(line)), `${line} in:\n${output}`);
  },
  'docs/operate.md, "Upgrade", 1': goBack,
  'docs/interface/encryption.md, "Other programs", 1': async (text, server) => {
    await using reader = await makeReader(["report.pdf", "plan.pdf"]);
    const [one = "", hidden = ""] = text.split("\n");
    const sendEncrypted = async (file: string): Promise<string> => {
      const output = await runDocumentedCommands(reader, `filehost up ${file} --encrypt`, { FILEHOST_SERVER: siteOf(server) });
      const { key, shortId } = /\/d\/(?<shortId>\w+)#key=(?<key>[\w-]+)/.exec(output)?.groups ?? assert.fail(output);
      await writeFile(join(reader.path, "key.txt"), `${key}\n`);
      await runDocumentedCommands(reader, `curl -fsLOJ ${siteOf(server)}/d/${shortId}/download\nrm ${file.split(" ")[0]}`);
      return (await readdir(reader.path)).find((name) => name.endsWith(".age")) ?? assert.fail();
    };
    assert.equal(await sendEncrypted("report.pdf"), "report.pdf.age");
    await runDocumentedCommands(reader, `${one}\nrm report.pdf.age`);
    assert.equal(await readFile(join(reader.path, "report.pdf"), "utf8"), "The text of report.pdf.\n");
    const archive = await sendEncrypted("plan.pdf --encrypt-name");
    await runDocumentedCommands(reader, fillIn(hidden, { "encrypted-4f2a90c1d3e5b7a8.tar.age": archive }));
    assert.equal(await readFile(join(reader.path, "plan.pdf"), "utf8"), "The text of plan.pdf.\n");
  },
  'docs/interface/requests.md, "With curl", 1': async (text, server) => {
    await using reader = await makeReader(["photo.jpg", "a.jpg", "b.jpg"]);
    const requestToken = tokenOf(await createFileRequest(server, server.me.key));
    const { shortId, shareToken = "" } = await openSubmission(server, requestToken);
    const received = await send(server, { requestToken });
    const values = {
      "rq_…": requestToken,
      "7kXq9Zab": shortId,
      "share_…": shareToken,
      "5hQ2vR8kLm3xTz0B": received.body.data.id,
      "{base_url}": `${siteOf(server)}/api`,
      "{site_url}": siteOf(server),
    };
    const commands = fillIn(text, values).replaceAll("curl ", "curl --fail-with-body -sS ");
    assert.match(await runDocumentedCommands(reader, commands, { KEY: server.me.key }), /"requestUrl"/);
  },
  'docs/usage.md, "Several files behind one link", 1': async (text, server) => {
    await using reader = await makeReader(["a.pdf", "b.pdf"]);
    const [open = "", , send = ""] = fillIn(text, { "http://localhost:8080": siteOf(server) }).split("\n");
    const opened = (JSON.parse(await runDocumentedCommands(reader, open)) as { readonly data: Record<"shortId" | "shareToken", string> })
      .data;
    await runDocumentedCommands(
      reader,
      fillIn(send, { "7kXq9Zab": opened.shortId, "share_…": opened.shareToken }).replace("curl", "curl -f"),
    );
    assert.equal((await getShare(server, opened.shortId)).data.files?.length, 2);
  },
  'docs/usage.md, "Send a folder of small files", 1': async (text, server) => {
    await using reader = await makeReader(["docs/a.txt", "docs/b.txt"]);
    const { data } = await clientOf(server).call("createShare", {});
    const values = { "{shortId}": data.shortId, "share_…": data.shareToken ?? "", "http://localhost:8080": siteOf(server) };
    await runDocumentedCommands(reader, fillIn(text, values).replace("curl", "curl -f"));
    assert.equal((await getShare(server, data.shortId)).data.files?.length, 2);
  },
  'docs/webhooks.md, "Verify", 1': async (text) => {
    await using server = await startWebhookServer();
    await using receiver = await server.receive();
    const { id, secret } = await addWebhook(server, server.me.key, receiver);
    await sendTest(server, server.me.key, id);
    const received = await until("the test event is received", () => receiver.received[0]);
    const names = ["createHash", "createHmac", "timingSafeEqual", "headers", "rawBody", "secret"] as const;
    const verify = new Function(...names, `${text}; return isFresh && isAuthentic;`);
    const check = (rawBody: string): unknown => verify(createHash, createHmac, timingSafeEqual, received.headers, rawBody, secret);
    assert.equal(check(received.rawBody), true);
    assert.equal(check(`${received.rawBody} `), false);
  },
};

interface Compose {
  readonly services: Readonly<
    Record<
      string,
      { readonly restart?: string; readonly ports?: readonly string[]; readonly environment?: Readonly<Record<string, string>> }
    >
  >;
}

/** Starts `filehost mcp` as a configuration of MCP clients says. */
async function connectAsConfigured(text: string, server: ServerWith<"me">): Promise<void> {
  await using reader = await makeReader(["note.txt"]);
  const values = { "https://files.example.org": siteOf(server), "/home/ada/Shared": reader.path, "bc_...": server.me.key };
  const { mcpServers } = JSON.parse(fillIn(text, values)) as {
    readonly mcpServers: {
      readonly filehost: { readonly command: string; readonly args: readonly string[]; readonly env: Record<string, string> };
    };
  };
  const { command, args, env } = mcpServers.filehost;
  assert.deepEqual([command, ...args.slice(0, 3)], ["filehost", "mcp", "--url", siteOf(server)]);
  await using connection = await connectStdio({ url: siteOf(server) }, { era: "no session", args: args.slice(3), env });
  const answer = await callTool(connection, "upload", { path: join(reader.path, "note.txt") });
  assert.ok(!answer.isError, JSON.stringify(answer));
}

/** Upgrades the schema of a server's database, and goes back to the executable of before. */
async function goBack(text: string): Promise<void> {
  const example: Migration = { name: "0042-example", statements: ["CREATE TABLE example (x TEXT)"] };
  await using server = await startPlainServer();
  const sent = await upload(server, { bytes: Buffer.from("of before") });
  await server.stop();
  {
    await using upgraded = await openDatabase({ url: `file:${join(server.dataDir, "filehost.db")}`, migrations: [...migrations, example] });
    assert.ok(upgraded);
  }
  assert.equal((await server.run(["users", "list"])).code, 8, "an older executable refuses the newer database");
  await using reader = await makeReader([]);
  await runDocumentedCommands(reader, fillIn(text, { "/var/lib/filehost": server.dataDir }));
  await server.restart();
  assert.equal((await getShare(server, sent.shortId)).data.short_id, sent.shortId);
}

const blocks = nameBlocks(codeBlocks);
const isSettings = ({ text }: CodeBlock): boolean => settingsIn(text) !== undefined;

/** The settings of a block and of those above it in its document. */
const settingsUpTo = (last: CodeBlock): Readonly<Record<string, string>> =>
  Object.assign(
    {},
    ...codeBlocks
      .slice(0, codeBlocks.indexOf(last) + 1)
      .flatMap(({ document, text }) => (document === last.document ? [settingsIn(text) ?? {}] : [])),
  );

/** operate, configuration, deploy and all other documents for people */
describe("a block of code in the README and docs/", () => {
  let server: ServerWith<"me">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { me: {} });
  });
  after(() => server[Symbol.asyncDispose]());

  it("is run by a test, or has a reason why not", () => {
    const covered = [RUNS, RUN_ELSEWHERE, NOT_RUN].flatMap((table) => Object.keys(table));
    assert.equal(new Set(covered).size, covered.length, "a block is in one table");
    const others = [...blocks].filter(([name, block]) => !covered.includes(name) && !isSettings(block)).map(([name]) => name);
    assert.deepEqual(others, []);
    assert.deepEqual(
      covered.filter((name) => !blocks.has(name)),
      [],
      "each entry has its block",
    );
    for (const file of Object.values(RUN_ELSEWHERE)) assert.ok(existsSync(resolve(import.meta.dirname, "../../..", file)), file);
  });

  for (const [name, block] of blocks) {
    if (isSettings(block)) it(`is accepted by the server: ${name}`, () => assertSettingsAccepted(settingsUpTo(block)));
  }

  for (const [name, run] of Object.entries(RUNS)) {
    const skip = name.includes("encryption.md") ? ageMissing : undefined;
    it(`has the documented effect: ${name}`, { skip }, async () =>
      run(blocks.get(name)?.text ?? assert.fail(`${name} is missing`), server),
    );
  }
});
