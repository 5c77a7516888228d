import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createShareKey } from "../../../src/transfer/encryption/share-key.ts";
import { sendFile, startOrigin } from "../../support/services/origin-server.ts";
import { until } from "../../support/until.ts";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { clientOf } from "../support/api/api.ts";
import { startImportingServer } from "../support/shares/imports.ts";
import { createFileRequest, getRequest, patchRequest, tokenOf } from "../support/shares/requests.ts";

/** requests, "The page of a link"; imports, "Imports into a request". */
describe("an import into a request by the form of its page", () => {
  let server: ServerWith<"owner">;
  let origin: Awaited<ReturnType<typeof startOrigin>>;
  before(async () => {
    server = await withAccounts(startImportingServer(), { owner: {} });
    origin = await startOrigin({ "/ten.txt": sendFile({ bytes: Buffer.from("ten bytes.") }) });
  });
  after(async () => {
    await server?.[Symbol.asyncDispose]();
    await origin?.[Symbol.asyncDispose]();
  });

  const create = (input: Parameters<typeof createFileRequest>[2] = {}) => createFileRequest(server, server.owner.key, input);
  const url = (): string => `${origin.url}/ten.txt`;

  test("works also with a code, and its receipt shows the file or the reason of a failure", async () => {
    const plain = await create();
    const protectedOne = await create({ protect: true });
    const unlocked = await clientOf(server).call("unlockRequest", {
      requestToken: tokenOf(protectedOne),
      unlockCode: protectedOne.unlockCode ?? "",
    });
    const page = async (path: string) => await (await fetch(server.url + path, { headers: { Accept: "text/html" } })).text();
    /** Sends the form; resolves to the path of the receipt, or to the page with the refusal. */
    const sendForm = async (path: string, fields: Readonly<Record<string, string>>) => {
      const body = new URLSearchParams(fields);
      const headers = { Accept: "text/html", Origin: server.url };
      const response = await fetch(server.url + path, { method: "POST", body, headers, redirect: "manual" });
      return { status: response.status, receipt: response.headers.get("location") ?? "", html: await response.text() };
    };
    const paths = [
      `/r/${tokenOf(plain)}`,
      `/r/${tokenOf(protectedOne)}?${new URLSearchParams({ unlockToken: unlocked.data.unlockToken })}`,
    ];
    for (const path of paths) {
      assert.match(await page(path), /Send a file from a web address/);
      const sent = await sendForm(path, { url: url(), senderName: "Grace" });
      assert.equal(sent.status, 303, sent.html);
      await until("the receipt lists the file", async () => /<h1>You sent 1\sfile<\/h1>/.test(await page(sent.receipt)));
      assert.match(await page(sent.receipt), /ten\.txt|<bdi>ten<\/bdi>/);
    }
    for (const request of [plain, protectedOne])
      await until("the request has the file", async () => {
        const { submissions } = await getRequest(server, server.owner.key, request.id);
        return submissions.length === 1 && submissions[0]?.files.length === 1;
      });

    const failed = await sendForm(`/r/${tokenOf(plain)}`, { url: `${origin.url}/missing.txt` });
    await until("the receipt says why", async () => /Not fetched\./.test(await page(failed.receipt)));
    assert.match(await page(failed.receipt), /Nothing was sent/);
    const refused = await sendForm(`/r/${tokenOf(plain)}`, { url: "http://10.0.0.1/file" });
    assert.deepEqual(
      [refused.status, /id="url-problem"/.test(refused.html), /value="http:\/\/10\.0\.0\.1\/file"/.test(refused.html)],
      [400, true, true],
    );
    const encrypted = await create({ encryptTo: (await createShareKey()).recipient });
    assert.doesNotMatch(await page(`/r/${tokenOf(encrypted)}`), /Send a file from a web address/);
    await patchRequest(server, server.owner.key, plain.id, { closed: true });
    const closed = await sendForm(`/r/${tokenOf(plain)}`, { url: url() });
    assert.deepEqual([closed.status, /This request is closed/.test(closed.html)], [404, true]);
  });
});
