import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Db } from "../../../src/db/database.ts";
import { linkIn, startSmtpServer, type TestSmtpServer } from "../../support/services/smtp-server.ts";
import {
  makeAuthority,
  opensslMissing,
  startReceiver,
  type TestAuthority,
  type WebhookReceiver,
} from "../../support/services/webhook-receiver.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { assertRefused, call, clientOf } from "../support/api/api.ts";
import { withDatabase } from "../support/servers/state.ts";
import { addWebhook, getDeliveries, sendTest, startSendingServer } from "../support/shares/webhooks.ts";

const ADA = "ada@example.org";

/** administration, "Failed jobs". */
describeUnless(opensslMissing, "a failed job", () => {
  let authority: TestAuthority;
  let smtp: TestSmtpServer;
  let server: ServerWith<"administrator" | "owner">;
  before(async () => {
    authority = await makeAuthority();
    smtp = await startSmtpServer();
    server = await withAccounts(startSendingServer(authority, smtp.env), { administrator: { isAdministrator: true }, owner: {} });
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await smtp[Symbol.asyncDispose]();
    await authority[Symbol.asyncDispose]();
  });

  const admin = () => clientOf(server, server.administrator);
  const listFailed = async (kind: "webhook" | "mail") => (await admin().call("listFailedJobs", { kind, limit: 200 })).data;
  const auditOf = async (subject: string) => (await admin().call("listAuditLog", { subject })).data.map(({ action }) => action);
  const remaining = (db: Db) => db.selectFrom("mails").selectAll().execute();

  /** A delivery whose last attempt failed. */
  const failDelivery = async (receiver: WebhookReceiver): Promise<{ readonly endpointId: string; readonly id: string }> => {
    receiver.respondWith({ status: 500 });
    const { id: endpointId } = await addWebhook(server, server.owner.key, { url: `${receiver.url}/a-secret-path` });
    const { id } = await sendTest(server, server.owner.key, endpointId);
    await until("an attempt failed", async () => (await getDeliveries(server, server.owner.key, endpointId))[0]?.attempts === 1);
    await withDatabase(server, async (db) => {
      await db.updateTable("webhook_deliveries").set({ failures: 7, next_attempt_at: Date.now() }).where("id", "=", id).execute();
      await db.updateTable("jobs").set({ run_at: Date.now() }).where("subject", "=", endpointId).execute();
    });
    await until("the last attempt failed", async () => (await listFailed("webhook")).some((failed) => failed.id === id));
    return { endpointId, id };
  };

  const failMail = async () => {
    smtp.refuseWith(550);
    const { data: invite } = await admin().call("createInvite", { email: ADA });
    const failed = await until("the mail failed", async () => (await listFailed("mail"))[0]);
    return { invite, failed };
  };

  test("is listed with its subject and its reason, without secrets", async () => {
    await using receiver = await startReceiver(authority);
    const { endpointId, id } = await failDelivery(receiver);
    const [failed] = await listFailed("webhook");
    assert.deepEqual(
      [failed?.id, failed?.kind, failed?.subject, failed?.name, failed?.about, failed?.owner?.id, failed?.attempts, failed?.error],
      [
        id,
        "webhook",
        endpointId,
        new URL(receiver.url).host,
        "webhook.test",
        server.owner.userId,
        2,
        "The endpoint responded with status 500.",
      ],
    );
    assert.deepEqual([failed?.nextAttemptAt, failed?.canRetry, failed?.canDrop], [null, true, true]);
    assert.ok(!JSON.stringify(failed).includes("a-secret-path"));
    const { data: overview } = await admin().call("getOverview", {});
    assert.deepEqual(overview.failures.failedJobs, [{ kind: "webhook", count: 1 }]);
    await admin().call("dropFailedJob", { id });
    assert.deepEqual([await listFailed("webhook"), await auditOf(id)], [[], ["job.dropped"]]);
    assert.deepEqual(await getDeliveries(server, server.owner.key, endpointId), []);
  });

  test("is a delivery, and is delivered once by a retry after the endpoint works again", async () => {
    await using receiver = await startReceiver(authority);
    const { endpointId, id } = await failDelivery(receiver);
    receiver.respondWith({ status: 204 });
    const attempts = receiver.received.length;
    const retried = await Promise.all([0, 1, 2].map(() => call(server, "POST", `/api/admin/jobs/${id}/retry`, server.administrator)));
    assert.deepEqual(retried.map(({ status }) => status).sort(), [200, 404, 404]);
    await until("it is delivered", async () => (await getDeliveries(server, server.owner.key, endpointId))[0]?.status === "delivered");
    assert.equal(receiver.received.length, attempts + 1);
    assert.deepEqual([await listFailed("webhook"), await auditOf(id)], [[], ["job.retried"]]);
  });

  test("returns to the list if the retry fails as well, and all of a kind are retried together", async () => {
    await using receiver = await startReceiver(authority);
    const failed = [await failDelivery(receiver), await failDelivery(receiver)];
    const page = await admin().call("listFailedJobs", { kind: "webhook", limit: 1 });
    const next = await admin().call("listFailedJobs", { kind: "webhook", limit: 1, cursor: page.nextCursor ?? "" });
    assert.deepEqual(
      [...page.data, ...next.data].map(({ id }) => id),
      failed.map(({ id }) => id).reverse(),
    );
    assert.equal(next.nextCursor, null);
    receiver.respondWith({ status: 200 });
    assert.deepEqual((await admin().call("retryFailedJobs", { kind: "webhook" })).data, { retried: 2, skipped: 0 });
    for (const { endpointId } of failed)
      await until("it is delivered", async () => (await getDeliveries(server, server.owner.key, endpointId))[0]?.status === "delivered");
    assert.deepEqual((await admin().call("retryFailedJobs", {})).data, { retried: 0, skipped: 0 });
    await failDelivery(receiver);
    assert.deepEqual((await admin().call("dropFailedJobs", { kind: "webhook" })).data, { dropped: 1, skipped: 0 });
    assert.deepEqual(await listFailed("webhook"), []);
  });

  /** mail, "When a mail cannot be sent". */
  test("is a mail that its SMTP server refused, and is sent once by a retry", async () => {
    const { invite, failed } = await failMail();
    assert.deepEqual([failed.name, failed.about, failed.attempts, failed.canRetry], [ADA, "invite", 1, true]);
    assert.match(failed.error, /Refused by the test/);
    const stored = await withDatabase(server, remaining);
    assert.ok(!JSON.stringify([stored, failed]).includes(invite.url.slice(-20)));
    smtp.refuseWith(undefined);
    const sent = smtp.mails.length;
    await admin().call("retryFailedJob", { id: failed.id });
    assert.equal(linkIn(await smtp.next(ADA), "invite"), invite.url);
    await until("nothing of it is kept", async () => (await withDatabase(server, remaining)).length === 0);
    assert.equal(smtp.mails.length, sent + 1);
  });

  /** accounts, "Deleting an account". */
  test("is deleted if it is a mail to an account that is deleted", async () => {
    const { data: leaving } = await admin().call("addUser", { email: ADA, name: "Ada" });
    await failMail();
    assert.equal((await listFailed("mail"))[0]?.owner?.id, leaving.id);
    await admin().call("deleteUser", { id: leaving.id, confirm: ADA });
    assert.deepEqual([await listFailed("mail"), await withDatabase(server, remaining)], [[], []]);
  });

  test("is not sent again if it is a mail whose link has ended", async () => {
    const { invite, failed } = await failMail();
    await admin().call("revokeInvite", { id: invite.id });
    smtp.refuseWith(undefined);
    assert.equal((await listFailed("mail"))[0]?.canRetry, false);
    const retried = await call(server, "POST", `/api/admin/jobs/${failed.id}/retry`, server.administrator);
    assertRefused(retried, { status: 409, code: "CONFLICT" });
    assert.deepEqual((await admin().call("retryFailedJobs", { kind: "mail" })).data, { retried: 0, skipped: 1 });
    await admin().call("dropFailedJob", { id: failed.id });
    assert.deepEqual(await withDatabase(server, remaining), []);
    assertRefused(await call(server, "DELETE", `/api/admin/jobs/${failed.id}`, server.administrator), { status: 404, code: "NOT_FOUND" });
  });
});
