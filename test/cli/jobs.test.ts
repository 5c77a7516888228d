import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { FailedJobView } from "../../src/service/administration/jobs-contract.ts";
import type { Overview } from "../../src/service/system/overview-contract.ts";
import { withDatabase } from "../e2e/support/state.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { linkIn, startSmtpServer, type TestSmtpServer } from "../support/smtp-server.ts";
import { until } from "../support/until.ts";
import { run, runJson } from "./support.ts";

const ADA = "ada@example.org";

/** command line, "Commands"; administration, "Failed jobs" and "Overview". */
describe("the commands about failed jobs", () => {
  let smtp: TestSmtpServer;
  let server: TestServer;
  let env: Readonly<Record<string, string>>;
  before(async () => {
    smtp = await startSmtpServer();
    const settings = { ...smtp.env, FILEHOST_SCANNER: "off" };
    server = await startServer({ env: settings });
    env = { ...settings, FILEHOST_DATA: server.dataDir };
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await smtp[Symbol.asyncDispose]();
  });

  const list = (...options: string[]) => runJson<FailedJobView[]>(["jobs", "list", ...options], env);
  const failMail = async (): Promise<FailedJobView> => {
    smtp.refuseWith(550);
    assert.equal((await run(["invites", "create", "--email", ADA], env)).code, 0);
    await until("it failed", () =>
      withDatabase(
        server,
        async (db) => (await db.selectFrom("mails").select("id").where("failed_at", "is not", null).execute()).length > 0,
      ),
    );
    const [failed] = await list();
    return failed ?? assert.fail("nothing is listed");
  };

  it("list, retry and drop failed jobs, and the overview names the commands", async () => {
    assert.equal((await run(["jobs", "list"], env)).stdout, "Nothing has failed.\n");
    assert.match((await run(["overview"], env)).stdout, /^needs attention\n {2}nothing$/m);
    const failed = await failMail();
    assert.deepEqual([failed.kind, failed.name, failed.about, failed.canRetry], ["mail", ADA, "invite", true]);
    assert.match(
      (await run(["jobs", "list"], env)).stdout,
      /^ID .*\n.* mail +ada@example\.org \(invite\) +.* never +.*Refused by the test\n$/,
    );
    assert.deepEqual(await list("--kind", "scan"), []);
    const overview = await run(["overview"], env);
    assert.match(overview.stdout, /^ {2}failed: mail +1 +filehost jobs list --kind mail$/m);
    assert.deepEqual((await runJson<Overview>(["overview"], env)).failures.failedJobs, [{ kind: "mail", count: 1 }]);

    smtp.refuseWith(undefined);
    assert.equal((await run(["jobs", "retry", failed.id], env)).code, 0);
    assert.ok(linkIn(await smtp.next(ADA), "invite"));
    assert.equal((await run(["jobs", "retry", failed.id], env)).code, 4, "it is no longer listed");

    await failMail();
    smtp.refuseWith(undefined);
    assert.deepEqual(await runJson(["jobs", "retry", "--all", "--kind", "mail"], env), { retried: 1, skipped: 0 });
    await smtp.next(ADA);

    const dropped = await failMail();
    assert.equal((await run(["jobs", "drop", dropped.id, "--yes"], env)).code, 0);
    await failMail();
    assert.deepEqual(await runJson(["jobs", "drop", "--all", "--kind", "mail", "--yes"], env), { dropped: 1, skipped: 0 });
    assert.deepEqual(await list(), []);
    const { stdout } = await run(["audit-log", "--action", "job"], env);
    assert.deepEqual(stdout.match(/job\.\w+/g), ["job.dropped", "job.dropped", "job.retried", "job.retried"]);
  });

  it("refuse ambiguous arguments", async () => {
    assert.equal((await run(["jobs", "retry"], env)).code, 2);
    assert.equal((await run(["jobs", "retry", "an-id", "--all"], env)).code, 2);
    assert.equal((await run(["jobs", "list", "--kind", "nonsense"], env)).code, 2);
    assert.equal((await run(["jobs", "drop", "--all"], env)).code, 2);
    assert.equal((await run(["jobs", "drop", "unknown", "--yes"], env)).code, 4);
  });
});
