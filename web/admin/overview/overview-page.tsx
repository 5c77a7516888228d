/** @jsxImportSource preact */
import { formatSize } from "../../../src/lib/text/format-size.ts";
import type { Output } from "../../../src/service/contract.ts";
import { formatDate, formatDuration } from "../../site/format.ts";
import { BlockedIcon, CheckIcon, InfoIcon } from "../../site/icons.tsx";
import type { PageContext } from "../../site/page-context.ts";
import { Panel } from "../../site/panel.tsx";
import { renderAdmin } from "../admin-layout.tsx";
import { ADMIN_FILES_PATH, ADMIN_PATH, BLOCKLIST_PATH, JOBS_PATH, REPORTS_PATH, SITE_SETTINGS_PATH, USERS_PATH } from "../paths.ts";

type Check = { readonly ok: boolean; readonly reason?: string | undefined };

export type CheckResultView = Output<"checkInstallation">["results"][number];

export type OverviewView = Output<"getOverview">;

export interface OverviewPageProps {
  readonly overview: OverviewView;
  /** The results of the checks that have just run. */
  readonly results?: readonly CheckResultView[] | undefined;
}

/** Renders the state of the server. */
export function renderOverviewPage(page: PageContext, { overview, results }: OverviewPageProps): string {
  const { admin } = page.texts;
  // The warnings about missing settings. A separate card shows the problem of the proxy.
  const warnings = overview.warnings.filter((warning) => warning !== "unknown_client_address");
  return renderAdmin(page, {
    section: "overview",
    children: (
      <>
        {warnings.length === 0 ? null : (
          <ul class="admin-warnings">
            {warnings.map((warning) => (
              <li key={warning}>
                <InfoIcon />
                {admin.warnings[warning]}
              </li>
            ))}
          </ul>
        )}
        <Parts page={page} overview={overview} />
        <Storage page={page} overview={overview} />
        <Queue page={page} overview={overview} />
        <Checks page={page} results={results} />
      </>
    ),
  });
}

interface PartProps {
  readonly page: PageContext;
  readonly overview: OverviewView;
}

function Parts({
  page: { texts, language },
  overview: { health, accounts, signUp, blockedDigests, failures, unknownClientAddress },
}: PartProps) {
  const { admin } = texts;
  const { unknownBlobs } = health.checks.storage;
  const failedJobs = failures.failedJobs.reduce((sum, { count }) => sum + count, 0);
  return (
    <ul class="admin-cards">
      {(["database", "storage", "scanner", "jobs", "clock"] as const).map((name) => (
        <Card key={name} status={toStatus(health.checks[name])} title={admin.parts[name]} href={PART_PATHS[name]}>
          {health.checks[name].reason ?? admin.works}
        </Card>
      ))}
      <Card status={unknownBlobs === 0 ? "ok" : "warn"} title={admin.unknownBlobs}>
        {unknownBlobs === 0 ? admin.noUnknownBlobs : admin.unknownBlobCount(unknownBlobs.toLocaleString(language))}
      </Card>
      <Card status={unknownClientAddress === null ? "ok" : "warn"} title={admin.clientAddresses} href="#checks">
        {unknownClientAddress === null ? admin.knownAddresses : admin.unknownClientAddress(unknownClientAddress)}
      </Card>
      <Card status={failures.openReports === 0 ? "ok" : "warn"} title={texts.moderation.reports} href={REPORTS_PATH}>
        {failures.openReports === 0 ? admin.noFailures : admin.waitingCount(failures.openReports)}
      </Card>
      <Card status={failedJobs + failures.pausedWebhooks === 0 ? "ok" : "warn"} title={admin.failedWork} href={JOBS_PATH}>
        {failedJobs + failures.pausedWebhooks === 0
          ? admin.noFailures
          : [
              ...failures.failedJobs.map(({ kind, count }) => `${texts.jobs.kinds[kind]}: ${count.toLocaleString(language)}`),
              ...(failures.pausedWebhooks === 0 ? [] : [admin.pausedWebhooks(failures.pausedWebhooks)]),
            ].join(" · ")}
      </Card>
      <Card status={failures.failedScans === 0 ? "ok" : "warn"} title={admin.failedScans} href={`${ADMIN_FILES_PATH}?state=blocked`}>
        {failures.failedScans === 0 ? admin.noFailures : admin.waitingCount(failures.failedScans)}
      </Card>
      <Card status="ok" title={admin.accounts} href={USERS_PATH}>
        {admin.accountCounts(accounts.people, accounts.administrators, accounts.agents, accounts.disabled)}
      </Card>
      <Card status="ok" title={texts.blocklist.title} href={BLOCKLIST_PATH}>
        {admin.blockedDigests(blockedDigests.toLocaleString(language))}
      </Card>
      <Card status="ok" title={texts.siteSettings.title} href={SITE_SETTINGS_PATH}>
        {`${texts.siteSettings.settings.signup.name}: ${texts.siteSettings.choices[signUp]}`}
      </Card>
      <Card status="ok" title={admin.version(health.version)}>
        {admin.running(formatDuration(Math.max(60, health.uptimeSeconds) * 1000, language))}
      </Card>
    </ul>
  );
}

