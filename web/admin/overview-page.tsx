/** @jsxImportSource preact */
import { formatSize } from "../../src/lib/format-size.ts";
import { formatDate, formatDuration } from "../format.ts";
import { BlockedIcon, CheckIcon, InfoIcon } from "../icons.tsx";
import type { PageContext } from "../page-context.ts";
import { Panel } from "../settings/panel.tsx";
import { renderAdmin } from "./admin-layout.tsx";
import { ADMIN_PATH } from "./paths.ts";

type Check = { readonly ok: boolean; readonly reason?: string | undefined };

export interface CheckResultView {
  readonly status: "ok" | "warn" | "fail";
  readonly what: string;
  readonly detail: string;
  readonly fix?: string | undefined;
}

export interface OverviewView {
  readonly health: {
    readonly version: string;
    readonly uptimeSeconds: number;
    readonly checks: { readonly database: Check; readonly storage: Check; readonly scanner: Check; readonly jobs: Check };
  };
  readonly storage: {
    readonly freeBytes: number | null;
    readonly usage: readonly { readonly tier: "anonymous" | "free" | "pro"; readonly usedBytes: number; readonly files: number }[];
  };
  readonly accounts: { readonly people: number; readonly administrators: number; readonly agents: number; readonly disabled: number };
  readonly jobs: readonly { readonly kind: string; readonly waiting: number; readonly failing: number; readonly oldestAt: string }[];
  readonly failures: {
    readonly webhookDeliveries: number;
    readonly pausedWebhooks: number;
    readonly failedScans: number;
    readonly openReports: number;
  };
  readonly warnings: readonly ("no_tls" | "no_scanner" | "no_mail" | "no_content_url")[];
}

export interface OverviewPageProps {
  readonly overview: OverviewView;
  /** The results of the checks that were just run. */
  readonly results?: readonly CheckResultView[] | undefined;
}

/** Renders the state of the server. */
export function renderOverviewPage(page: PageContext, { overview, results }: OverviewPageProps): string {
  const { admin } = page.texts;
  return renderAdmin(page, {
    section: "overview",
    children: (
      <>
        {overview.warnings.length === 0 ? null : (
          <ul class="admin-warnings">
            {overview.warnings.map((warning) => (
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

function Parts({ page: { texts, language }, overview: { health, accounts, failures } }: PartProps) {
  const { admin } = texts;
  const attention = failures.openReports + failures.failedScans + failures.webhookDeliveries + failures.pausedWebhooks;
  return (
    <ul class="admin-cards">
      {(["database", "storage", "scanner", "jobs"] as const).map((name) => (
        <Card key={name} status={health.checks[name].ok ? "ok" : "fail"} title={admin.parts[name]}>
          {health.checks[name].reason ?? admin.works}
        </Card>
      ))}
      <Card status={attention === 0 ? "ok" : "warn"} title={admin.failures}>
        {attention === 0
          ? admin.noFailures
          : admin.failureCounts(failures.openReports, failures.failedScans, failures.webhookDeliveries, failures.pausedWebhooks)}
      </Card>
      <Card status="ok" title={admin.accounts}>
        {admin.accountCounts(accounts.people, accounts.administrators, accounts.agents, accounts.disabled)}
      </Card>
      <Card status="ok" title={admin.version(health.version)}>
        {admin.running(formatDuration(Math.max(60, health.uptimeSeconds) * 1000, language))}
      </Card>
    </ul>
  );
}

interface CardProps {
  readonly status: CheckResultView["status"];
  readonly title: string;
  readonly fix?: string | undefined;
  readonly children: string;
}

const ICONS = { ok: CheckIcon, warn: InfoIcon, fail: BlockedIcon } as const;
const TONES = { ok: "good", warn: "note", fail: "bad" } as const;

function Card({ status, title, fix, children }: CardProps) {
  const StatusIcon = ICONS[status];
  return (
    <li class="admin-card">
      <span class={`badge ${TONES[status]}`}>
        <StatusIcon />
      </span>
      <div>
        <h2>{title}</h2>
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

function Queue({ page: { texts, language }, overview: { jobs } }: PartProps) {
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
                  <th scope="row">{job.kind}</th>
                  <td class="number">{job.waiting.toLocaleString(language)}</td>
                  <td class="number">{job.failing.toLocaleString(language)}</td>
                  <td>{formatDate(Date.parse(job.oldestAt), language)}</td>
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
