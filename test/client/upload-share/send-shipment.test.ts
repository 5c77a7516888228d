import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { NO_UPLOAD_RECORDS } from "../../../src/client/records/upload-records.ts";
import { createRemoteApi } from "../../../src/client/server/remote-api.ts";
import { collectFiles, type UnreadablePath } from "../../../src/client/upload-share/collect.ts";
import { sendShipment } from "../../../src/client/upload-share/send-shipment.ts";
import { openSource } from "../../../src/client/upload-share/source-transform.ts";
import { makeFolder } from "../../support/folder.ts";
import { startOrigin } from "../../support/services/origin-server.ts";

/** uploads, "Behind a proxy that limits requests". Each file is reported once. */
test("a batch that a proxy refuses is divided without the files that could not be read", async () => {
  await using origin = await startOrigin({
    "/api/agent/capabilities": (_, response) =>
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ service: "filehost", siteUrl: origin.url })),
    "/api/files/batch": (_, response) => response.writeHead(413, { "content-type": "text/html" }).end("too large"),
  });
  await using folder = await makeFolder();
  for (let index = 0; index < 8; index += 1) await writeFile(join(folder.path, `${index}.txt`), `${index}`);
  const { signal } = new AbortController();
  const { files } = await collectFiles([folder.path], { followLinks: false, signal });
  assert.equal(files.length, 8);
  await rm(join(folder.path, "2.txt"));
  const failed: UnreadablePath[] = [];
  const ignore = async (): Promise<void> => undefined;
  await assert.rejects(
    sendShipment(
      { fields: {}, files, isEncrypted: false, showsTimes: false },
      {
        api: createRemoteApi({ url: origin.url, key: () => undefined, account: () => "" }),
        records: NO_UPLOAD_RECORDS,
        signal,
        open: (file) => openSource(file, undefined),
        onWait: () => undefined,
        onProgress: () => undefined,
        onSent: ignore,
        onBegun: ignore,
        isSent: async () => false,
        onFailed: (problem) => failed.push(problem),
      },
    ),
  );
  assert.deepEqual(
    failed.map(({ path }) => path.slice(-5)),
    ["2.txt"],
  );
});
