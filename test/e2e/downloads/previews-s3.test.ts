import assert from "node:assert/strict";
import { test } from "node:test";
import { joinSwift, swiftMissing } from "../../support/services/swift.ts";
import { signedUrl, upload } from "../support/api/api.ts";
import { startOnS3 } from "../support/servers/s3.ts";
import { MB, someBytes } from "../support/uploads/multipart.ts";

/** previews, "Signed URLs": bytes in an S3 store. */
test("previews of files in a bucket come through the server, in ranges", { skip: swiftMissing }, async () => {
  await using server = await startOnS3(await joinSwift());
  const urlOf = async (form: { name: string; type: string; bytes: string | Uint8Array<ArrayBuffer> }) => {
    const file = await upload(server, form);
    assert.equal((await fetch(await signedUrl(server, file.id), { redirect: "manual" })).status, 302);
    const html = await (await fetch(server.url + file.sharePath)).text();
    const [, url = ""] = /id="preview"><\w+ src="[^"]*?(\/pv\/[^"]+)"/.exec(html) ?? assert.fail(html);
    return server.url + url.replaceAll("&amp;", "&");
  };
  const bytes = someBytes(3 * MB, 7);
  const video = await urlOf({ name: "a.mp4", type: "video/mp4", bytes });
  const whole = await fetch(video, { redirect: "manual" });
  assert.equal(whole.status, 200);
  assert.deepEqual(Buffer.compare(Buffer.from(await whole.arrayBuffer()), bytes), 0);
  const range = await fetch(video, { redirect: "manual", headers: { Range: "bytes=2000000-2000099" } });
  assert.equal(range.status, 206);
  assert.deepEqual(new Uint8Array(await range.arrayBuffer()), new Uint8Array(bytes.subarray(2_000_000, 2_000_100)));
  const text = await fetch(await urlOf({ name: "a.txt", type: "text/plain", bytes: "some text" }), { redirect: "manual" });
  assert.match(await text.text(), />some text<\//);
});
