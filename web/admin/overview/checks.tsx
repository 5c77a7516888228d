/** @jsxImportSource preact */
import { BlockedIcon, CheckIcon, InfoIcon } from "../../site/icons.tsx";
import type { PageContext } from "../../site/page-context.ts";
import { Panel } from "../../site/panel.tsx";
import { ADMIN_PATH, JOBS_PATH, REPORTS_PATH } from "../paths.ts";
import type { CheckResultView } from "./overview-view.ts";

export interface ChecksProps {
  readonly page: PageContext;
  /** The results of the checks that have just run. */
  readonly results: readonly CheckResultView[] | undefined;
}

/** Renders the results of the checks of the installation: the problems, the worst first, then the passed checks, folded. */
export function Checks({ page, results }: ChecksProps) {
  const { admin } = page.texts;
  return (
    <Panel id="checks" title={admin.checks} text={admin.checksText}>
      {results === undefined ? null : <Results page={page} results={results} />}
      <form method="post" action={`${ADMIN_PATH}#checks`}>
        <button class="button small" type="submit">
          {results === undefined ? admin.runChecks : admin.runAgain}
        </button>
      </form>
    </Panel>
  );
}

function Results({ page, results }: ChecksProps & { readonly results: readonly CheckResultView[] }) {
  const { admin } = page.texts;
  const [failures, warnings, passed] = (["fail", "warn", "ok"] as const).map((wanted) => results.filter(({ status }) => status === wanted));
  const problems = [...(failures ?? []), ...(warnings ?? [])];
  return (
    <>
      {problems.length === 0 ? (
        <p class="attention-none">
          <CheckIcon />
          {admin.noProblems}
        </p>
      ) : (
        <ul class="attention-list">
          {problems.map((problem) => (
            <Problem key={`${problem.what} ${problem.detail}`} page={page} problem={problem} />
          ))}
        </ul>
      )}
      {passed === undefined || passed.length === 0 ? null : (
        <details class="attention-missing">
          <summary>{admin.checksPassed(passed.length)}</summary>
          <ul lang="en">
            {passed.map(({ what, detail }) => (
              <li key={`${what} ${detail}`}>{`${capitalized(what)}: ${detail}`}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

/** The pages on which the problems of a check are solved, in place of the commands of its fix. */
const PAGES = {
  reports: { path: REPORTS_PATH, text: "decideReports" },
  mails: { path: `${JOBS_PATH}?kind=mail`, text: "retryMails" },
} as const;

const isOnPage = (what: string): what is keyof typeof PAGES => Object.hasOwn(PAGES, what);

function Problem({
  page: { texts },
  problem: { status, what, detail, fix },
}: {
  readonly page: PageContext;
  readonly problem: CheckResultView;
}) {
  const StatusIcon = status === "fail" ? BlockedIcon : InfoIcon;
  return (
    <li>
      <span class={`badge ${status === "fail" ? "bad" : "note"}`}>
        <StatusIcon />
      </span>
      <div>
        <h3 lang="en">{capitalized(what)}</h3>
        <p class="quiet" lang="en">
          {capitalized(detail)}
        </p>
        {isOnPage(what) ? (
          <p class="check-fix">
            <a href={PAGES[what].path}>{texts.admin[PAGES[what].text]}</a>
          </p>
        ) : fix === undefined ? null : (
          <p class="check-fix" lang="en">
            {fix}
          </p>
        )}
      </div>
    </li>
  );
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
