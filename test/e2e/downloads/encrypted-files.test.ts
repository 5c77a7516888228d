import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Encrypter, generateX25519Identity, identityToRecipient } from "age-encryption";
import { type Origin, sendFile, startOrigin } from "../../support/services/origin-server.ts";
import { joinSwift, swiftMissing } from "../../support/services/swift.ts";
import { until } from "../../support/until.ts";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { type ApiResponse, askShare, assertRefused, call, clientOf, getShare, listFiles, postUpload, upload } from "../support/api/api.ts";
import { callTool, connectMcp } from "../support/api/mcp.ts";
import { listBucket, sendPlain, startOnS3, waitForPresignedParts } from "../support/servers/s3.ts";
import { countStoredState } from "../support/servers/state.ts";
import { delegationCalls } from "../support/shares/delegations.ts";
import { createImport, startImportingServer, waitForEnd } from "../support/shares/imports.ts";
import { createFileRequest, joining, openSubmission, tokenOf } from "../support/shares/requests.ts";
import { postBatch } from "../support/uploads/batches.ts";
import { init, MB, postComplete, putPart, sendParts, sha256, someBytes } from "../support/uploads/multipart.ts";

async function encrypt(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const encrypter = new Encrypter();
  encrypter.addRecipient(await identityToRecipient(await generateX25519Identity()));
  return new Uint8Array(await encrypter.encrypt(bytes));
}

/** What a way in made of encrypted bytes: an upload's response, an import's end, or an entry of a batch. */
type WayIn = (server: ServerWith<"owner">, bytes: Uint8Array<ArrayBuffer>, origin: Origin) => Promise<Sent>;
interface Sent {
  /** Status of a refused file. */
  readonly status?: number;
  readonly errorCode?: string | undefined;
  readonly file?: { readonly shortId: string; readonly encrypted: boolean; readonly mimeType: string } | undefined;
}

const toSent = ({ status, body }: ApiResponse): Sent =>
  status < 300 ? { file: body.data as unknown as NonNullable<Sent["file"]> } : { status, errorCode: body.errorCode };

async function runImport(server: ServerWith<"owner">, url: string): Promise<Sent> {
  const { shortId, errorCode } = await waitForEnd(server, await createImport(server, { url }));
  if (shortId === null) return { status: 415, errorCode: errorCode ?? undefined };
  const { encrypted, content_type } = await getShare(server, shortId);
  return { file: { shortId, encrypted, mimeType: content_type ?? "" } };
}

async function sendInParts(server: ServerWith<"owner">, bytes: Uint8Array<ArrayBuffer>, fields: object): Promise<Sent> {
  const declared = { fileName: name, fileSize: bytes.length, contentType: "application/pdf", partSize: MB };
  const session = await init(server, { ...declared, ...fields });
  return toSent(await postComplete(server, session, { parts: await sendParts(server, session, bytes) }));
}

function toEntry({ body }: Awaited<ReturnType<typeof postBatch>>): Sent {
  const [entry] = body.data.files;
  return entry?.errorCode === undefined ? { file: entry } : { status: 415, errorCode: entry.errorCode };
}

async function callUpload(server: ServerWith<"owner">, args: Record<string, unknown>): Promise<Sent> {
  await using client = await connectMcp(server, { era: "no session", key: server.owner.key });
  const { isError, data } = await callTool(client, "upload", args);
  return isError ? { status: 415, errorCode: String(data.errorCode) } : { file: data as unknown as NonNullable<Sent["file"]> };
}

const createShipment = async (server: ServerWith<"owner">) => (await clientOf(server).call("createShare", {})).data;

const name = "report.pdf";
const JSON_ACCEPT = { Accept: "application/json" };

