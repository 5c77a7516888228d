import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { after, before, describe, test } from "node:test";
import { makeDataFolder, run } from "../../cli/support.ts";

const NAMES = ["a", "b", "c"].map((letter) => letter.repeat(32));
const inList = (key: string): string => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`;
const inUploads = (key: string): string => `<Upload><Key>${key}</Key><UploadId>1</UploadId></Upload>`;
const toXml = (root: string, isTruncated: boolean, items: readonly string[]): string =>
  `<${root}><IsTruncated>${isTruncated}</IsTruncated>${items.join("")}</${root}>`;

/** How a list responds: its entries after a given name, and whether there are more. */
type Lister = (after: string) => { readonly names: readonly string[]; readonly isTruncated: boolean };

const ended: Lister = () => ({ names: [], isTruncated: false });
const faults: Readonly<Record<string, Lister>> = {
  "the same page forever": () => ({ names: NAMES.slice(0, 2), isTruncated: true }),
  "two pages alternately": (after) => ({ names: NAMES.slice(0, after.endsWith("b") ? 1 : 2), isTruncated: true }),
  "empty pages": () => ({ names: [], isTruncated: true }),
};

/** storage, "Rows and bytes"; command line, "Commands": a store whose lists announce more entries and never send them. */
describe("an audit of a store's lists", () => {
  let server: Server;
  let lists: { readonly objects: Lister; readonly uploads: Lister };
  const asked = { objects: 0, uploads: 0 };
  before(async () => {
    server = createServer((request, response) => {
      const query = new URL(request.url ?? "", "http://store").searchParams;
      const kind = query.has("uploads") ? "uploads" : "objects";
      const prefix = query.get("prefix") ?? "";
      asked[kind] += 1;
      const { names, isTruncated } = lists[kind]((query.get("start-after") ?? query.get("key-marker") ?? "").slice(prefix.length));
      const keys = names.map((name) => prefix + name);
      const body =
        kind === "uploads"
          ? toXml("ListMultipartUploadsResult", isTruncated, keys.map(inUploads))
          : toXml("ListBucketResult", isTruncated, keys.map(inList));
      response.writeHead(200, { "Content-Type": "application/xml" }).end(body);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  async function audit(): Promise<Awaited<ReturnType<typeof run>>> {
    await using folder = await makeDataFolder();
    // The audit requires a database.
    assert.equal((await run(["users", "create", "--email", "a@example.org", "--name", "A"], folder.env)).code, 0);
    const address = server.address();
    const port = typeof address === "object" && address ? address.port : 0;
    const keys = { FILEHOST_S3_ACCESS_KEY_ID: "a", FILEHOST_S3_SECRET_ACCESS_KEY: "b", FILEHOST_S3_BUCKET: "files" };
    const env = { ...folder.env, ...keys, FILEHOST_STORAGE: "s3", FILEHOST_S3_ENDPOINT: `http://127.0.0.1:${port}` };
    return await run(["audit"], env);
  }

  for (const [name, list] of Object.entries(faults)) {
    for (const kind of ["objects", "uploads"] as const) {
      test(`fails with an error if the list of ${kind} never ends: ${name}`, async () => {
        lists = { objects: ended, uploads: ended, [kind]: list };
        asked[kind] = 0;
        const { code, stderr } = await audit();
        assert.equal(code, 8, stderr);
        assert.match(stderr, /announced more list entries, but did not return them/);
        assert.ok(asked[kind] <= 3, `${asked[kind]} questions`);
      });
    }
  }

  test("completes if the lists end", async () => {
    const paged: Lister = (after) => {
      const names = NAMES.filter((name) => name > after);
      return { names: names.slice(0, 1), isTruncated: names.length > 1 };
    };
    lists = { objects: paged, uploads: ended };
    const { code, stdout } = await audit();
    assert.equal(code, 1);
    for (const name of NAMES) assert.match(stdout, new RegExp(name));
  });
});