/** Returns the status of a part. A part that is off by choice, such as the scanner, has a reason, and has not failed. */
const toStatus = ({ ok, reason }: Check): "ok" | "warn" | "fail" => (ok ? (reason === undefined ? "ok" : "warn") : "fail");

/** The pages on which problems of the parts are solved. */
const PART_PATHS = {
  clock: "#checks",
  database: "#checks",
  storage: ADMIN_FILES_PATH,
  scanner: `${ADMIN_FILES_PATH}?state=waiting`,
  jobs: JOBS_PATH,
} as const;

interface CardProps {
  readonly status: CheckResultView["status"];
  readonly title: string;
  /** The path of the page that solves the problem. */
  readonly href?: string;
  readonly fix?: string | undefined;
  readonly children: string;
}

const ICONS = { ok: CheckIcon, warn: InfoIcon, fail: BlockedIcon } as const;
const TONES = { ok: "good", warn: "note", fail: "bad" } as const;

function Card({ status, title, href, fix, children }: CardProps) {
  const StatusIcon = ICONS[status];
  return (
    <li class="admin-card">
      <span class={`badge ${TONES[status]}`}>
        <StatusIcon />
      </span>
      <div>
        <h2>{href === undefined ? title : <a href={href}>{title}</a>}</h2>
        <p class="quiet">{children}</p>
        {fix === undefined ? null : <p class="admin-fix">{fix}</p>}
      </div>
    </li>
  );
}

function Storage({ page: { texts, language }, overview: { storage } }: PartProps) {
  const { admin } = texts;
  const usedBytes = storage.usage.reduce((sum, { usedBytes }) => sum + usedBytes, 0);
  const free = storage.freeBytes === null ? undefined : admin.free(formatSize(storage.freeBytes, language));
  return (
    <Panel
      title={admin.storage}
      text={[admin.used(formatSize(usedBytes, language)), free].filter((part) => part !== undefined).join(" · ")}
    >
      <div class="admin-scroll">
        <table class="admin-table">
          <thead>
            <tr>
              <th scope="col">{admin.tier}</th>
              <th scope="col" class="number">
                {admin.stored}
              </th>
              <th scope="col" class="number">
                {admin.files}
              </th>
            </tr>
          </thead>
          <tbody>
            {storage.usage.map(({ tier, usedBytes, files }) => (
              <tr key={tier}>
                <th scope="row">{admin.tiers[tier]}</th>
                <td class="number">{formatSize(usedBytes, language)}</td>
                <td class="number">{files.toLocaleString(language)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

function Queue({ page, overview: { jobs } }: PartProps) {
  const { texts, language } = page;
  const { admin } = texts;
  return (
    <Panel title={admin.queue} text={jobs.length === 0 ? admin.noJobs : undefined}>
      {jobs.length === 0 ? null : (
        <div class="admin-scroll">
          <table class="admin-table">
            <thead>
              <tr>
                <th scope="col">{admin.job}</th>
                <th scope="col" class="number">
                  {admin.waiting}
                </th>
                <th scope="col" class="number">
                  {admin.failing}
                </th>
                <th scope="col">{admin.oldest}</th>
              </tr>
            </thead>
            <tbody>
              {jobs.map((job) => (
                <tr key={job.kind}>
                  <th scope="row">{new Map<string, string>(Object.entries(texts.jobs.kinds)).get(job.kind) ?? job.kind}</th>
                  <td class="number">{job.waiting.toLocaleString(language)}</td>
                  <td class="number">
                    {job.failing === 0 ? "0" : <a href={`${JOBS_PATH}?kind=${job.kind}`}>{job.failing.toLocaleString(language)}</a>}
                  </td>
                  <td>{formatDate(Date.parse(job.oldestAt), page)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

function Checks({ page: { texts }, results }: { readonly page: PageContext; readonly results: readonly CheckResultView[] | undefined }) {
  const { admin } = texts;
  return (
    <Panel id="checks" title={admin.checks} text={admin.checksText}>
      {results === undefined ? null : (
        <ul class="admin-cards" lang="en">
          {results.map(({ status, what, detail, fix }) => (
            <Card key={`${what} ${detail}`} status={status} title={what} fix={fix}>
              {detail}
            </Card>
          ))}
        </ul>
      )}
      <form method="post" action={`${ADMIN_PATH}#checks`}>
        <button class="button small" type="submit">
          {results === undefined ? admin.runChecks : admin.runAgain}
        </button>
      </form>
    </Panel>
  );
}
