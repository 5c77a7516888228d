/** @jsxImportSource preact */
import type { PageContext } from "../../site/page-context.ts";
import { Panel } from "../../site/panel.tsx";
import { ADMIN_PATH, JOBS_PATH, REPORTS_PATH } from "../paths.ts";
import type { CheckResultView } from "./overview-view.ts";
import { type Problem, ProblemList } from "./problem-list.tsx";

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
  const { admin, installationChecks } = page.texts;
  const withStatus = (wanted: CheckResultView["status"]) => results.filter(({ status }) => status === wanted);
  const problems = [...withStatus("fail"), ...withStatus("warn")].map((result) => toProblem(page, result));
  const passed = withStatus("ok");
  return (
    <>
      <ProblemList page={page} problems={problems} none={admin.noProblems} />
      {passed.length === 0 ? null : (
        <details class="attention-missing">
          <summary>{admin.checksPassed(passed.length)}</summary>
          <ul>
            {passed.map(({ what, subject, detail }) => (
              <li key={`${what} ${detail}`}>
                {installationChecks[subject].title}: <span lang="en">{detail}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

/** The pages on which the problems of a check are solved, in place of the commands of its fix. */
const PAGES: ReadonlyMap<string, string> = new Map([
  ["reports", REPORTS_PATH],
  ["mails", `${JOBS_PATH}?kind=mail`],
]);

function toProblem({ texts }: PageContext, { status, what, subject, detail, fix }: CheckResultView): Problem {
  const { title, problem, fix: todo } = texts.installationChecks[subject];
  const href = PAGES.get(what);
  return {
    tone: status === "fail" ? "bad" : "note",
    title,
    text: problem,
    fix: todo,
    ...(href === undefined ? {} : { href }),
    found: [`${what}: ${detail}`, ...(fix === undefined ? [] : [fix])].join("\n"),
  };
}
