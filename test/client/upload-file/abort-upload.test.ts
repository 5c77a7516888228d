import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { NO_UPLOAD_RECORDS, openUploadRecords } from "../../../src/client/records/upload-records.ts";
import { createRemoteApi } from "../../../src/client/server/remote-api.ts";
import { openLocalFile } from "../../../src/client/upload-file/local-file.ts";
import { uploadLocalFile } from "../../../src/client/upload-file/upload-file.ts";
import { askShare } from "../../e2e/support/api/api.ts";
import { startPlainServer } from "../../e2e/support/servers/plain-server.ts";
import { MB, someBytes } from "../../e2e/support/uploads/multipart.ts";
import { makeFolder } from "../../support/folder.ts";

/** client up, "Ending an upload". */
for (const isRemembered of [false, true])
  test(`${isRemembered ? "keeps" : "removes"} an interrupted upload that is ${isRemembered ? "" : "not "}remembered`, async () => {
    await using server = await startPlainServer();
    await using folder = await makeFolder();
    const path = join(folder.path, "large.bin");
    await writeFile(path, someBytes(6 * MB));
    await using file = await openLocalFile({ path, name: "large.bin" });
    const stop = new AbortController();
    const aborted: string[] = [];
    let begun = "";
    const sending = uploadLocalFile(
      { file, fileName: file.name, fields: {} },
      {
        api: createRemoteApi({ url: server.url, key: () => undefined, account: () => "" }),
        records: isRemembered ? openUploadRecords(join(folder.path, "uploads")) : NO_UPLOAD_RECORDS,
        signal: stop.signal,
        onProgress: () => undefined,
        async onShare({ shortId }) {
          begun = shortId;
          stop.abort(new Error("It was interrupted."));
        },
        async onAborted({ shortId }) {
          aborted.push(shortId);
        },
      },
    );
    await assert.rejects(sending, /It was interrupted\./);
    assert.deepEqual(aborted, isRemembered ? [] : [begun]);
    assert.equal((await askShare(server, begun)).status, isRemembered ? 200 : 404);
  });
