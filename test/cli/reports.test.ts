import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Output } from "../../src/service/contract.ts";
import { type CommandedServer, run, runJson, startCommandedServer } from "./support.ts";

type ReportView = Output<"listReports">["data"][number] & { readonly shareState: string | null };

interface Finding {
  readonly what: string;
  readonly status: string;
  readonly detail: string;
}

/** reports, "For the administrator"; command line, "Commands". */
describe("the commands about reports", () => {
  let server: CommandedServer;
  let env: Readonly<Record<string, string>>;
  before(async () => {
    server = await startCommandedServer();
    env = server.commandEnv;
  });
  after(() => server?.[Symbol.asyncDispose]());

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

  it("list open reports, resolve one or all of a share, and keep resolved ones", async () => {
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
      subject: "reports",
      detail: "3 open",
      fix: "Read them: filehost reports list. Then: filehost reports takedown ID, or filehost reports dismiss ID",
    });

    assert.equal((await run(["takedown", other], env)).code, 0);
    const open = await list();
    assert.deepEqual(
      open.map(({ id, shortId, shareState, name, sizeBytes }) => [id, shortId, shareState, name, sizeBytes]),
      [
        [first, one, "active", "one.txt", 4],
        [second, one, "active", "one.txt", 4],
        [third, other, "taken_down", "other.txt", 4],
      ],
    );
    const { stdout } = await run(["reports", "list"], env);
    assert.match(
      stdout,
      new RegExp(`^${first}  malware  [-0-9: ]+ UTC\n  share    ${one} \\(active\\)\n  name     one.txt \\(4 bytes\\)\n`),
    );
    assert.match(stdout, /\n {2}from {5}eve@example.org\n {2}details {2}Line 1\n {11}Line 2\?\[31m\n/);
    assert.match(stdout, /\(taken down\)/);

    const taken = await runJson<Output<"takeDownReported">>(["reports", "takedown", third, "--block", "--note", "Court order"], env);
    assert.deepEqual([taken.shortId, taken.resolved, taken.blocked.length], [other, [third], 1]);
    for (const words of [
      ["reports", "takedown", third],
      ["reports", "dismiss", third],
    ])
      assert.equal((await run(words, env)).code, 6);
    const dismissed = await runJson(["reports", "dismiss", `${server.url}/d/${one}`, "--note", "Harmless"], env);
    assert.deepEqual(dismissed, { shortId: one, resolved: [first, second] });
    assert.deepEqual(await list(), []);
    const all = await list("--state", "all");
    assert.deepEqual(
      all.map(({ id, resolution, outcome, resolvedBy }) => [id, resolution, outcome, resolvedBy]),
      [
        [third, "Court order", "taken_down", "command_line"],
        [second, "Harmless", "dismissed", "command_line"],
        [first, "Harmless", "dismissed", "command_line"],
      ],
    );
    assert.ok(all.every(({ resolvedAt }) => resolvedAt !== null));
    assert.deepEqual((await list("--state", "resolved", "--limit", "1")).length, 1);
    assert.equal((await doctor())?.status, "ok");
  });

  it("show a report with its share, refuse a long note, and take down one of its files", async () => {
    const shortId = await upload("page.html");
    const [id, another] = [await report({ shortId, reason: "phishing" }), await report({ shortId, reason: "other" })];
    const shown = await runJson<Output<"getReport">>(["reports", "show", id], env);
    const [file] = shown.files;
    assert.deepEqual([shown.id, file?.file.name, shown.others.map(({ id }) => id)], [id, "page.html", [another]]);
    const { stdout } = await run(["reports", "show", id], env);
    assert.match(stdout, new RegExp(`^${id}  phishing [\\s\\S]*\nFiles\n  ${file?.file.id}  page.html[\\s\\S]*\n  ${another}  other`));
    assert.equal((await run(["reports", "takedown", id, "--file", "4kTqW9xZ4kTqW9xZ"], env)).code, 4);
    for (const command of ["dismiss", "takedown"])
      assert.equal((await run(["reports", command, id, "--note", "x".repeat(1001)], env)).code, 2);
    assert.deepEqual(
      (await list()).map(({ id, shareState }) => [id, shareState]),
      [
        [id, "active"],
        [another, "active"],
      ],
    );
    const taken = await runJson<Output<"takeDownReported">>(["reports", "takedown", id, "--file", file?.file.id ?? ""], env);
    assert.deepEqual([...taken.resolved].sort(), [id, another].sort());
    const after = await runJson<{ files: { file: { state: string } }[] }>(["reports", "show", id], env);
    assert.equal(after.files[0]?.file.state, "taken_down");
    assert.equal((await run(["reports", "show", "nothing1"], env)).code, 4);
  });

  it("refuse an unknown report", async () => {
    for (const command of ["dismiss", "takedown"]) {
      assert.equal((await run(["reports", command, "nothing1"], env)).code, 4);
    }
  });
});
