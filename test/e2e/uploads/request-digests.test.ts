import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { glob, readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { clientOf, toForm } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { countStoredState } from "../support/servers/state.ts";
import { delegationCalls } from "../support/shares/delegations.ts";
import { createFileRequest, tokenOf } from "../support/shares/requests.ts";
import { shipmentCalls } from "../support/shares/shipments.ts";
import { init, partUrl, someBytes } from "../support/uploads/multipart.ts";

const BYTES = someBytes(100_000);
const BOUNDARY = "bOuNdArY";
const FORM = { "Content-Type": `multipart/form-data; boundary=${BOUNDARY}` };
const SRC = `${import.meta.dirname}/../../../src`;

const base64 = (algorithm: string, bytes: Uint8Array): string => createHash(algorithm).update(bytes).digest("base64");

interface Target {
  readonly method: "PUT" | "POST";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
  /** Status of a page's redirect to the receipt; missing for an operation. */
  readonly success?: 303;
}

const HEADERS = (bytes: Uint8Array, wrong: Uint8Array) =>
  [
    [{ "Content-Range": "bytes 2500-5000/5001" }, 400],
    [{ "Content-Encoding": "gzip" }, 415],
    [{ "Content-Encoding": "identity, br" }, 415],
    [{ "Content-MD5": base64("md5", wrong) }, 422],
    [{ "Content-Digest": `sha-256=:${base64("sha256", wrong)}:` }, 422],
    [{ "Repr-Digest": `sha-512=:${base64("sha512", wrong)}:` }, 422],
    [{ "Content-Digest": `sha-256=:${base64("sha256", bytes)}:, sha-512=:${base64("sha512", wrong)}:` }, 422],
    [{ "Content-Digest": `sha-256=:${base64("sha256", bytes)}:`, "Repr-Digest": `md5=:${base64("md5", wrong)}:` }, 422],
    [{ "Content-Digest": `sha-256=${base64("sha256", bytes)}` }, 400],
    [{ "Content-Digest": `sha-256=:${base64("md5", bytes)}:` }, 400],
    [{ "Content-MD5": "nothing" }, 400],
  ] as const;

const accepted = (bytes: Uint8Array): Record<string, string> => ({
  "Content-Encoding": "identity",
  "Content-MD5": base64("md5", bytes),
  "Content-Digest": `crc32c=:AAAAAA==:, sha-256=:${base64("sha256", bytes)}:;a=1, sha=:${base64("sha1", bytes)}:`,
  "Repr-Digest": `sha-512=:${base64("sha512", bytes)}:, unixsum=30637`,
});

/** request bodies, "Bodies and their digests". */
describe("a body with a range, a coding or digests", () => {
  let server: ServerWith<"owner">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: { tier: "pro" } });
  });
  after(() => server[Symbol.asyncDispose]());

  const { open } = shipmentCalls(() => server);
  const { delegate } = delegationCalls(() => server);

  const formOf = async (fields: Record<string, string> = {}): Promise<Uint8Array<ArrayBuffer>> => {
    const text = await new Response(toForm({ name: "a.bin", bytes: BYTES, fields })).bytes();
    const [, boundary = ""] = /^--([^\r]+)/.exec(Buffer.from(text).toString("latin1")) ?? [];
    return Uint8Array.from(Buffer.from(Buffer.from(text).toString("latin1").replaceAll(boundary, BOUNDARY), "latin1"));
  };

  const targets: Readonly<Record<string, () => Promise<Target>>> = {
    "PUT /name": async () => ({ method: "PUT", url: `${server.url}/a.bin`, body: BYTES }),
    "PUT /folder/name": async () => ({ method: "PUT", url: `${server.url}/a/b.bin`, body: BYTES }),
    "POST /": async () => ({ method: "POST", url: `${server.url}/`, headers: FORM, body: await formOf() }),
    "POST /share-target": async () => ({ method: "POST", url: `${server.url}/share-target`, headers: FORM, body: await formOf() }),
    "POST /files/upload": async () => ({ method: "POST", url: `${server.url}/api/files/upload`, headers: FORM, body: await formOf() }),
    "POST /files/batch": async () => {
      const { shortId } = await open();
      const headers = { ...FORM, Authorization: `Bearer ${server.owner.key}` };
      return { method: "POST", url: `${server.url}/api/files/batch`, headers, body: await formOf({ shareShortId: shortId }) };
    },
    "a part": async () => {
      const session = await init(server, { fileSize: BYTES.length });
      return { method: "PUT", url: await partUrl(server, session, 1, BYTES), body: BYTES };
    },
    "a delegation": async () => ({ method: "PUT", url: (await delegate({ name: "a.bin" })).uploadUrl, body: BYTES }),
    "a request": async () => {
      const token = tokenOf(await createFileRequest(server, server.owner.key));
      return { method: "POST", url: `${server.url}/r/${token}`, headers: FORM, body: await formOf(), success: 303 };
    },
  };

  const send = ({ method, url, headers, body }: Target, more: Readonly<Record<string, string>>): Promise<Response> =>
    fetch(url, { method, headers: { ...headers, ...more }, body, redirect: "manual" });

  for (const [name, prepare] of Object.entries(targets)) {
    test(`is refused by ${name}, and nothing is stored, or verified`, async () => {
      const target = await prepare();
      const before = await countStoredState(server);
      for (const [headers, status] of HEADERS(target.body, someBytes(10))) {
        const response = await send(target, headers);
        assert.equal(response.status, status, `${JSON.stringify(headers)}: ${await response.text()}`);
        assert.deepEqual(await countStoredState(server), before, JSON.stringify(headers));
      }
      const response = await send(target, accepted(target.body));
      assert.equal(response.status, target.success ?? 200, await response.text());
    });
  }

  test("is refused by operations with JSON too", async () => {
    const body = Buffer.from(JSON.stringify({ fileName: "a.bin", fileSize: 1 }));
    const url = `${server.url}/api/files/multipart/init`;
    for (const [headers, status] of HEADERS(body, someBytes(10))) {
      const response = await fetch(url, { method: "POST", headers: { "Content-Type": "application/json", ...headers }, body });
      assert.equal(response.status, status, JSON.stringify(headers));
    }
    await clientOf(server).call("initMultipart", { fileName: "a.bin", fileSize: 1 });
  });

  test("is refused in a batch above 4 MB, which would not be verified before it is stored", async () => {
    const { shortId } = await open();
    const body = new Uint8Array(5 * 1024 ** 2);
    const headers = { ...FORM, Authorization: `Bearer ${server.owner.key}`, ...accepted(body) };
    const response = await fetch(`${server.url}/api/files/batch?${shortId}`, { method: "POST", headers, body });
    assert.equal(response.status, 413);
    assert.match(await response.text(), /sha256 before each file/);
  });

  test("is always checked, because one function reads the bodies of requests", async () => {
    const readers: string[] = [];
    for await (const name of glob("{http,mcp}/**/*.ts", { cwd: SRC })) {
      const text = await readFile(`${SRC}/${name}`, "utf8");
      if (/\b(?:req|raw|request)\.(?:json|text|blob|arrayBuffer|bytes|formData|parseBody)\(|\breq(?:uest)?\.body[?.]*\[/.test(text))
        readers.push(name);
    }
    assert.deepEqual(readers, ["http/reading/receive-body.ts"]);
  });
});
