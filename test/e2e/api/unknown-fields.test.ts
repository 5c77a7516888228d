import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { type ApiResponse, assertRefused, call, clientOf, type Upload, upload } from "../support/api/api.ts";
import { callTool, connectMcp } from "../support/api/mcp.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";
import { createFileRequest, tokenOf } from "../support/shares/requests.ts";

/** Fields that programs for other file hosts send, and that this server does not have. */
const CONSEQUENTIAL = {
  password: "secret",
  Passphrase: "secret",
  unlock_code: "ABC234",
  private: "true",
  public: "1",
  expires: "3600",
  expiry: "2030-01-31",
  expires_in: "1d",
  "max-days": "1",
  time: "1h",
  max_downloads: "1",
  downloadLimit: "1",
  max_views: "1",
  burn_after_reading: "true",
  oneTime: "1",
  priceCents: "500",
  price: "5",
  currency: "eur",
  currencyCode: "jpy",
  price_currency: "eur",
  coupon: "SAVE",
  maxDownload: "1",
  max_dl: "1",
  view_once: "true",
  burn_after: "1",
  delete_after_views: "1",
  expires_days: "1",
  availableUntil: "2030-01-31",
  pincode: "1234",
  passwordHash: "x",
  allowList: "a",
  read_only: "true",
};
const HARMLESS = {
  contentType: "text/plain",
  grace: "1",
  intent: "x",
  limit: "5",
  filename: "b.txt",
  passphrase: "",
  private: "false",
  currency: "USD",
  currency_code: "usd",
  download: "1",
  view: "grid",
  user: "me",
  keepName: "true",
  priority: "high",
  timezone: "UTC",
};

