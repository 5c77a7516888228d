import assert from "node:assert/strict";
import { test } from "node:test";
import { type OverviewPageProps, renderOverviewPage } from "../../web/admin/overview/overview-page.tsx";
import type { OverviewView } from "../../web/admin/overview/overview-view.ts";
import { catalogue } from "../../web/texts/catalogue.ts";
import type { Language } from "../../web/texts/languages.ts";
import { CALM } from "./admin-states.ts";
import { allPages, ENGLISH } from "./pages.ts";

/** administration, "Overview". */
test("the results of the checks begin with failures, link to the pages that solve problems, and fold the passed checks", () => {
  const { adminOverview = "" } = allPages();
  const checks = adminOverview.slice(adminOverview.indexOf('id="checks"'));
  assert.deepEqual(
    [...checks.matchAll(/<h3[^>]*>([^<]+)<\/h3>/g)].map(([, title]) => title),
    ["Malware scanner", "Reports"],
  );
  assert.match(checks, /<a href="\/admin\/reports">Read the reports and decide\.<\/a>/);
  assert.match(checks, /Restart clamav-daemon.*<p lang="en">scanner: no clamd at/s);
  assert.match(
    checks,
    /<details class="attention-missing"><summary>1\scheck passed<\/summary>.*Database: <span lang="en">responds<\/span>.*<\/details>/,
  );
});

const UNTIL = "2030-01-31T13:00:00.000Z";

const clockOf = (doubt: OverviewView["health"]["checks"]["clock"]["doubt"]): OverviewView => ({
  ...CALM,
  warnings: [],
  health: { ...CALM.health, checks: { ...CALM.health.checks, clock: { ok: doubt?.kind === "start", reason: "in English", doubt } } },
});

const render = (language: Language, doubt: OverviewView["health"]["checks"]["clock"]["doubt"]) =>
  renderOverviewPage(
    { ...ENGLISH, path: "/admin", language, texts: catalogue[language], timeZone: "Europe/Berlin" },
    { overview: clockOf(doubt) },
  );

for (const [language, stopped, set] of [
  ["en", /The server was stopped\. [^<]*removed by 31 January 2030, 14:00 CET/, /set forward by 4\sdays/],
  ["de", /Der Server war angehalten\. [^<]*31\. Januar 2030, 14:00 MEZ/, /um 4\sTage vorgestellt/],
  ["fr", /Le serveur était arrêté\. [^<]*31 janvier 2030, 14:00/, /avancée de 4\sjours/],
] as const)
  test(`a stop of the server needs nobody, a clock that was set does, in the reader's language and time zone: ${language}`, () => {
    const afterStop = render(language, { kind: "start", aheadSeconds: 3900, until: UNTIL });
    assert.match(afterStop, stopped);
    assert.ok(afterStop.includes(catalogue[language].admin.nothingNeeded));
    const afterJump = render(language, { kind: "jump", aheadSeconds: 4 * 86_400, until: UNTIL });
    assert.match(afterJump, set);
    assert.ok(!afterJump.includes(catalogue[language].admin.nothingNeeded));
    for (const html of [afterStop, afterJump]) assert.doesNotMatch(html, /in English|2030-01-31T/);
  });

test("the overview says that nothing needs attention only without a warning", () => {
  const { admin, installationChecks } = catalogue.en;
  const renderOf = (warnings: OverviewView["warnings"], results?: OverviewPageProps["results"]) =>
    renderOverviewPage({ ...ENGLISH, path: "/admin" }, { overview: { ...CALM, warnings }, results });
  assert.ok(renderOf([]).includes(admin.nothingNeeded));
  const found = renderOf([], [{ status: "warn", what: "scanner", subject: "signatures", detail: "30 days" }]);
  assert.match(found, new RegExp(`href="#checks">${admin.checks}</a></h3><p class="quiet">${installationChecks.signatures.title}</p>`));
  assert.ok(!found.includes(admin.nothingNeeded));
  const warned = renderOf(["no_tls"]);
  assert.ok(warned.includes(catalogue.en.admin.warnings.no_tls));
  assert.ok(!warned.includes(catalogue.en.admin.nothingNeeded));
});

test("the checks have titles of words, with no name of a setting, and a text and a fix in each language", () => {
  for (const { installationChecks } of Object.values(catalogue)) {
    const texts = Object.values(installationChecks);
    assert.equal(new Set(texts.map(({ problem }) => problem)).size, texts.length);
    for (const { title, problem, fix } of texts) {
      assert.doesNotMatch(title + problem + fix, /FILEHOST_|docs\/|--/);
      assert.match(problem + fix, /^\p{Lu}.*\..*\.$/u);
    }
  }
});
