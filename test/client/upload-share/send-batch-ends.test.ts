import assert from "node:assert/strict";
import { stat, writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createRemoteApi, type RemoteApi } from "../../../src/client/server/remote-api.ts";
import { streamForm } from "../../../src/client/upload-file/form-stream.ts";
import { contentVersionOf, type LocalFile, openLocalFile } from "../../../src/client/upload-file/local-file.ts";
import type { LocalEntry } from "../../../src/client/upload-share/collect.ts";
import { sendBatch } from "../../../src/client/upload-share/send-batch.ts";
import type { Retry } from "../../../src/transfer/retry.ts";
import { makeFolder, type TestFolder } from "../../support/folder.ts";
import { type Origin, startOrigin } from "../../support/services/origin-server.ts";
import { until } from "../../support/until.ts";

const FILES = 60;
const FILE_BYTES = 300_000;

/** What the server does with a form, and whether the caller ends it. */
interface Ending {
  /** After how many bytes; `Infinity`: all. */
  readonly afterBytes: number;
  respond(response: ServerResponse): void;
  readonly aborts?: boolean;
}

const refuse = (response: ServerResponse): void => void response.writeHead(413, { "content-type": "text/html" }).end("too large");

const ENDINGS: Readonly<Record<string, Ending>> = {
  "is refused before its bytes are read": { afterBytes: 0, respond: refuse },
  "is refused in its middle": { afterBytes: 1_000_000, respond: refuse },
  "is refused in its middle, and the connection closed": {
    afterBytes: 1_000_000,
    respond: (response) => response.writeHead(413, { connection: "close" }).end(() => response.destroy()),
  },
  "breaks in its middle": { afterBytes: 1_000_000, respond: (response) => response.destroy() },
  "is redirected": { afterBytes: 1, respond: (response) => response.writeHead(307, { location: "/elsewhere" }).end() },
  "is aborted in its middle": { afterBytes: 1_000_000, respond: () => undefined, aborts: true },
  "is read, and the response is not known": {
    afterBytes: Number.POSITIVE_INFINITY,
    respond: (response) => response.writeHead(200, { "content-type": "application/json" }).end("{}"),
  },
};

/** client up, "How bytes are sent". A file that stays open is an error of the whole process when the memory is cleaned up. */
describe("a request closes all files of its form when it ends", () => {
  let origin: Origin;
  let ending: Ending;
  let aborting: AbortController;
  let folder: TestFolder;
  let files: readonly LocalEntry[];
  before(async () => {
    origin = await startOrigin({
      "/api/agent/capabilities": (_, response) =>
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ service: "filehost", siteUrl: origin.url })),
      "/api/files/batch": receive,
    });
    folder = await makeFolder();
    files = await Promise.all(
      Array.from({ length: FILES }, async (_, index) => {
        const source = join(folder.path, `${index}.bin`);
        await writeFile(source, Buffer.alloc(FILE_BYTES, `${index} `));
        const version = contentVersionOf(source, await stat(source, { bigint: true }));
        return { path: `${index}.bin`, source, sizeBytes: FILE_BYTES, version };
      }),
    );
  });
  after(async () => {
    await origin?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  });

  function receive(request: NodeJS.ReadableStream, response: ServerResponse): void {
    const { afterBytes, respond, aborts } = ending;
    let received = 0;
    let isDone = false;
    const end = (): void => {
      if (isDone) return;
      isDone = true;
      if (aborts === true) aborting.abort(new Error("aborted"));
      respond(response);
    };
    if (afterBytes === 0) {
      end();
      return;
    }
    request.on("data", (chunk: Buffer) => {
      received += chunk.length;
      // What follows stays in the connection, as behind a proxy that reads no more.
      if (received < afterBytes) return;
      request.pause();
      end();
    });
    request.on("end", end);
  }

  function begin(name: string): RemoteApi {
    const found = ENDINGS[name];
    assert.ok(found);
    ending = found;
    aborting = new AbortController();
    return createRemoteApi({ url: origin.url, key: () => undefined, account: () => "" });
  }

  for (const name of Object.keys(ENDINGS)) {
    test(`${name}: the form's parts are closed`, async () => {
      const api = begin(name);
      let ended = 0;
      let begun = 0;
      async function* bytes(): AsyncGenerator<Uint8Array> {
        begun += 1;
        try {
          for (let index = 0; index < FILES; index += 1) yield new Uint8Array(FILE_BYTES);
        } finally {
          ended += 1;
        }
      }
      const form = streamForm([{ name: "file", fileName: "a.bin", bytes: bytes() }]);
      await assert.rejects(api.sendForm("uploadBatch", form, { signal: aborting.signal }));
      await until("the bytes are read no more", () => ended === begun);
    });

    test(`${name}: the form's files are closed`, async () => {
      const api = begin(name);
      const open = new Set<LocalFile>();
      const once: Retry = (act) => act({ index: 0, signal: aborting.signal, onAlive: () => undefined });
      await assert.rejects(
        sendBatch(files, {
          api,
          retry: once,
          fields: [],
          showsTimes: true,
          async open({ source, path }) {
            const file = await openLocalFile({ path: source, name: path });
            const counted: LocalFile = {
              ...file,
              async [Symbol.asyncDispose]() {
                await file[Symbol.asyncDispose]();
                open.delete(counted);
              },
            };
            open.add(counted);
            return counted;
          },
          onUnreadable: (_, error) => assert.fail(String(error)),
          onSent: () => undefined,
        }),
      );
      assert.equal(open.size, 0);
    });
  }
});