const WAYS: Readonly<Record<string, WayIn>> = {
  "a form": async (server, bytes) => toSent(await postUpload(server, { bytes, name, type: "application/pdf" })),
  "a body": async (server, bytes) =>
    toSent(await call(server, "PUT", `/${name}`, { body: bytes, headers: { "Content-Type": "application/pdf", ...JSON_ACCEPT } })),
  "a body without a length": async (server, bytes) => {
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start(controller) {
        for (let start = 0; start < bytes.length; start += 7) controller.enqueue(bytes.slice(start, start + 7));
        controller.close();
      },
    });
    return toSent(await call(server, "PUT", `/${name}`, { body, headers: JSON_ACCEPT }));
  },
  "the curl form": async (server, bytes) => {
    const form = new FormData();
    form.append("file", new File([bytes], name));
    return toSent(await call(server, "POST", "/", { body: form, headers: JSON_ACCEPT }));
  },
  parts: async (server, bytes) => {
    return await sendInParts(server, bytes, {});
  },
  "a batch": async (server, bytes) => {
    const { shortId, shareToken } = await createShipment(server);
    return toEntry(await postBatch(server, { shareShortId: shortId, shareToken: shareToken ?? "" }, [{ relativePath: name, bytes }]));
  },
  "an import": async (server, _bytes, origin) => {
    return await runImport(server, `${origin.url}/${name}`);
  },
  "an import in parts": async (server, _bytes, origin) => {
    return await runImport(server, `${origin.url}/large`);
  },
  "a delegation": async (server, bytes) => {
    const { delegate, put } = delegationCalls(() => server);
    return toSent(await put(await delegate({ name, contentType: "application/pdf" }), bytes));
  },
  "a delegation in parts": async (server, bytes) => {
    const { delegate, named, post } = delegationCalls(() => server);
    const delegation = await delegate({ name, sizeBytes: bytes.length });
    const digests = { 1: sha256(bytes) };
    const { urls } = await clientOf(server).call("batchDelegatedPartUrls", { ...named(delegation), partDigests: digests });
    await putPart(urls["1"] ?? "", bytes);
    return toSent(await post("/multipart/complete", named(delegation)));
  },
  "a form into a shipment": async (server, bytes) => {
    const { shortId, shareToken = "" } = await createShipment(server);
    return toSent(await postUpload(server, { bytes, name, fields: { shareShortId: shortId, shareToken } }));
  },
  "parts into a shipment": async (server, bytes) => {
    const { shortId, shareToken } = await createShipment(server);
    return await sendInParts(server, bytes, { shareShortId: shortId, shareToken });
  },
  "a tool": async (server, bytes) => await callUpload(server, { contentBase64: Buffer.from(bytes).toString("base64"), fileName: name }),
  "a tool for a URL": async (server, _bytes, origin) => await callUpload(server, { url: `${origin.url}/${name}` }),
  "parts for a request": async (server, bytes) => {
    const token = tokenOf(await createFileRequest(server, server.owner.key));
    return await sendInParts(server, bytes, joining(token, await openSubmission(server, token)));
  },
  "a batch for a request": async (server, bytes) => {
    const token = tokenOf(await createFileRequest(server, server.owner.key));
    return toEntry(await postBatch(server, joining(token, await openSubmission(server, token)), [{ relativePath: name, bytes }]));
  },
  "a request": async (server, bytes) => {
    const token = tokenOf(await createFileRequest(server, server.owner.key));
    const submission = await openSubmission(server, token);
    const form = new FormData();
    for (const [field, value] of Object.entries(joining(token, submission))) form.append(field, value);
    form.append("file", new File([bytes], name));
    return toSent(await call(server, "POST", "/api/files/upload", { body: form }));
  },
};

