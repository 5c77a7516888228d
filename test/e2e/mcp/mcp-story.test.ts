import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { makeFolder } from "../../support/folder.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { callTool, connectMcp, ERAS, type Era, type McpClient } from "../support/api/mcp.ts";
import { withDatabase } from "../support/servers/state.ts";

const run = promisify(execFile);

/** The two stories of agents: one sends a file to another, with nothing but what the tools say (mcp, "Guests"; sharing). */
describe("two agents without a key", () => {
  let server: TestServer;
  before(async () => {
    const rates = { anonymous: 1e6, free: 1e6, mcpGuests: 1e6, registrations: 100, challenges: 100 };
    server = await startServer({
      env: { FILEHOST_SCANNER: "off", FILEHOST_TRUSTED_PROXIES: "127.0.0.1", FILEHOST_LIMITS: JSON.stringify({ rates }) },
    });
  });
  after(async () => await server?.[Symbol.asyncDispose]());

  /** A guest that has registered: its session has the key, or the agent sends it from then on. */
  async function register(era: Era, address: string): Promise<McpClient> {
    const guest = await connectMcp(server, { era, path: "/mcp/guest", headers: { "X-Forwarded-For": address } });
    const { isError, text, data } = await callTool(guest, "register_agent", { label: "story" });
    assert.equal(isError, false, text);
    if (era === "a session") return guest;
    await guest[Symbol.asyncDispose]();
    return await connectMcp(server, { era, key: String(data.key) });
  }

  for (const era of Object.keys(ERAS) as Era[])
    test(`share a protected file of two downloads, in the form with ${era}`, async () => {
      await using folder = await makeFolder();
      const bytes = randomBytes(3_000_000);
      const path = join(folder.path, 'it\'s a "report".bin');
      await writeFile(path, bytes);
      await using sender = await register(era, "203.0.113.40");
      await using recipient = await register(era, "203.0.113.41");

      const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
      const delegation = await callTool(sender, "create_upload_delegation", { name: "report.bin", expiresAt, maxDownloads: 2 });
      assert.equal(delegation.isError, false, delegation.text);
      const [, command = ""] = delegation.text.split("\n");
      const { stdout } = await run("sh", ["-c", command.replace("FILE", '"$FILE"')], { env: { ...process.env, FILE: path } });
      const { data: uploaded } = JSON.parse(stdout) as { data: { id: string; shortId: string; shareUrl: string } };
      const again = await run("sh", ["-c", command.replace("FILE", '"$FILE"')], { env: { ...process.env, FILE: path } }).catch(
        () => "refused",
      );
      assert.equal(again, "refused");

      const { data: protection } = await callTool(sender, "update_share_settings", { shortId: uploaded.shortId, protect: true });
      const unlockCode = String(protection.unlockCode);
      const ask = (input: object) => callTool(recipient, "get_download_url", { link: uploaded.shareUrl, ...input });
      for (const input of [{}, { unlockCode: unlockCode === "AAAAAA" ? "BBBBBB" : "AAAAAA" }])
        assert.equal((await ask(input)).isError, true);
      for (const target of ["first", "second"]) {
        const { data, text } = await ask({ unlockCode });
        assert.match(text, /curl -fL -o NAME/);
        const cwd = join(folder.path, target);
        await mkdir(cwd);
        await run("curl", ["-fsSL", "-o", "report.bin", String(data.url)], { cwd });
        assert.deepEqual(await readFile(join(cwd, "report.bin")), bytes);
      }
      const usedUp = await ask({ unlockCode });
      assert.equal(usedUp.data.errorCode, "NOT_FOUND", usedUp.text);

      const message = await callTool(recipient, "upload", { contentBase64: btoa("thank you"), fileName: "reply.txt", expiresAt });
      const read = () => callTool(sender, "get_download_url", { link: message.data.shareUrl });
      assert.equal(await (await fetch(String((await read()).data.url))).text(), "thank you");
      const shortId = String(message.data.shortId);
      await withDatabase(server, (db) =>
        db
          .updateTable("shares")
          .set({ expires_at: Date.now() - 1 })
          .where("short_id", "=", shortId)
          .execute(),
      );
      assert.equal((await read()).data.errorCode, "NOT_FOUND");
    });
});
