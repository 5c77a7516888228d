import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fetchFile } from "../../../src/client/download-share/fetch-file.ts";
import { makeFolder } from "../../support/folder.ts";
import { startOrigin } from "../../support/origin-server.ts";

/** client down, "Continuing". */
test("a complete download whose name was taken meanwhile is kept, and its path is reported", async () => {
  await using folder = await makeFolder();
  const path = join(folder.path, "a.txt");
  await using server = await startOrigin({
    "/dl/x": (request, response) => {
      response.setHeader("Content-Length", 5).setHeader("ETag", '"one"');
      if (request.method === "HEAD") response.end();
      else void writeFile(path, "mine").then(() => response.end("hello"));
    },
  });
  const url = `${server.url}/dl/x?g=1`;
  const source = { identity: "x", server: { reach: (text: string) => new URL(text) }, authorize: async () => url };
  const fetching = {
    env: { XDG_STATE_HOME: join(folder.path, "state") },
    signal: new AbortController().signal,
    onProgress: () => undefined,
    onWait: () => undefined,
  };
  await assert.rejects(fetchFile(source, { partPath: path, path, overwrite: false }, fetching), {
    code: "CONFLICT",
    advice: [{ kind: "moveOrReplace" }, { kind: "finishDownload", path: `${path}.part` }],
  });
  assert.deepEqual([await readFile(path, "utf8"), await readFile(`${path}.part`, "utf8")], ["mine", "hello"]);
});
