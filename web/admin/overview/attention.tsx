/** @jsxImportSource preact */
import { formatDate, formatDuration } from "../../site/format.ts";
import type { PageContext } from "../../site/page-context.ts";
import { Panel } from "../../site/panel.tsx";
import { ADMIN_FILES_PATH, JOBS_PATH, REPORTS_PATH } from "../paths.ts";
import type { CheckResultView, OverviewView } from "./overview-view.ts";
import { type Problem, ProblemList } from "./problem-list.tsx";

/** The pages on which problems of the parts are solved. */
const PART_PATHS = {
  clock: "#checks",
  database: "#checks",
  storage: ADMIN_FILES_PATH,
  scanner: `${ADMIN_FILES_PATH}?state=waiting`,
  jobs: JOBS_PATH,
} as const;

const PARTS = ["database", "storage", "scanner", "jobs", "clock"] as const;

interface AttentionProps {
  readonly page: PageContext;
  readonly overview: OverviewView;
  readonly results: readonly CheckResultView[] | undefined;
}

/** Renders what needs an administrator, the most urgent first, then what is not set up. Without either, it says that nothing does. */
export function Attention({ page, overview, results = [] }: AttentionProps) {
  const { admin } = page.texts;
  const items = [...listItems(page, overview), ...listFindings(page, results)];
  const { doubt } = overview.health.checks.clock;
  const missing = overview.warnings.filter((warning) => warning !== "unknown_client_address" && warning !== "no_scanner");
  return (
    <Panel id="attention" title={admin.attention}>
      <ProblemList page={page} problems={items} none={missing.length === 0 ? admin.nothingNeeded : undefined} />
      {doubt?.kind === "start" ? <p class="quiet">{admin.wasStopped(describeUntil(page, doubt))}</p> : null}
      {missing.length === 0 ? null : (
        <details class="attention-missing" open={items.length === 0}>
          <summary>{admin.notSetUp(missing.length)}</summary>
          <ul>
            {missing.map((warning) => (
              <li key={warning}>{admin.warnings[warning]}</li>
            ))}
          </ul>
        </details>
      )}
    </Panel>
  );
}

/** Names the problems that the checks have found, which the list of their results describes. */
function listFindings({ texts }: PageContext, results: readonly CheckResultView[]): readonly Problem[] {
  const found = results.filter(({ status }) => status !== "ok");
  const titles = new Set(found.map(({ subject }) => texts.installationChecks[subject].title));
  return when(found.length > 0, {
    tone: found.some(({ status }) => status === "fail") ? "bad" : "note",
    title: texts.admin.checks,
    text: [...titles].join(" · "),
    href: "#checks",
  });
}

/** Describes what is wrong with a part: the clock in the reader's language and time zone, other parts in the server's words. */
function describePart(page: PageContext, { health }: OverviewView, name: (typeof PARTS)[number]): string {
  const { admin } = page.texts;
  const { doubt } = health.checks.clock;
  if (name !== "clock" || doubt === undefined) return health.checks[name].reason ?? admin.broken;
  const span = formatDuration(Math.abs(doubt.aheadSeconds) * 1000, page.language);
  const isAhead = doubt.aheadSeconds > 0;
  if (doubt.kind === "differs") return isAhead ? admin.clockAhead(span) : admin.clockBehind(span);
  const until = describeUntil(page, doubt);
  return isAhead ? admin.clockForward(span, until) : admin.clockBack(span, until);
}

const describeUntil = (page: PageContext, { until }: { readonly until: string | null }): string =>
  until === null ? "" : formatDate(Date.parse(until), page);

function listItems(page: PageContext, overview: OverviewView): readonly Problem[] {
  const { texts, language } = page;
  const { admin } = texts;
  const { health, failures, warnings, unknownClientAddress } = overview;
  const { unknownBlobs, damagedFiles } = health.checks.storage;
  const number = (count: number) => count.toLocaleString(language);
  const failedJobs = failures.failedJobs.reduce((sum, { count }) => sum + count, 0);
  const parts = PARTS.flatMap((name): readonly Problem[] => {
    const { ok, reason } = health.checks[name];
    // A server that was stopped says so below the list: nobody has to do anything.
    if (ok && name === "clock") return [];
    // A scanner that is off by choice is listed separately.
    if (ok && (reason === undefined || (name === "scanner" && warnings.includes("no_scanner")))) return [];
    return [{ tone: ok ? "note" : "bad", title: admin.parts[name], text: describePart(page, overview, name), href: PART_PATHS[name] }];
  });
  return [
    ...parts.filter(({ tone }) => tone === "bad"),
    ...when(failures.openReports > 0, {
      tone: "bad",
      title: texts.moderation.reports,
      text: admin.waitingCount(failures.openReports),
      href: REPORTS_PATH,
    }),
    ...when(damagedFiles > 0, {
      tone: "bad",
      title: admin.damagedFiles,
      text: admin.damagedFileCount(number(damagedFiles)),
      href: "#checks",
    }),
    ...when(failedJobs > 0, {
      tone: "bad",
      title: admin.failedWork,
      text: failures.failedJobs.map(({ kind, count }) => `${texts.jobs.kinds[kind]}: ${number(count)}`).join(" · "),
      href: JOBS_PATH,
    }),
    ...when(failures.failedScans > 0, {
      tone: "bad",
      title: admin.failedScans,
      text: admin.waitingCount(failures.failedScans),
      href: `${ADMIN_FILES_PATH}?state=blocked`,
    }),
    ...when(warnings.includes("no_scanner"), { tone: "note", title: admin.scanningOff, text: admin.scanningOffText, href: "#checks" }),
    ...parts.filter(({ tone }) => tone === "note"),
    ...when(failures.pausedWebhooks > 0, {
      tone: "note",
      title: admin.pausedWebhooksTitle,
      text: admin.pausedWebhooks(number(failures.pausedWebhooks)),
    }),
    ...when(unknownBlobs > 0, { tone: "note", title: admin.unknownBlobs, text: admin.unknownBlobCount(number(unknownBlobs)) }),
    ...when(unknownClientAddress !== null, {
      tone: "note",
      title: admin.clientAddresses,
      text: admin.unknownClientAddress(unknownClientAddress ?? ""),
      href: "#checks",
    }),
  ];
}

const when = (isShown: boolean, item: Problem): readonly Problem[] => (isShown ? [item] : []);
