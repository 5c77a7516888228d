/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import type { FailedJobView } from "../../../src/service/administration/jobs-contract.ts";
import { toShownName } from "../../files/shown-name.ts";
import { EmptyState } from "../../site/empty-state.tsx";
import { FileName } from "../../site/file-name.tsx";
import { visibleText } from "../../site/format.ts";
import type { PageContext } from "../../site/page-context.ts";
import { Ago, Ask } from "../../site/panel.tsx";
import { Tabs } from "../../site/tabs.tsx";
import type { Texts } from "../../texts/catalogue.ts";
import { Owner } from "../admin-file.tsx";
import { NextPages, renderAdmin } from "../admin-layout.tsx";
import { ADMIN_FILES_PATH, JOBS_PATH } from "../paths.ts";

export type JobKind = keyof Texts["jobs"]["kinds"];

export interface JobsPageProps {
  readonly jobs: readonly FailedJobView[];
  /** The number of failures of each kind. */
  readonly counts: readonly { readonly kind: JobKind; readonly count: number }[];
  /** The kind of the listed jobs; undefined for all. */
  readonly kind: JobKind | undefined;
  readonly nextCursor: string | null;
  readonly isLaterPage: boolean;
  readonly nowMs: number;
  readonly done?: string | undefined;
  readonly problem?: string | undefined;
}

/** Renders one page of the failed jobs. */
export function renderJobsPage(page: PageContext, props: JobsPageProps): string {
  const { texts } = page;
  const { jobs, counts, kind, nextCursor, isLaterPage, nowMs, done, problem } = props;
  const path = listPath(kind);
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const listed = kind === undefined ? total : (counts.find((one) => one.kind === kind)?.count ?? 0);
  return renderAdmin(page, {
    section: "jobs",
    done,
    problem,
    children: (
      <>
        <p class="quiet">
          {texts.jobs.text} <a href={`${ADMIN_FILES_PATH}?state=blocked`}>{texts.jobs.scans}</a>
        </p>
        {total === 0 && kind === undefined ? null : <Kinds page={page} counts={counts} kind={kind} total={total} />}
        {listed > 1 ? (
          <div class="asks">
            <Ask
              label={texts.jobs.retryAll(listed.toLocaleString(page.language))}
              path={path}
              fields={{ action: "retry-all" }}
              text={texts.jobs.retryAllText}
              confirm={texts.jobs.retry}
            />
            {kind === undefined ? null : (
              <Ask
                label={texts.jobs.dropAll(listed.toLocaleString(page.language))}
                path={path}
                fields={{ action: "drop-all" }}
                text={texts.jobs.dropAllText}
                confirm={texts.jobs.drop}
                tone="danger"
              />
            )}
          </div>
        ) : null}
        {jobs.length === 0 ? (
          <EmptyState title={kind === undefined ? texts.jobs.none : texts.jobs.noneOfKind} text={texts.jobs.noneText} />
        ) : (
          <section class="card panel">
            <ul class="items">
              {jobs.map((job) => (
                <JobItem key={job.id} page={page} job={job} path={path} nowMs={nowMs} />
              ))}
            </ul>
          </section>
        )}
        <NextPages page={page} path={path} nextCursor={nextCursor} isLaterPage={isLaterPage} />
      </>
    ),
  });
}

const listPath = (kind: JobKind | undefined): string => (kind === undefined ? JOBS_PATH : `${JOBS_PATH}?kind=${kind}`);

type KindsProps = Pick<JobsPageProps, "counts" | "kind"> & { readonly page: PageContext; readonly total: number };

function Kinds({ page: { texts, language }, counts, kind, total }: KindsProps) {
  const shown = kind === undefined || counts.some((one) => one.kind === kind) ? counts : [...counts, { kind, count: 0 }];
  const tabs = [{ kind: undefined, count: total }, ...shown];
  return (
    <Tabs
      label={texts.jobs.title}
      tabs={tabs.map((tab) => ({
        href: listPath(tab.kind),
        text: tab.kind === undefined ? texts.jobs.all : texts.jobs.kinds[tab.kind],
        count: tab.count.toLocaleString(language),
        isCurrent: tab.kind === kind,
      }))}
    />
  );
}

interface ItemProps {
  readonly page: PageContext;
  readonly job: FailedJobView;
  readonly path: string;
  readonly nowMs: number;
}

function JobItem({ page, job, path, nowMs }: ItemProps) {
  const { texts } = page;
  const name = nameOf(texts, job);
  const about = name ?? visibleText(job.subject ?? texts.jobs.works[job.kind]);
  return (
    <li class="item">
      <div class="item-head">
        <p class="item-name">{texts.jobs.works[job.kind]}</p>
        <Subject texts={texts} job={job} />
        <p class="job-error" lang="en">
          <bdi>{visibleText(job.error)}</bdi>
        </p>
        <p class="quiet">
          {texts.jobs.failed} <Ago page={page} time={job.failedAt} nowMs={nowMs} /> · {texts.jobs.attempts(job.attempts)} ·{" "}
          <Next page={page} job={job} nowMs={nowMs} />
          {job.owner === null ? null : (
            <>
              {" · "}
              <Owner page={page} owner={job.owner} />
            </>
          )}
        </p>
      </div>
      <div class="asks">
        {job.canRetry ? (
          <form method="post" action={path}>
            <input type="hidden" name="action" value="retry" />
            <input type="hidden" name="id" value={job.id} />
            <button class="button small" type="submit">
              {texts.jobs.retry}
              <span class="unseen">: {about}</span>
            </button>
          </form>
        ) : null}
        {job.canDrop ? (
          <Ask
            label={texts.jobs.drop}
            about={about}
            path={path}
            fields={{ action: "drop", id: job.id }}
            text={texts.jobs.dropText}
            confirm={texts.jobs.drop}
            tone="danger"
          />
        ) : null}
      </div>
    </li>
  );
}

/** Renders the subject of a job. A file is a link to its page in the administration. */
function Subject({ texts, job }: { readonly texts: Texts; readonly job: FailedJobView }) {
  const { kind, subject, about } = job;
  const name = nameOf(texts, job);
  const isOfFile = kind === "scan" || kind === "thumbnail" || kind === "awaited-block";
  const text: ComponentChildren = name === undefined ? isOfFile || kind === "block" ? subject : null : <FileName name={name} />;
  if (text === null) return null;
  return (
    <p class="job-subject">
      {isOfFile && subject !== null ? <a href={`${ADMIN_FILES_PATH}?q=${encodeURIComponent(subject)}`}>{text}</a> : text}
      {about === null ? null : <span class="quiet"> · {kind === "mail" ? mailWord(texts, about) : <code>{about}</code>}</span>}
    </p>
  );
}

const nameOf = ({ files }: Texts, { name, encrypted }: FailedJobView): string | undefined =>
  name === null ? undefined : toShownName({ name, encrypted }, files);

const mailWord = ({ jobs: { mails } }: Texts, kind: string): string => new Map(Object.entries(mails)).get(kind) ?? kind;

function Next({ page, job, nowMs }: Pick<ItemProps, "page" | "job" | "nowMs">) {
  const { jobs } = page.texts;
  if (job.isRunning) return <span>{jobs.running}</span>;
  if (job.nextAttemptAt === null) return <span>{jobs.notAgain}</span>;
  return (
    <>
      {jobs.next} <Ago page={page} time={job.nextAttemptAt} nowMs={nowMs} />
    </>
  );
}