describe("files that their senders encrypted", () => {
  let server: ServerWith<"owner">;
  let origin: Origin;
  let bytes: Uint8Array<ArrayBuffer>;
  before(async () => {
    bytes = await encrypt(someBytes(100_000));
    const large = await encrypt(someBytes(17 * MB));
    const headers = { ETag: '"1"' };
    origin = await startOrigin({ [`/${name}`]: sendFile({ bytes }), "/large": sendFile({ bytes: large, headers }) });
    server = await withAccounts(startImportingServer(), { owner: { username: "ada", tier: "pro" } });
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await origin[Symbol.asyncDispose]();
  });

  /** encryption, "Encrypted files". */
  for (const [way, sendFile] of Object.entries(WAYS)) {
    test(`are recognized by their bytes: ${way}`, async () => {
      const { file } = await sendFile(server, bytes, origin);
      assert.ok(file);
      assert.deepEqual({ encrypted: file.encrypted, type: file.mimeType }, { encrypted: true, type: "application/octet-stream" });
    });
  }

  test("have `encrypted` in lists, details, the metadata of shares and results of tools", async () => {
    const { key } = server.owner;
    const { id, shortId } = (await postUpload(server, { bytes, name: "secret.age" }, { key })).body.data;
    const listed = (await listFiles(server, key)).files.find((file) => file.id === id);
    assert.equal(listed?.encrypted, true);
    assert.equal((await clientOf(server, { key }).call("getFile", { fileId: id })).data.encrypted, true);
    const share = await getShare(server, shortId);
    assert.deepEqual([share.encrypted, share.scanned, share.content_type], [true, false, "application/octet-stream"]);
    await using client = await connectMcp(server, { era: "no session", key });
    const { data } = await callTool(client, "list_files", {});
    const { files } = data.data as { readonly files: readonly { readonly id: string; readonly encrypted: boolean }[] };
    assert.ok(files.some((file) => file.id === id && file.encrypted));
    const plain = await upload(server, { bytes: "age-encryption.org/v1 is a format" });
    assert.deepEqual([plain.encrypted, (await getShare(server, plain.shortId)).encrypted], [false, false]);
  });

  test("are shown as not checked, in each language", async () => {
    const { file } = (await WAYS["a form"]?.(server, bytes, origin)) ?? {};
    const sentences = {
      en: /End-to-end encrypted<.*The server could not scan it\./s,
      de: /Ende-zu-Ende-verschlüsselt<.*Der Server konnte sie nicht prüfen\./s,
      fr: /Chiffrement de bout en bout<.*Le serveur n’a pas pu l’analyser\./s,
    };
    for (const [language, sentence] of Object.entries(sentences)) {
      const page = await fetch(`${server.url}/d/${file?.shortId}`, { headers: { Accept: "text/html", "Accept-Language": language } });
      assert.match(await page.text(), sentence);
    }
  });

  /** encryption, "Refusing encrypted files". */
  describe("a server that refuses encrypted files", () => {
    let closed: ServerWith<"owner">;
    before(async () => {
      closed = await withAccounts(startImportingServer({ FILEHOST_ENCRYPTED: "off" }), { owner: { username: "ada", tier: "pro" } });
    });
    after(() => closed[Symbol.asyncDispose]());

    for (const [way, sendFile] of Object.entries(WAYS)) {
      test(`keeps nothing of them: ${way}`, async () => {
        const before = await countStoredState(closed);
        const { status, errorCode, file } = await sendFile(closed, bytes, origin);
        assert.deepEqual({ status, errorCode, file }, { status: 415, errorCode: "ENCRYPTED_REFUSED", file: undefined });
        // A shipment and a request have a share before their first file.
        const hasShare = /batch|shipment|request/.test(way);
        await until("nothing is left, also of an import, which removes its parts when it has ended", async () => {
          const after = await countStoredState(closed);
          assert.deepEqual(after, { ...before, shares: hasShare ? after.shares : before.shares });
          return true;
        });
      });
    }

    test("accepts a body that ends early, other files of a batch and a change of the setting", async () => {
      const { shortId, shareToken } = await createShipment(closed);
      const files = [
        { relativePath: "a.age", bytes },
        { relativePath: "b.txt", bytes: "some words" },
      ];
      const { body } = await postBatch(closed, { shareShortId: shortId, shareToken: shareToken ?? "" }, files);
      assert.deepEqual(
        body.data.files.map(({ errorCode = "" }) => errorCode),
        ["ENCRYPTED_REFUSED", ""],
      );
      assert.equal((await clientOf(closed).call("getCapabilities", {})).features.encryptedFiles, false);
      assert.equal((await clientOf(server).call("getCapabilities", {})).features.encryptedFiles, true);
    });
  });

  test("refuses them at the completion of parts that an S3 store received", { skip: swiftMissing }, async () => {
    const swift = await joinSwift();
    for (const setting of ["on", "off"]) {
      await using onS3 = await startOnS3(swift, { env: { FILEHOST_S3_UPLOADS: "direct", FILEHOST_ENCRYPTED: setting } });
      await waitForPresignedParts(onS3);
      const large = await encrypt(someBytes(7 * MB));
      const session = await init(onS3, { fileName: "a.age", fileSize: large.length, partSize: 5 * MB });
      const completed = await postComplete(onS3, session, { parts: await sendPlain(onS3, session, large) });
      if (setting === "on") {
        assert.equal(toSent(completed).file?.encrypted, true);
        continue;
      }
      assertRefused(completed, { status: 415, code: "ENCRYPTED_REFUSED" });
      assertRefused(await askShare(onS3, session.shortId), { status: 404, code: "NOT_FOUND" });
      assert.deepEqual(await listBucket(swift, onS3.bucket), { objects: [], uploads: [] });
    }
  });
});
