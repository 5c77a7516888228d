import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { guideCommands } from "../../../web/docs/guides.ts";
import { withAccounts } from "../support/accounts/accounts.ts";
import { upload } from "../support/api/api.ts";
import { siteOf } from "../support/client/client-device.ts";
import { fillIn, makeReader, runDocumentedCommands } from "../support/documents/documented-blocks.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { startWebhookServer } from "../support/shares/webhooks.ts";

const FILES = ["report.pdf", "notes.txt", "plan.pdf", "photos/rome.jpg"];
const LINK = /^http:\S+\/d\/\w{8}\n$/;

/** openapi, "The reference for people". */
describe("the guides of the documentation", () => {
  test("show the commands of curl, which work", async () => {
    await using server = await withAccounts(startPlainServer(), { me: {} });
    await using reader = await makeReader(FILES);
    const { curl } = guideCommands({ siteUrl: siteOf(server), apiUrl: `${siteOf(server)}/api` });
    const { shortId } = await upload(server, { name: "saved.txt", bytes: Buffer.from("saved") });
    const run = (command: string) => runDocumentedCommands(reader, command, { KEY: server.me.key });
    for (const step of ["send", "limits", "password", "pipe", "account"] as const) assert.match(await run(curl[step]), LINK, step);
    assert.match(await run(curl.code), /"unlockCode":"\w{6}".*"handoffUrl":"http/);
    assert.equal((await run(curl.several)).trimEnd().split("\n").length, 2);
    await run(fillIn(curl.download, { SHORTID: shortId }));
    assert.equal(await readFile(join(reader.path, "saved.txt"), "utf8"), "saved");
  });

  test("show the commands of the client, which work", async () => {
    await using server = await withAccounts(startPlainServer(), { me: {} });
    await using reader = await makeReader(FILES);
    const { client } = guideCommands({ siteUrl: siteOf(server), apiUrl: `${siteOf(server)}/api` });
    const { shortId } = await upload(server, { name: "fetched.txt", bytes: Buffer.from("fetched") });
    // A person signs in in a browser, as test/e2e/client/client-login.browser.test.ts does; a key signs in here.
    await runDocumentedCommands(reader, `echo "$KEY" | ${client.signIn} --with-key`, { KEY: server.me.key });
    const steps = [
      client.server,
      client.send,
      client.folder,
      client.encrypt,
      fillIn(client.download, { SHORTID: shortId }),
      client.list,
      `${client.list} --shares`,
    ];
    const output = await runDocumentedCommands(reader, steps.join("\n"));
    for (const expected of ["report.pdf", "Trip to Rome", "#key="]) assert.ok(output.includes(expected), expected);
    assert.equal(await readFile(join(reader.path, "fetched.txt"), "utf8"), "fetched");
  });

  test("show the commands of webhooks, which work", async () => {
    await using server = await startWebhookServer();
    await using receiver = await server.receive();
    await using reader = await makeReader([]);
    const { "receive-webhooks": commands } = guideCommands({ siteUrl: siteOf(server), apiUrl: `${siteOf(server)}/api` });
    const run = async (command: string, env: Readonly<Record<string, string>> = {}) =>
      JSON.parse(await runDocumentedCommands(reader, command, { KEY: server.me.key, ...env })) as {
        readonly data: { readonly id: string; readonly secret?: string };
      };
    const { data } = await run(fillIn(commands.subscribe, { "https://receiver.example.org/events": receiver.url }));
    assert.ok(data.secret);
    await run(commands.try, { WEBHOOK: data.id });
    assert.match(JSON.stringify(await run(commands.log, { WEBHOOK: data.id })), /test/);
  });
});
