import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { call } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { countStoredState } from "../support/servers/state.ts";

const FILE_HEAD = 'Content-Disposition: form-data; name="file"; filename="a.txt"';
const partOf = (head: string, content: string): string => `--BbB\r\n${head}\r\n\r\n${content}\r\n`;
const FIELD = partOf('Content-Disposition: form-data; name="ttl"', "1h");

/** Forms that are refused, by what is wrong with them. */
const REFUSED: Readonly<Record<string, string>> = {
  "a field without a name": `${partOf("Content-Disposition: form-data", "x")}${partOf(FILE_HEAD, "a")}--BbB--\r\n`,
  "a field with an empty name": `${partOf('Content-Disposition: form-data; name=""', "x")}${partOf(FILE_HEAD, "a")}--BbB--\r\n`,
  "a file without a name of its field": `${partOf('Content-Disposition: form-data; filename="a.txt"', "x")}--BbB--\r\n`,
  "only a field without a name": `${partOf("Content-Disposition: form-data", "x")}--BbB--\r\n`,
  "a part without a head": `--BbB\r\n\r\nx\r\n${partOf(FILE_HEAD, "a")}--BbB--\r\n`,
  "a head without a colon": `${partOf("Content-Disposition", "x")}${partOf(FILE_HEAD, "a")}--BbB--\r\n`,
  "a head with NUL": `${partOf(`${FILE_HEAD}\0`, "a")}--BbB--\r\n`,
  "two dispositions": `${partOf(`${FILE_HEAD}\r\n${FILE_HEAD}`, "a")}--BbB--\r\n`,
  "a head that is too long": `${partOf(`${FILE_HEAD}\r\nX: ${"x".repeat(100_000)}`, "a")}--BbB--\r\n`,
  "no closing boundary": partOf(FILE_HEAD, "a"),
  "no closing boundary in a file": `--BbB\r\n${FILE_HEAD}\r\n\r\nabc`,
  "no end of its head": `--BbB\r\n${FILE_HEAD}`,
  "a boundary without its end": `${partOf(FILE_HEAD, "a")}--BbB`,
  "another boundary": `--other\r\n${FILE_HEAD}\r\n\r\na\r\n--other--\r\n`,
  "lines without CR": `--BbB\n${FILE_HEAD}\n\na\n--BbB--\n`,
  "two closing boundaries": `${partOf(FILE_HEAD, "a\r\n--BbB--\r\nb")}--BbB--\r\n`,
  nothing: "",
};

/** envelopes and errors, "Requests" */
describe("forms", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const post = (
    path: string,
    body: string,
    { boundary = "BbB", headers = {} }: { boundary?: string; headers?: Record<string, string> } = {},
  ) =>
    fetch(server.url + path, {
      method: "POST",
      redirect: "manual",
      headers: { "Content-Type": `multipart/form-data; boundary=${boundary}`, Accept: "application/json", ...headers },
      body: Buffer.from(body, "latin1"),
    });

  async function requestPath(): Promise<string> {
    const { key } = await addAccount(server, { tier: "pro" });
    const { body } = await call<{ data: { requestUrl: string } }>(server, "POST", "/api/requests", { key, json: { title: "Files" } });
    return new URL(body.data.requestUrl).pathname;
  }

  for (const [what, body] of Object.entries(REFUSED)) {
    test(`with ${what}, are refused by each reader, and nothing is stored`, async () => {
      const before = await countStoredState(server);
      for (const path of ["/", "/share-target", "/api/files/upload", await requestPath()]) {
        const response = await post(path, body);
        assert.equal(response.status, 400, `${path}: ${await response.text()}`);
      }
      const { key } = await addAccount(server, { tier: "pro" });
      const headers = { Authorization: `Bearer ${key}` };
      const response = await post("/api/files/batch", body, { headers });
      assert.equal(response.status, 400, await response.text());
      assert.deepEqual(await countStoredState(server), before);
      assert.equal((await fetch(`${server.url}/health/live`)).status, 200);
    });
  }

  const LINES = ["--BbBx", "--BbB-x", "--BbB--x", "--BbB x", "--BbB\n", "-BbB", "--Bb"];
  test("keep every line of a file that only begins with the boundary", async () => {
    for (const line of LINES) {
      const content = `a\r\n${line}\r\nb`;
      const form = `${FIELD}${partOf(FILE_HEAD, content)}--BbB--\r\n`;
      for (const path of ["/", "/share-target", "/api/files/upload"]) {
        const { data } = (await (await post(path, form)).json()) as { data: { url: string } };
        assert.equal(await (await fetch(data.url)).text(), content, `${path} ${JSON.stringify(line)}`);
      }
    }
  });

  test("are read with boundaries of every length, in quotes or not, and with padding", async () => {
    for (const boundary of ["a", "x".repeat(70), '"a b"', '"a;=b"', "----WebKitFormBoundary'()+_,-./:=?".replace(",", "")]) {
      const line = `--${boundary.replaceAll('"', "")}`;
      const form = `before\r\n${line} \t\r\n${FILE_HEAD}\r\n\r\n--a\r\n\r\n${line}-- \r\nafter`;
      const { data } = (await (await post("/", form, { boundary })).json()) as { data: { url: string } };
      assert.equal(await (await fetch(data.url)).text(), "--a\r\n", boundary);
    }
    for (const boundary of ["", '""', "x".repeat(71), "a; boundary=b", "a, multipart/form-data; boundary=b", '"a\u00e9"', "\"a '"]) {
      const response = await post("/", `--a\r\n${FILE_HEAD}\r\n\r\nx\r\n--a--\r\n`, { boundary });
      assert.equal(response.status, 400, `${boundary}: ${await response.text()}`);
    }
  });

  test("are refused with a field that is too long, instead of cutting it", async () => {
    const form = `${partOf('Content-Disposition: form-data; name="handoffMessage"', "x".repeat(70_000))}${partOf(FILE_HEAD, "a")}--BbB--\r\n`;
    assert.equal((await post("/", form)).status, 413);
  });
});
