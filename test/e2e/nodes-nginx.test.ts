import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { nginxMissing, startNginx, type TestNginx } from "../support/nginx.ts";
import { until } from "../support/until.ts";
import { authorize, getShare, upload } from "./support/api.ts";
import { init, MB, partUrl, postComplete, putPart, sha256, someBytes, split } from "./support/multipart.ts";
import { type Nodes, startNodes } from "./support/nodes.ts";
import { downloadDigest, here, putFile } from "./support/transfers.ts";

/** docs/deploy.md, "Several servers": its nginx configuration, with the addresses of these nodes. */
async function documentedConfiguration(nodes: Nodes): Promise<string> {
  const text = await readFile(join(resolve(import.meta.dirname, "../.."), "docs/deploy.md"), "utf8");
  const [site = "", upstream = ""] = [...text.matchAll(/^```nginx\n([\s\S]*?)^```$/gm)].map(([, block]) => block);
  assert.match(upstream, /^upstream filehost \{\n[^}]*\}\n$/);
  const addresses = nodes.all.map(({ url }) => new URL(url).host);
  return site
    .replace(/^upstream filehost \{[^}]*\}\n/, upstream)
    .replace("server_name files.example.org;", "server_name files.example.org; listen 127.0.0.1:PORT;")
    .replace(/10\.0\.0\.1[12]:8080/g, () => addresses.shift() ?? "");
}

describe("nginx in front of two nodes, as docs/deploy.md configures it", { skip: nginxMissing }, () => {
  let nodes: Nodes;
  let nginx: TestNginx;
  const bytes = someBytes(3 * MB + 5, 11);

  before(async () => {
    const env = { FILEHOST_SCANNER: "off", FILEHOST_MIN_FREE: "0", FILEHOST_TRUSTED_PROXIES: "127.0.0.1/32" };
    nodes = await startNodes({ count: 2, env });
    nginx = await startNginx(await documentedConfiguration(nodes));
  });
  after(async () => {
    await nginx[Symbol.asyncDispose]();
    await nodes[Symbol.asyncDispose]();
  });

  test("uploads, in parts too, and downloads go through, whichever node each request meets", async () => {
    const whole = await putFile(nginx, "/a.bin", bytes);
    assert.equal(await downloadDigest(nginx, whole.id), sha256(bytes));
    const session = await init(nginx, { fileSize: bytes.length, partSize: MB });
    for (const [index, part] of split(bytes, session).entries()) {
      const url = here(nginx, await partUrl(nginx, session, index + 1, part));
      assert.equal((await putPart(url, part)).status, 200);
    }
    const { status, body } = await postComplete(nginx, session);
    assert.equal(status, 200, JSON.stringify(body));
    await until("it is checked", async () => (await getShare(nginx, session.shortId)).body.scanStatus === "clean");
    assert.equal(await downloadDigest(nginx, body.data.id), sha256(bytes));
  });

  test("of fifty at once exactly three are let through", async () => {
    const file = await upload(nginx, { bytes: bytes.subarray(0, 1000), fields: { maxDownloads: "3" } });
    const answers = await Promise.all(Array.from({ length: 50 }, () => authorize(nginx, file.id)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 3);
  });

  test("while one node is dead, all is answered by the other", async () => {
    const file = await putFile(nginx, "/b.bin", bytes);
    await nodes.node(0).kill("SIGKILL");
    for (let index = 0; index < 10; index++) assert.equal((await getShare(nginx, file.shortId)).status, 200);
    assert.equal(await until("it is delivered", () => downloadDigest(nginx, file.id)), sha256(bytes));
  });
});
