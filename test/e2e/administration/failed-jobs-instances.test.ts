import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { longSkipped } from "../../support/long.ts";
import { startSmtpServer, type TestSmtpServer } from "../../support/services/smtp-server.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { call, clientOf } from "../support/api/api.ts";
import { type ServerInstances, startServerInstances } from "../support/servers/server-instances.ts";

/** administration, "Failed jobs", on two servers with one database. */
for (const database of ["server", "file"] as const)
  describeUnless(longSkipped, `a failed job on two server instances with one database, a ${database}`, () => {
    let smtp: TestSmtpServer;
    let servers: ServerInstances;
    let key: string;
    before(async () => {
      smtp = await startSmtpServer();
      const env = { ...smtp.env, FILEHOST_SCANNER: "off", FILEHOST_MIN_FREE: "0", FILEHOST_RATE_LIMITS: "off" };
      servers = await startServerInstances({ count: 2, database, env });
      const person = { email: "admin@example.org", password: "correct horse battery", name: "Ada" };
      const { data } = await clientOf(servers.instance(0)).call("signUp", person);
      key = data.sessionToken;
      await smtp.next(person.email);
      const role = { role: "admin" } as const;
      await servers.withDatabase((db) => db.updateTable("users").set(role).where("id", "=", data.owner.id).execute());
    });
    after(async () => {
      await servers[Symbol.asyncDispose]();
      await smtp[Symbol.asyncDispose]();
    });

    const admin = (index: number) => clientOf(servers.instance(index), { key });
    const listFailed = async (index = 0) => (await admin(index).call("listFailedJobs", { kind: "mail" })).data;
    const failMails = async (addresses: readonly string[]) => {
      smtp.refuseWith(550);
      for (const email of addresses) await admin(0).call("createInvite", { email });
      await until("they failed", async () => (await listFailed(1)).length === addresses.length);
      smtp.refuseWith(undefined);
    };
    const addressesOf = (count: number): string[] => Array.from({ length: count }, () => `${crypto.randomUUID()}@example.org`);
    const mailsTo = (addresses: readonly string[]): string[] => smtp.mails.flatMap(({ to }) => to).filter((to) => addresses.includes(to));
    const nothingWaits = () => servers.withDatabase(async (db) => (await db.selectFrom("mails").select("id").execute()).length === 0);

    test("is run once, however many administrators retry it at the same time", async () => {
      const addresses = addressesOf(1);
      await failMails(addresses);
      const [failed] = await listFailed();
      const retries = Array.from({ length: 8 }, (_, index) =>
        call(servers.instance(index), "POST", `/api/admin/jobs/${failed?.id}/retry`, { key }),
      );
      const statuses = (await Promise.all(retries)).map(({ status }) => status);
      assert.deepEqual(statuses.sort(), [200, ...Array(7).fill(404)]);
      await until("it is sent", nothingWaits);
      assert.deepEqual(mailsTo(addresses), addresses);
      assert.equal((await admin(1).call("listAuditLog", { subject: failed?.id ?? "" })).data.length, 1);
    });

    test("is run once, if all of a kind are retried on both at the same time", async () => {
      const addresses = addressesOf(5);
      await failMails(addresses);
      const reports = await Promise.all([0, 1].map((index) => admin(index).call("retryFailedJobs", { kind: "mail" })));
      assert.equal(
        reports.reduce((sum, { data }) => sum + data.retried, 0),
        5,
      );
      await until("they are sent", nothingWaits);
      assert.deepEqual(mailsTo(addresses).sort(), addresses.sort());
    });

    test("is either retried or dropped, not both", async () => {
      const addresses = addressesOf(1);
      await failMails(addresses);
      const [failed] = await listFailed();
      const path = `/api/admin/jobs/${failed?.id}`;
      const [retried, dropped] = await Promise.all([
        call(servers.instance(0), "POST", `${path}/retry`, { key }),
        call(servers.instance(1), "DELETE", path, { key }),
      ]);
      assert.deepEqual([retried.status, dropped.status].sort(), [200, 404]);
      await until("nothing waits", nothingWaits);
      assert.deepEqual(mailsTo(addresses), retried.status === 200 ? addresses : []);
    });
  });
