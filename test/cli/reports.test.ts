import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { ReportView, ResolvedReports } from "../../src/service/reports/review-reports.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { run, runJson } from "./support.ts";

interface Finding {
  readonly what: string;
  readonly status: string;
  readonly detail: string;
}

/** reports, "For the administrator"; command line, "Commands". */
describe("the commands about reports", () => {
  let server: TestServer;
  let env: Readonly<Record<string, string>>;
  before(async () => {
    server = await startServer({ env: { FILEHOST_SCANNER: "off", FILEHOST_MIN_FREE: "1MB" } });
    env = { FILEHOST_DATA: server.dataDir, FILEHOST_SCANNER: "off" };
  });
  after(() => server[Symbol.asyncDispose]());

  async function upload(name: string): Promise<string> {
    const response = await fetch(`${server.url}/${name}`, { method: "PUT", body: "text", headers: { accept: "application/json" } });
    return ((await response.json()) as { data: { shortId: string } }).data.shortId;
  }

  async function report(fields: Readonly<Record<string, string>>): Promise<string> {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${server.url}/api/reports`, { method: "POST", headers, body: JSON.stringify(fields) });
    assert.equal(response.status, 200);
    return ((await response.json()) as { data: { id: string } }).data.id;
  }

  const list = (...options: string[]) => runJson<ReportView[]>(["reports", "list", ...options], env);
  const doctor = async (): Promise<Finding | undefined> => {
    const { stdout } = await run(["doctor", "--json"], env);
    return (JSON.parse(stdout) as { findings: Finding[] }).findings.find(({ what }) => what === "reports");
  };

  it("list open reports, resolve one or all of a share, and keep resolved ones in --all", { timeout: 60_000 }, async () => {
    assert.deepEqual(await list(), []);
    assert.equal((await run(["reports", "list"], env)).stdout, "There are no reports.\n");
    assert.equal((await doctor())?.status, "ok");
    const [one, other] = [await upload("one.txt"), await upload("other.txt")];
    const first = await report({ shortId: one, reason: "malware", details: "Line 1\nLine 2\u001b[31m", email: "eve@example.org" });
    const second = await report({ shortId: one, reason: "other" });
    const third = await report({ shortId: other, reason: "illegal" });
    assert.deepEqual(await doctor(), {
      status: "warn",
      what: "reports",
      detail: "3 open",
      fix: "Read them: filehost reports list. Then: filehost reports resolve ID",
    });

    assert.equal((await run(["takedown", other], env)).code, 0);
    const open = await list();
    assert.deepEqual(
      open.map(({ id, shortId, shareStatus, name, sizeBytes }) => [id, shortId, shareStatus, name, sizeBytes]),
      [
        [first, one, "active", "one.txt", 4],
        [second, one, "active", "one.txt", 4],
        [third, other, "dmca_removed", "other.txt", 4],
      ],
    );
    const { stdout } = await run(["reports", "list"], env);
    assert.match(
      stdout,
      new RegExp(`^${first}  malware  [-0-9: ]+ UTC\n  share    ${one} \\(active\\)\n  name     one.txt \\(4 bytes\\)\n`),
    );
    assert.match(stdout, /\n {2}from {5}eve@example.org\n {2}details {2}Line 1\n {11}Line 2\?\[31m\n/);
    assert.match(stdout, /\(taken down\)/);

    const resolved = await runJson<ResolvedReports>(["reports", "resolve", third, "--note", "Taken down"], env);
    assert.deepEqual(resolved, { shortId: other, resolved: [third] });
    assert.deepEqual(await runJson(["reports", "resolve", third, "--note", "Later"], env), { shortId: other, resolved: [] });
    const byLink = await runJson<ResolvedReports>(["reports", "resolve", `${server.url}/d/${one}`], env);
    assert.deepEqual(byLink, { shortId: one, resolved: [first, second] });
    assert.deepEqual(await list(), []);
    const all = await list("--all");
    assert.deepEqual(
      all.map(({ id, resolution }) => [id, resolution]),
      [
        [first, null],
        [second, null],
        [third, "Taken down"],
      ],
    );
    assert.ok(all.every(({ resolvedAt }) => resolvedAt !== null));
    assert.equal((await doctor())?.status, "ok");
  });

  it("refuse an unknown report and a long note", async () => {
    assert.equal((await run(["reports", "resolve", "nothing1"], env)).code, 4);
    assert.equal((await run(["reports", "resolve", "nothing1", "--note", "x".repeat(1001)], env)).code, 2);
  });
});
