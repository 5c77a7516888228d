import assert from "node:assert/strict";
import { test } from "node:test";
import type { Ctx } from "../../../src/context.ts";
import { startJobRunner } from "../../../src/jobs/runner.ts";
import { MINUTE_MS } from "../../../src/lib/text/duration.ts";
import { enqueueNotice } from "../../../src/service/notices/enqueue-notice.ts";
import { noticeJob } from "../../../src/service/notices/notice-job.ts";
import { openProcesses, readJobs } from "../../jobs/support.ts";
import { until } from "../../support/until.ts";

const MAIL = { FILEHOST_SMTP_URL: "smtp://127.0.0.1:1", FILEHOST_MAIL_FROM: "files@example.org" };

/** notices, "By mail": another process adds a notice while a mail with earlier ones has just been enqueued. */
test("a notice that is added while others are mailed has a job that mails it", async () => {
  await using processes = await openProcesses(MAIL);
  const { clock, ctxs } = processes;
  const [ctx, other] = ctxs;
  const times = { created_at: clock.nowMs, updated_at: clock.nowMs };
  const user = { id: "u1", name: "Ada", email: "ada@example.org", email_verified: 1 };
  await ctx.db
    .insertInto("users")
    .values({ ...user, ...times })
    .execute();
  const notice = (about: string) =>
    other.transaction((ctx) =>
      enqueueNotice(ctx, { userId: "u1", kind: "arrived", about, title: () => about, path: `/requests/${about}` }),
    );
  await notice("first");
  clock.nowMs += 2 * MINUTE_MS;
  const transaction: Ctx["transaction"] = async (work) => {
    const result = await ctx.transaction(work);
    await notice("second");
    return result;
  };
  const runner = startJobRunner({ ...ctx, transaction }, [noticeJob]);
  try {
    await until("the first notice is mailed", async () => {
      const row = await ctx.db.selectFrom("notices").select("mailed_at").where("about", "=", "first").executeTakeFirst();
      return row?.mailed_at ?? undefined;
    });
  } finally {
    await runner.drain(5_000);
  }
  const second = await ctx.db.selectFrom("notices").select("mailed_at").where("about", "=", "second").executeTakeFirstOrThrow();
  assert.equal(second.mailed_at, null);
  const job = (await readJobs(ctx)).u1;
  assert.equal(job?.kind, "notices");
});