/** envelopes and errors, "Unknown fields". */
describe("an unknown field", () => {
  let server: ServerWith<"owner">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: {} });
  });
  after(() => server?.[Symbol.asyncDispose]());

  const files = () => withDatabase(server, async (db) => (await db.selectFrom("files").select("id").execute()).length);
  const JSON_ONLY = { Accept: "application/json" };
  /** Sends fields in each way in which a file or share is made. */
  const ways: Readonly<Record<string, (fields: Readonly<Record<string, string>>) => Promise<ApiResponse>>> = {
    "the query of a PUT": (fields) => call(server, "PUT", `/a.txt?${new URLSearchParams(fields)}`, { body: "x", headers: JSON_ONLY }),
    "a form of the site": (fields) => call(server, "POST", "/", { body: formOf(fields), headers: JSON_ONLY }),
    "a form of the site, after the file": (fields) => call(server, "POST", "/", { body: formOf(fields, "after"), headers: JSON_ONLY }),
    "a form of the API": (fields) => call(server, "POST", "/api/files/upload", { body: formOf(fields) }),
    "JSON of an upload in parts": (json) =>
      call(server, "POST", "/api/files/multipart/init", { json: { fileName: "a", fileSize: 0, ...json } }),
    "JSON of a shipment": (json) => call(server, "POST", "/api/shares", { json }),
    "JSON of a delegation": (json) =>
      call(server, "POST", "/api/files/upload-delegations", { key: server.owner.key, json: { name: "a", ...json } }),
  };
  for (const [way, send] of Object.entries(ways)) {
    test(`is refused by name if it would matter, in ${way}, and nothing is stored`, async () => {
      const before = await files();
      for (const [name, value] of Object.entries(CONSEQUENTIAL)) {
        const response = await send({ [name]: value });
        assertRefused(response, { status: 400, code: "VALIDATION_FAILED" });
        assert.deepEqual(
          ((response.body.issues ?? []) as readonly { readonly path: string }[]).map(({ path }) => path),
          [name],
        );
      }
      assert.equal(await files(), before);
    });

    test(`is ignored if it changes nothing, in ${way}`, async () => {
      const response = await send(HARMLESS);
      assert.ok(response.status < 300, JSON.stringify(response.body));
    });
  }

  test("is refused if it would matter, in a query that is not read", async () => {
    for (const name of ["ttl", "expires", "password"]) {
      const form = { body: formOf({}) };
      assertRefused(await call(server, "POST", `/api/files/upload?${name}=1h`, form), { status: 400, code: "VALIDATION_FAILED" });
      assertRefused(await call(server, "POST", `/api/shares?${name}=1h`, { json: {} }), { status: 400, code: "VALIDATION_FAILED" });
    }
    assert.equal((await call(server, "POST", "/api/files/upload?utm_source=a", { body: formOf({}) })).status, 200);
  });

  test("is refused if it is sent several times with different values, in query, form and both, and nothing is stored", async () => {
    const before = await files();
    const twice = formOf({ maxDownloads: "1" });
    twice.append("maxDownloads", "100");
    const responses = [
      await call(server, "PUT", "/a.txt?once=true&once=false", { body: "x", headers: JSON_ONLY }),
      await call(server, "POST", "/?once=true", { body: formOf({ once: "false" }), headers: JSON_ONLY }),
      await call(server, "POST", "/", { body: twice, headers: JSON_ONLY }),
      await call(server, "POST", "/api/files/upload", { body: twice }),
      await call(server, "PUT", "/a.txt?ttl=1h&ttl=7d", { body: "x", headers: JSON_ONLY }),
    ];
    for (const response of responses) assertRefused(response, { status: 400, code: "VALIDATION_FAILED" });
    assert.equal(await files(), before);
    for (const query of ["once=true&once=true", "ttl=&ttl=1h", "description=a&description=b"])
      assert.equal((await call(server, "PUT", `/a.txt?${query}`, { body: "x", headers: JSON_ONLY })).status, 200, query);
  });

  test("is refused with the name of the correct field", async () => {
    const { body } = await call(server, "PUT", "/a.txt?max_downloads=1", { body: "x", headers: JSON_ONLY });
    assert.match(String(body.error), /maxDownloads/);
  });

  test("never gives a key more rights or time than requested", async () => {
    for (const [name, value] of Object.entries({ expiresAt: "2030-01-01T00:00:00Z", scopes: ["files_read"], readOnly: true, ttl: "1h" }))
      assertRefused(await call(server, "POST", "/api/keys", { key: server.owner.key, json: { label: "a", [name]: value } }), {
        status: 400,
        code: "VALIDATION_FAILED",
      });
  });

  test("is refused as a header of an upload if it would matter", async () => {
    const headers = ["Max-Downloads", "Max-Days", "X-Password", "X-Encrypt-Password", "Linx-Expiry", "X-Expires-In", "X-TTL"];
    for (const name of headers) {
      const sent = { ...JSON_ONLY, [name]: "1" };
      assertRefused(await call(server, "PUT", "/a.txt", { body: "x", headers: sent }), { status: 400, code: "VALIDATION_FAILED" });
      assertRefused(await call(server, "POST", "/", { body: formOf({}), headers: sent }), { status: 400, code: "VALIDATION_FAILED" });
      assertRefused(await call(server, "POST", "/api/files/upload", { body: formOf({}), headers: sent }), {
        status: 400,
        code: "VALIDATION_FAILED",
      });
    }
    const harmless = { ...JSON_ONLY, "X-Request-Id": "a", "X-Forwarded-For": "192.0.2.1", "X-Scope": "a", "X-Real-Ip": "192.0.2.1" };
    assert.equal((await call(server, "PUT", "/a.txt", { body: "x", headers: harmless })).status, 200);
  });

  test("is refused by the PUT of a delegation too, and among the files of a batch", async () => {
    const { uploadUrl } = (await clientOf(server, server.owner).call("createDelegation", { name: "a.txt" })).data;
    const path = new URL(uploadUrl).pathname;
    assertRefused(await call(server, "PUT", `${path}?ttl=1h`, { body: "x" }), { status: 400, code: "VALIDATION_FAILED" });
    assert.equal((await call(server, "PUT", path, { body: "x" })).status, 200);
    const { shortId, shareToken } = (await clientOf(server).call("createShare", {})).data;
    const send = (fields: Readonly<Record<string, string>>, place: "before" | "after") =>
      call(server, "POST", "/api/files/batch", { body: formOf({ ...fields }, place, { shareShortId: shortId, shareToken }) });
    for (const place of ["before", "after"] as const)
      assertRefused(await send({ password: "secret" }, place), { status: 400, code: "VALIDATION_FAILED" });
    assert.equal((await send({ ttl: "1h", intent: "x" }, "before")).status, 200);
  });

  test("is refused by the form of a request's page too, and nothing is stored", async () => {
    const path = `/r/${tokenOf(await createFileRequest(server, server.owner.key))}`;
    const send = async (query: string, headers: Readonly<Record<string, string>> = {}, fields = {}): Promise<number> =>
      (await fetch(server.url + path + query, { method: "POST", headers, body: formOf(fields), redirect: "manual" })).status;
    const before = await files();
    for (const name of ["ttl", "expires", "password", "max_downloads", "once"]) {
      assert.equal(await send(`?${name}=1`), 400, name);
      assert.equal(await send("", { [`X-${name.replace("_", "-")}`]: "1" }), 400, name);
      assert.equal(await send("", {}, { [name]: "1" }), 400, name);
    }
    assert.equal(await files(), before);
    assert.equal(await send("?utm_source=a&unlockToken=", { "X-Request-Id": "a" }, { intent: "x" }), 303);
  });

  test("has no effect on a request that only reads", async () => {
    assert.equal((await call(server, "GET", "/api/files/list?limit=5&public=1", { key: server.owner.key })).status, 200);
  });

  describe("currency of a price", () => {
    const change = (file: Upload, json: object) =>
      call(server, "PATCH", "/api/files/share-settings", { key: server.owner.key, json: { fileId: file.id, ...json } });

    test("is accepted as the US dollar, in any case, and another one is 400", async () => {
      const file = await upload(server, { bytes: "x" }, { key: server.owner.key });
      for (const currency of ["jpy", "EUR", "us", "", 840, ["usd"]]) {
        const response = await change(file, { priceCents: 5000, currency });
        assertRefused(response, { status: 400, code: "VALIDATION_FAILED" });
        assert.match(String(response.body.error), /currency/);
      }
      for (const currency of ["usd", "USD", " Usd ", null])
        assertRefused(await change(file, { priceCents: 5000, currency }), { status: 409, code: "SELLER_NOT_READY" });
    });

    test("is checked by the tool and by the client too", async () => {
      const file = await upload(server, { bytes: "x" }, { key: server.owner.key });
      await using client = await connectMcp(server, { era: "no session", key: server.owner.key });
      const refused = await callTool(client, "update_share_settings", { fileId: file.id, priceCents: 5000, currency: "jpy" });
      assert.equal(refused.data.errorCode, "VALIDATION_FAILED");
      assert.match(refused.text, /US dollars/);
      const known = await callTool(client, "update_share_settings", { fileId: file.id, priceCents: 5000, currency: "usd" });
      assert.equal(known.data.errorCode, "SELLER_NOT_READY");
      await assert.rejects(
        clientOf(server, server.owner).call("updateShareSettings", { fileId: file.id, priceCents: 5000, currency: "jpy" }),
        /US dollars/,
      );
    });
  });
});

/** A form with one file, and fields before or after it; `leading` always come first. */
function formOf(
  fields: Readonly<Record<string, string>>,
  place: "before" | "after" = "before",
  leading: Readonly<Record<string, string>> = {},
): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(leading)) form.append(name, value);
  if (place === "before") for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("file", new Blob(["x"]), "a.txt");
  if (place === "after") for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}
