import { countOf } from "../../lib/text/count-of.ts";
import { formatSize } from "../../lib/text/format-size.ts";
import { getOverview } from "../../service/system/get-overview.ts";
import { type Overview, overviewContract } from "../../service/system/overview-contract.ts";
import { administer } from "../administer.ts";
import { defineCommand } from "../command.ts";
import { DATA_SETTINGS } from "../options/option-settings.ts";
import { alignColumns } from "../terminal/text.ts";
import { withApp } from "../with-app.ts";

export const overview = defineCommand({
  details: "What the page /admin shows. It needs no running server; filehost doctor checks the installation.",
  settings: [...DATA_SETTINGS, "SCANNER", "CLAMD", "URL", "CONTENT_URL", "SMTP_URL", "MAIL_FROM"],
  examples: ["filehost overview", "filehost overview --json"],
  async run({ load }) {
    const data = await withApp(await load(), async (ctx) => {
      await ctx.clock.check();
      return await administer(ctx, [overviewContract.getOverview, getOverview], {});
    });
    return { data, text: [parts, usage, accounts, queue, attention, warnings].map((describe) => describe(data)).join("") };
  },
});

type Rows = readonly (readonly string[])[];

const section = (title: string, rows: Rows): string => (rows.length === 0 ? "" : `${title}\n${alignColumns(rows, "  ")}`);

function parts({ health: { version, checks }, storage: { freeBytes } }: Overview): string {
  const facts = {
    database: "",
    storage: freeBytes === null ? "" : `${formatSize(freeBytes)} free`,
    scanner: checks.scanner.version ?? checks.scanner.mode,
    clock: "",
    jobs: `${checks.jobs.waiting} waiting, ${checks.jobs.running} running`,
  };
  return section(
    `filehost ${version}`,
    (["database", "storage", "scanner", "jobs", "clock"] as const).map((name) => {
      const { ok, reason = "" } = checks[name];
      return [name, ok ? "ok" : "fail", facts[name], reason];
    }),
  );
}

const usage = ({ storage }: Overview): string =>
  section(
    "storage",
    storage.usage.map(({ tier, usedBytes, files }) => [tier, formatSize(usedBytes), countOf(files, "file")]),
  );

const accounts = ({ accounts: { people, administrators, agents, disabled }, signUp }: Overview): string =>
  section("accounts", [
    ["people", String(people)],
    ["administrators", String(administrators)],
    ["agents", String(agents)],
    ["disabled", String(disabled)],
    ["sign-up", signUp],
  ]);

const queue = ({ jobs }: Overview): string =>
  section(
    "queue",
    jobs.map(({ kind, waiting, failing }) => [kind, `${waiting} waiting`, `${failing} failing`]),
  );

/** Lists the problems that need an administrator, each with the command that solves it. */
function attention({ health, failures: { openReports, failedJobs, failedScans, pausedWebhooks } }: Overview): string {
  const { unknownBlobs } = health.checks.storage;
  const rows = [
    ...(unknownBlobs === 0 ? [] : [["blobs without a file", String(unknownBlobs), "filehost audit"]]),
    ...(openReports === 0 ? [] : [["open reports", String(openReports), "filehost reports list"]]),
    ...failedJobs.map(({ kind, count }) => [`failed: ${kind}`, String(count), `filehost jobs list --kind ${kind}`]),
    ...(failedScans === 0 ? [] : [["files whose scan failed", String(failedScans), "filehost rescan --all-failed"]]),
    ...(pausedWebhooks === 0 ? [] : [["paused webhooks", String(pausedWebhooks), "their owners resume them"]]),
  ];
  return section("needs attention", rows.length === 0 ? [["nothing"]] : rows);
}

const WARNINGS: Readonly<Record<Overview["warnings"][number], string>> = {
  no_tls: "The site has no TLS: passwords and files travel unencrypted.",
  no_scanner: "Files are not scanned for malware.",
  no_mail: "No mail is sent.",
  no_content_url: "Files are served from the host name of the site. Set FILEHOST_CONTENT_URL.",
  unknown_client_address: "The proxy sends no IP address for some clients, so they share one limit. It sends",
};

const warnings = (overview: Overview): string =>
  section(
    "warnings",
    overview.warnings.map((warning) => [
      warning === "unknown_client_address" ? `${WARNINGS[warning]} ${JSON.stringify(overview.unknownClientAddress)}` : WARNINGS[warning],
    ]),
  );
