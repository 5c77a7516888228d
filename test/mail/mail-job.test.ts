import assert from "node:assert/strict";
import { test } from "node:test";
import { loadConfig } from "../../src/config/load.ts";
import { startJobRunner } from "../../src/jobs/runner.ts";
import { DAY_MS } from "../../src/lib/text/duration.ts";
import { toIso } from "../../src/lib/text/iso-time.ts";
import { createMailJob } from "../../src/mail/mail-job.ts";
import { createMailer } from "../../src/mail/mailer.ts";
import { deleteOldMails, enqueueMail } from "../../src/mail/queue.ts";
import { mailRenderer } from "../../src/mail-renderer.ts";
import { openProcesses } from "../jobs/support.ts";
import { startSmtpServer } from "../support/services/smtp-server.ts";
import { until } from "../support/until.ts";

/** mail, "When a mail cannot be sent". */
test("a mail whose link has expired before it could be sent is not sent, and deleted a week later", async () => {
  await using smtp = await startSmtpServer();
  const { mail: settings } = loadConfig(smtp.env).config;
  assert.ok(settings);
  await using mailer = createMailer(settings);
  await using processes = await openProcesses();
  const {
    clock,
    ctxs: [ctx],
  } = processes;
  const link = "https://files.example.org/verify/a-token";
  const mail = { kind: "verify", link, until: toIso(clock.nowMs + 1_000) } as const;
  await ctx.transaction((inner) => enqueueMail({ ...inner, config: { mail: settings } }, { to: "ada@example.org", language: null, mail }));
  clock.nowMs += 2_000;
  const runner = startJobRunner(ctx, [createMailJob(mailer, mailRenderer(ctx))]);
  const readMails = () => ctx.db.selectFrom("mails").selectAll().execute();
  const failed = await until("it failed", async () => (await readMails()).find(({ failed_at }) => failed_at !== null));
  await runner.drain(1_000);
  assert.deepEqual([failed.content, failed.error, smtp.mails.length], [null, "Its link has expired before it could be sent.", 0]);
  clock.nowMs += 7 * DAY_MS - 1;
  await deleteOldMails(ctx);
  assert.equal((await readMails()).length, 1);
  clock.nowMs += 1;
  await deleteOldMails(ctx);
  assert.deepEqual(await readMails(), []);
});
