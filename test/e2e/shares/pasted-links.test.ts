import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { upload } from "../support/api/api.ts";
import { uploadProtected } from "../support/pages/pages.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

const ENDS = [
  ".",
  "%5C",
  ")",
  "),",
  "%20",
  "%0A",
  "%E2%80%8B",
  "%EF%BB%BF",
  "%C2%A0",
  "%3E",
  "%22",
  "%E2%80%A6",
  "%E3%80%82",
  "./",
  ")?file=x",
];

/** sharing, "Pasted links". */
describe("a pasted link", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const locationOf = async (path: string): Promise<readonly [status: number, location: string | null]> => {
    const response = await fetch(server.url + path, { redirect: "manual", headers: { Accept: "text/html" } });
    return [response.status, response.headers.get("location")];
  };

  test("of a share redirects to the share without the surrounding characters", async () => {
    const { shortId } = await upload(server, { name: "a.txt", bytes: "a" });
    for (const end of ENDS) {
      const query = new URL(`http://x/${end}`).search;
      assert.deepEqual(await locationOf(`/d/${shortId}${end}`), [302, `/d/${shortId}${query}`], end);
    }
    for (const end of ENDS.filter((end) => !/[/?]/.test(end))) {
      assert.deepEqual(await locationOf(`/d/${shortId}${end}/download?file=x`), [302, `/d/${shortId}/download?file=x`], end);
      assert.deepEqual(await locationOf(`/report/${shortId}${end}`), [302, `/report/${shortId}`], end);
      for (const below of ["download", "unlock", "preview", "card.webp"]) {
        const exact = `/d/${shortId}/${below}`;
        assert.deepEqual(await locationOf(`${exact}${end}?file=x`), [302, `${exact}?file=x`], end);
        assert.deepEqual(await locationOf(`/d/${shortId}${end}/${below}${end}`), [302, exact], end);
      }
      // Clients remove a part that is only a dot.
      if (end !== ".") assert.deepEqual(await locationOf(`/d/${shortId}/${end}`), [302, `/d/${shortId}`], end);
    }
    assert.equal((await locationOf(`/d/${shortId}/unknown`))[0], 404);
    assert.equal((await locationOf(`/d/${shortId}`))[0], 200);
    assert.equal((await locationOf(`/d/${shortId}/`))[0], 200);
    assert.equal((await locationOf(`/d/${shortId.slice(0, 4)}%E2%80%8B${shortId.slice(4)}`))[1], `/d/${shortId}`);
  });

  test("that is private redirects to the private link", async () => {
    const { pathname } = new URL((await uploadProtected(server, { name: "b.txt" })).handoffUrl);
    for (const end of ENDS) assert.equal((await locationOf(pathname + end))[1]?.split("?")[0], pathname, end);
    for (const folder of ["/h", "/r"])
      for (const end of ["/)", "/.%20", "./)"]) assert.deepEqual(await locationOf(`${folder}/token${end}`), [302, `${folder}/token`], end);
    assert.deepEqual(await locationOf("/r/token./7kXq9Zab)/token%E2%80%8B%3E"), [302, "/r/token/7kXq9Zab/token"]);
  });

  test("without an ID, or of no share, is not found and does not redirect endlessly", async () => {
    for (const path of ["/d/.%20", "/d/)", "/h/%E2%80%8B", "/d/aaaaaaaa", "/r/...a", "/d/aaaaaaaa/%E0%A4%A", "/d/./)"]) {
      const response = await fetch(server.url + path, { headers: { Accept: "text/html" } });
      assert.equal(response.status, 404, path);
    }
  });
});
