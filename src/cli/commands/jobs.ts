import { countOf } from "../../lib/text/count-of.ts";
import {
  dropFailedJob,
  dropFailedJobs,
  listFailedJobs,
  retryFailedJob,
  retryFailedJobs,
} from "../../service/administration/failed-jobs.ts";
import { adminJobsContract, JOB_KINDS } from "../../service/administration/jobs-contract.ts";
import { administer } from "../administer.ts";
import { defineCommand } from "../command.ts";
import { UsageError } from "../failure.ts";
import { confirmIrreversible, IRREVERSIBLE_OPTIONS } from "../options/irreversible.ts";
import { DATA_SETTINGS } from "../options/option-settings.ts";
import { readPages } from "../read-pages.ts";
import { formatTable, formatTime } from "../terminal/text.ts";
import { withApp } from "../with-app.ts";

const ID = "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e";

/** The settings of the commands. A mail can be retried only if the server sends mails. */
const SETTINGS = [...DATA_SETTINGS, "SMTP_URL", "MAIL_FROM"] as const;

const kind = { kind: "text", value: "KIND", choices: JOB_KINDS, help: "Only this kind" } as const;

export const jobsList = defineCommand({
  details: "Jobs, webhook deliveries and mails, the last failure first. The server retries most jobs automatically.",
  options: { kind },
  settings: SETTINGS,
  examples: ["filehost jobs list", "filehost jobs list --kind mail --json"],
  async run({ options, load }) {
    const failed = await withApp(await load(), (ctx) =>
      readPages(Number.POSITIVE_INFINITY, (page) =>
        administer(ctx, [adminJobsContract.listFailedJobs, listFailedJobs], { ...options, ...page }),
      ),
    );
    const rows = failed.map((job) => [
      job.id,
      job.kind,
      [job.name ?? job.subject ?? "-", ...(job.about === null ? [] : [`(${job.about})`])].join(" "),
      formatTime(job.failedAt),
      String(job.attempts),
      job.isRunning ? "running" : job.nextAttemptAt === null ? "never" : formatTime(job.nextAttemptAt),
      job.error,
    ]);
    const headings = ["ID", "KIND", "ABOUT", "FAILED", "ATTEMPTS", "NEXT", "ERROR"];
    return { data: failed, text: formatTable(headings, rows, "Nothing has failed.") };
  },
});

export const jobsRetry = defineCommand({
  details: "The running server retries it within a second. If it fails again, it returns to the list.",
  args: { ID: { optional: true, help: "An ID of filehost jobs list" } },
  options: { all: { kind: "flag", help: "All jobs that can be retried" }, kind: { ...kind, help: "With --all: only this kind" } },
  settings: SETTINGS,
  examples: [`filehost jobs retry ${ID}`, "filehost jobs retry --all --kind mail"],
  async run({ args: { ID }, options, load }) {
    if ((ID === undefined) !== options.all) throw new UsageError("Pass an ID or --all.", "filehost jobs retry --help");
    if (ID !== undefined && options.kind !== undefined) throw new UsageError("Pass --kind with --all.", "filehost jobs retry --help");
    if (ID !== undefined) {
      const data = await withApp(await load(), (ctx) => administer(ctx, [adminJobsContract.retryFailedJob, retryFailedJob], { id: ID }));
      return { data, text: `${data.id}\n`, notes: ["The server retries it."] };
    }
    const data = await withApp(await load(), (ctx) =>
      administer(ctx, [adminJobsContract.retryFailedJobs, retryFailedJobs], { kind: options.kind }),
    );
    const skipped = data.skipped === 0 ? "" : ` ${data.skipped} cannot be retried.`;
    return { data, text: "", notes: [`${countOf(data.retried, "job")} retried.${skipped}`] };
  },
});

export const jobsDrop = defineCommand({
  details: "An import is cancelled. Jobs that other work depends on, such as a scan, cannot be dropped.",
  args: { ID: { optional: true, help: "An ID of filehost jobs list" } },
  options: {
    all: { kind: "flag", help: "All jobs of --kind that can be dropped" },
    kind: { ...kind, help: "With --all: the kind" },
    ...IRREVERSIBLE_OPTIONS,
  },
  settings: DATA_SETTINGS,
  examples: [`filehost jobs drop ${ID}`, "filehost jobs drop --all --kind webhook"],
  async run({ args: { ID }, options, load, terminal }) {
    const { all, kind } = options;
    const confirm = (what: string): Promise<void> =>
      confirmIrreversible({ command: "jobs drop", options, terminal }, `Drop ${what}? It is not tried again.`);
    if (ID !== undefined && !all && kind === undefined) {
      await confirm("the job");
      const data = await withApp(await load(), (ctx) => administer(ctx, [adminJobsContract.dropFailedJob, dropFailedJob], { id: ID }));
      return { data, text: `${data.id}\n` };
    }
    if (ID !== undefined || !all || kind === undefined)
      throw new UsageError("Pass an ID, or --all with --kind.", "filehost jobs drop --help");
    await confirm(`all failed work of the kind ${kind}`);
    const data = await withApp(await load(), (ctx) => administer(ctx, [adminJobsContract.dropFailedJobs, dropFailedJobs], { kind }));
    const skipped = data.skipped === 0 ? "" : ` ${data.skipped} cannot be dropped.`;
    return { data, text: "", notes: [`${countOf(data.dropped, "job")} dropped.${skipped}`] };
  },
});
