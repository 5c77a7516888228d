/** @jsxImportSource preact */
import { formatSize } from "../../../src/lib/text/format-size.ts";
import { counted, formatDate, formatDuration } from "../../site/format.ts";
import type { PageContext } from "../../site/page-context.ts";
import { Panel } from "../../site/panel.tsx";
import { renderAdmin } from "../admin-layout.tsx";
import { BLOCKLIST_PATH, JOBS_PATH, SITE_SETTINGS_PATH, USERS_PATH } from "../paths.ts";
import { Attention } from "./attention.tsx";
import { Charts } from "./charts.tsx";
import { Checks } from "./checks.tsx";
import type { CheckResultView, OverviewView } from "./overview-view.ts";

export interface OverviewPageProps {
  readonly overview: OverviewView;
  /** The results of the checks that have just run. */
  readonly results?: readonly CheckResultView[] | undefined;
}

/** Renders what needs attention, the last days, and the state of the server. */
export function renderOverviewPage(page: PageContext, { overview, results }: OverviewPageProps): string {
  return renderAdmin(page, {
    section: "overview",
    children: (
      <>
        <Attention page={page} overview={overview} results={results} />
        <Charts page={page} days={overview.days} />
        <Storage page={page} overview={overview} />
        <Facts page={page} overview={overview} />
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

function Facts({ page, overview: { health, accounts, signUp, blockedDigests } }: PartProps) {
  const { texts, language } = page;
  const { admin } = texts;
  return (
    <Panel
      title={admin.server}
      text={`${admin.version(health.version)} · ${admin.running(formatDuration(Math.max(60, health.uptimeSeconds) * 1000, language))}`}
    >
      <dl class="admin-facts">
        <Fact title={admin.accounts} href={USERS_PATH}>
          {describeAccounts(page, accounts)}
        </Fact>
        <Fact
          title={texts.siteSettings.settings.signup.name}
          href={`${SITE_SETTINGS_PATH}?q=${encodeURIComponent(texts.siteSettings.settings.signup.name)}`}
        >
          {texts.siteSettings.choices[signUp]}
        </Fact>
        <Fact title={texts.blocklist.title} href={BLOCKLIST_PATH}>
          {counted(blockedDigests, language, ...admin.blockedDigests)}
        </Fact>
      </dl>
    </Panel>
  );
}

/** Counts the accounts by kind. Kinds without accounts are left out. */
function describeAccounts({ texts: { admin }, language }: PageContext, accounts: OverviewView["accounts"]): string {
  const kinds = (["people", "administrators", "agents", "disabled"] as const).filter((kind) => kind === "people" || accounts[kind] > 0);
  return kinds.map((kind) => counted(accounts[kind], language, ...admin.accountCounts[kind])).join(", ");
}

function Fact({ title, href, children }: { readonly title: string; readonly href: string; readonly children: string }) {
  return (
    <div>
      <dt>
        <a href={href}>{title}</a>
      </dt>
      <dd>{children}</dd>
    </div>
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
