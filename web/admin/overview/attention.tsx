/** @jsxImportSource preact */
import { BlockedIcon, CheckIcon, InfoIcon } from "../../site/icons.tsx";
import type { PageContext } from "../../site/page-context.ts";
import { Panel } from "../../site/panel.tsx";
import { ADMIN_FILES_PATH, JOBS_PATH, REPORTS_PATH } from "../paths.ts";
import type { OverviewView } from "./overview-view.ts";

interface Item {
  readonly tone: "bad" | "note";
  readonly title: string;
  readonly text: string;
  /** The page on which the problem is solved. */
  readonly href?: string;
}

/** The pages on which problems of the parts are solved. */
const PART_PATHS = {
  clock: "#checks",
  database: "#checks",
  storage: ADMIN_FILES_PATH,
  scanner: `${ADMIN_FILES_PATH}?state=waiting`,
  jobs: JOBS_PATH,
} as const;

const PARTS = ["database", "storage", "scanner", "jobs", "clock"] as const;

/** Renders what needs an administrator, the most urgent first, or that nothing does. Then it lists what is not set up. */
export function Attention({ page, overview }: { readonly page: PageContext; readonly overview: OverviewView }) {
  const { admin } = page.texts;
  const items = listItems(page, overview);
  const missing = overview.warnings.filter((warning) => warning !== "unknown_client_address" && warning !== "no_scanner");
  return (
    <Panel id="attention" title={admin.attention}>
      {items.length === 0 ? (
        <p class="attention-none">
          <CheckIcon />
          {admin.nothingNeeded}
        </p>
      ) : (
        <ul class="attention-list">
          {items.map((item) => (
            <AttentionItem key={item.title} {...item} />
          ))}
        </ul>
      )}
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

function AttentionItem({ tone, title, text, href }: Item) {
  const ItemIcon = tone === "bad" ? BlockedIcon : InfoIcon;
  return (
    <li>
      <span class={`badge ${tone}`}>
        <ItemIcon />
      </span>
      <div>
        <h3>{href === undefined ? title : <a href={href}>{title}</a>}</h3>
        <p class="quiet">{text}</p>
      </div>
    </li>
  );
}

function listItems({ texts, language }: PageContext, overview: OverviewView): readonly Item[] {
  const { admin } = texts;
  const { health, failures, warnings, unknownClientAddress } = overview;
  const { unknownBlobs, damagedFiles } = health.checks.storage;
  const number = (count: number) => count.toLocaleString(language);
  const failedJobs = failures.failedJobs.reduce((sum, { count }) => sum + count, 0);
  const parts = PARTS.flatMap((name): readonly Item[] => {
    const { ok, reason } = health.checks[name];
    // A scanner that is off by choice is listed separately.
    if (ok && (reason === undefined || (name === "scanner" && warnings.includes("no_scanner")))) return [];
    return [{ tone: ok ? "note" : "bad", title: admin.parts[name], text: reason ?? admin.broken, href: PART_PATHS[name] }];
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

const when = (isShown: boolean, item: Item): readonly Item[] => (isShown ? [item] : []);
