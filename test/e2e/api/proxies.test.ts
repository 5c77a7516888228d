import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { homeOf } from "../support/accounts/person.ts";
import { postUpload } from "../support/api/api.ts";
import { startSession } from "../support/api/callers.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";

const LIMITS = JSON.stringify({ tiers: { anonymous: { fileBytes: 1000, storageBytes: 1000 } } });
const bytes = "x".repeat(1000);

const from = async (server: TestServer, forwarded: string): Promise<number> =>
  (await postUpload(server, { bytes }, { headers: { "X-Forwarded-For": forwarded } })).status;

/** accounts, "The client's address". */
describe("X-Forwarded-For", () => {
  describe("sent by an untrusted peer", () => {
    let server: TestServer;
    before(async () => {
      server = await startPlainServer({ FILEHOST_LIMITS: LIMITS });
    });
    after(() => server[Symbol.asyncDispose]());

    test("is ignored: all requests share the quota of the peer's address", async () => {
      assert.equal(await from(server, "192.0.2.1"), 200);
      for (const forwarded of ["192.0.2.2", "2001:db8::1", "127.0.0.1", "junk", "", "192.0.2.1, 192.0.2.3"])
        assert.equal(await from(server, forwarded), 413, forwarded);
      assert.equal((await postUpload(server, { bytes })).status, 413);
      assert.equal(
        (
          await postUpload(
            server,
            { bytes },
            { headers: { Forwarded: "for=192.0.2.9", "X-Real-IP": "192.0.2.9", "CF-Connecting-IP": "192.0.2.9" } },
          )
        ).status,
        413,
      );
    });

    test("is reported to the administrator once, because the proxy is probably theirs", () => {
      const warnings = server.logs().filter((line) => /FILEHOST_TRUSTED_PROXIES/.test(line.msg ?? ""));
      assert.equal(warnings.length, 1);
    });
  });

  describe("sent by a trusted proxy", () => {
    let server: TestServer;
    before(async () => {
      server = await startPlainServer({ FILEHOST_LIMITS: LIMITS, FILEHOST_TRUSTED_PROXIES: "127.0.0.0/8, 10.0.0.0/8" });
    });
    after(() => server[Symbol.asyncDispose]());

    test("gives the client's address, read from the right", async () => {
      assert.equal(await from(server, "192.0.2.1"), 200);
      assert.equal(await from(server, "192.0.2.1"), 413);
      assert.equal(await from(server, "192.0.2.2"), 200);
      assert.equal(await from(server, "192.0.2.50, 192.0.2.2"), 413);
      assert.equal(await from(server, "192.0.2.3, 10.1.2.3"), 200);
      assert.equal(await from(server, "192.0.2.3, 10.9.9.9, 127.0.0.2"), 413);
      assert.equal(await from(server, "junk, 192.0.2.4"), 200);
      assert.equal(await from(server, "::ffff:192.0.2.4"), 413);
    });

    test("counts IPv6 addresses by their /64", async () => {
      assert.equal(await from(server, "2001:db8:1:2:3:4:5:6"), 200);
      assert.equal(await from(server, "2001:db8:1:2::9"), 413);
      assert.equal(await from(server, "[2001:db8:1:2::9]"), 413);
      assert.equal(await from(server, "2001:db8:1:3::9"), 200);
    });

    test("gives the client's address with a port, in brackets and in quotes", async () => {
      for (const [first, again] of [
        ["198.51.100.1:1000", "198.51.100.1:2000"],
        ["[2001:db8:2::1]:443", '"[2001:db8:2::1]"'],
        ["[::ffff:198.51.100.2]:9", "198.51.100.2"],
      ] as const) {
        assert.equal(await from(server, first), 200, first);
        assert.equal(await from(server, again), 413, again);
      }
    });

    test("is read from Forwarded if there is none, and neither counts if they differ", async () => {
      const upload = async (headers: Record<string, string>) => (await postUpload(server, { bytes }, { headers })).status;
      assert.equal(await upload({ Forwarded: 'for=198.51.100.66, For="[2001:db8:3::1]:443";proto=https' }), 200);
      assert.equal(await upload({ Forwarded: 'for="[2001:db8:3::2]"' }), 413);
      assert.equal(await upload({ Forwarded: "for=198.51.100.67" }), 200);
      const statuses = [];
      for (const host of [71, 72, 73])
        statuses.push(await upload({ "X-Forwarded-For": "198.51.100.70", Forwarded: `for=198.51.100.${host}` }));
      assert.deepEqual(statuses, [200, 413, 413]);
      assert.equal(await from(server, "198.51.100.70"), 200);
    });

    test("that cannot be read is reported once, in the log, to administrators and by doctor", async () => {
      for (const hop of ["unknown", "_hidden", "12345"]) await from(server, hop);
      await until("the log quotes the hop", () => server.logs().some(({ msg }) => msg?.includes('"unknown"')));
      const told = server.logs().filter(({ msg }) => msg?.includes("which is no address"));
      assert.equal(told.length, 1);
      const doctor = await server.run(["doctor", "--json"]);
      assert.match(doctor.stdout, /a trusted proxy named \\"unknown\\" as its client/);
      const overview = await server.run(["overview", "--json"]);
      const { warnings, unknownClientAddress } = JSON.parse(overview.stdout) as { warnings: string[]; unknownClientAddress: string };
      assert.ok(warnings.includes("unknown_client_address"));
      assert.equal(unknownClientAddress, "unknown");
      const administrator = await addAccount(server, { isAdministrator: true });
      const Cookie = `session=${await startSession(server, administrator)}`;
      const page = await (await fetch(`${homeOf(server)}/admin`, { headers: { Cookie } })).text();
      const item = page.split("<li>").find((one) => one.includes("IP addresses of clients"));
      assert.match(item ?? page, /badge note[\s\S]*share one limit\. It sends “unknown”/);
    });

    test("is not stored", async () => {
      const rows = await withDatabase(server, async (db) =>
        JSON.stringify([await db.selectFrom("quotas").selectAll().execute(), await db.selectFrom("files").selectAll().execute()]),
      );
      assert.doesNotMatch(rows, /192\.0\.2\.|2001:db8/);
    });
  });
});
