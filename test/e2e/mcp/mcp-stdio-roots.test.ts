import assert from "node:assert/strict";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { makeFolder } from "../../support/folder.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { upload } from "../support/api/api.ts";
import { callTool, ERAS, type Era } from "../support/api/mcp.ts";
import { connectStdio } from "../support/api/mcp-stdio.ts";

/** mcp, "Roots". */
describe("a client of filehost mcp with its own roots", () => {
  let server: TestServer;
  before(async () => {
    server = await startServer({ env: { FILEHOST_SCANNER: "off" } });
  });
  after(async () => await server?.[Symbol.asyncDispose]());

  for (const era of Object.keys(ERAS) as Era[]) {
    test(`uses files within both its roots and the allowed folders, current at each call, with ${era}`, async () => {
      await using dir = await makeFolder();
      const [allowed, project, other] = ["allowed", "allowed/project", "other"].map((name) => join(dir.path, name)) as [
        string,
        string,
        string,
      ];
      for (const folder of [allowed, project, other]) await mkdir(folder);
      for (const folder of [allowed, project, other]) await writeFile(join(folder, "file.txt"), folder);
      await symlink(project, join(dir.path, "link"));
      let roots = [pathToFileURL(project).href];
      await using agent = await connectStdio(server, {
        era,
        args: ["--allow", allowed],
        capabilities: { roots: { listChanged: true } },
        prepare: (client) => client.setRequestHandler("roots/list", () => ({ roots: roots.map((uri) => ({ uri })) })),
      });
      const send = async (path: string) => await callTool(agent, "upload", { path });
      assert.equal((await send(join(project, "file.txt"))).isError, false);
      const outside = await send(join(allowed, "file.txt"));
      assert.equal(outside.data.errorCode, "FORBIDDEN");
      assert.match(outside.text, /outside the folders that this client works in/);
      roots = [pathToFileURL(other).href, "file:///missing"];
      assert.equal((await send(join(project, "file.txt"))).data.errorCode, "FORBIDDEN");
      assert.equal((await send(join(other, "file.txt"))).data.errorCode, "FORBIDDEN", "a root allows nothing");
      roots = [pathToFileURL(join(dir.path, "link")).href];
      assert.equal((await send(join(project, "file.txt"))).isError, false);
      roots = [];
      assert.equal((await send(join(project, "file.txt"))).data.errorCode, "FORBIDDEN");
    });

    test(`is asked for its roots and for an unlock code in one call, with ${era}`, async () => {
      await using dir = await makeFolder();
      const { id, unlockCode } = await upload(server, { name: "locked.txt", bytes: "locked", fields: { protect: "true" } });
      const asked: string[] = [];
      await using agent = await connectStdio(server, {
        era,
        args: ["--allow", dir.path],
        capabilities: { roots: {}, elicitation: { form: {} } },
        prepare(client) {
          client.setRequestHandler("roots/list", () => {
            asked.push("roots");
            return { roots: [{ uri: pathToFileURL(dir.path).href }] };
          });
          client.setRequestHandler("elicitation/create", () => {
            asked.push("code");
            return { action: "accept", content: { unlockCode: unlockCode ?? "" } };
          });
        },
      });
      // Downloads need a key.
      await callTool(agent, "register_agent");
      const { data, text } = await callTool(agent, "get_download_url", { fileId: id, path: dir.path });
      assert.equal(data.path, join(dir.path, "locked.txt"), text);
      assert.equal(await readFile(join(dir.path, "locked.txt"), "utf8"), "locked");
      assert.deepEqual(asked, ["roots", "code"]);
    });
  }
});
