import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { nginxMissing, startNginx, type TestNginx } from "../../support/services/nginx.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { authorize, getShare, upload } from "../support/api/api.ts";
import { documentedConfiguration } from "../support/documents/documented-nginx.ts";
import { type ServerInstances, startServerInstances } from "../support/servers/server-instances.ts";
import { whenFree } from "../support/servers/when-free.ts";
import { complete, init, MB, partUrl, putPart, sha256, someBytes, split } from "../support/uploads/multipart.ts";
import { atServer, downloadDigest, putFile } from "../support/uploads/transfers.ts";

describeUnless(nginxMissing, "nginx in front of two server instances, configured as in docs/deploy.md", () => {
  let instances: ServerInstances;
  let nginx: TestNginx;
  const bytes = someBytes(3 * MB + 5, 11);

  before(async () => {
    const env = { FILEHOST_SCANNER: "off", FILEHOST_MIN_FREE: "0", FILEHOST_TRUSTED_PROXIES: "127.0.0.1/32" };
    instances = await startServerInstances({ count: 2, env });
    nginx = await startNginx(await documentedConfiguration(instances));
  });
  after(async () => {
    await nginx[Symbol.asyncDispose]();
    await instances[Symbol.asyncDispose]();
  });

  test("direct uploads, multipart uploads and downloads work whichever instance serves each request", async () => {
    const whole = await putFile(nginx, "/a.bin", bytes);
    assert.equal(await downloadDigest(nginx, whole.id), sha256(bytes));
    const session = await init(nginx, { fileSize: bytes.length, partSize: MB });
    for (const [index, part] of split(bytes, session).entries()) {
      const url = atServer(nginx, await partUrl(nginx, session, index + 1, part));
      assert.equal((await putPart(url, part)).status, 200);
    }
    const file = await complete(nginx, session);
    await until("it is checked", async () => (await getShare(nginx, session.shortId)).scanStatus === "clean");
    assert.equal(await downloadDigest(nginx, file.id), sha256(bytes));
  });

  test("exactly three of fifty concurrent download requests are granted", async () => {
    const file = await upload(nginx, { bytes: bytes.subarray(0, 1000), fields: { maxDownloads: "3" } });
    const responses = await Promise.all(Array.from({ length: 50 }, () => whenFree(() => authorize(nginx, file.id))));
    assert.equal(responses.filter(({ status }) => status === 200).length, 3);
  });

  test("the other instance serves every request after one was killed", async () => {
    const file = await putFile(nginx, "/b.bin", bytes);
    await instances.instance(0).kill("SIGKILL");
    for (let index = 0; index < 10; index++) await getShare(nginx, file.shortId);
    assert.equal(await until("the download works", () => downloadDigest(nginx, file.id)), sha256(bytes));
  });
});
