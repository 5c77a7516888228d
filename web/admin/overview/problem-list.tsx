/** @jsxImportSource preact */
import { BlockedIcon, CheckIcon, InfoIcon } from "../../site/icons.tsx";
import type { PageContext } from "../../site/page-context.ts";

export interface Problem {
  /** `bad`: something does not work. `note`: it works, but not as it should. */
  readonly tone: "bad" | "note";
  readonly title: string;
  readonly text: string;
  /** The page on which the problem is solved. */
  readonly href?: string;
  /** What to do. A link if there is a page on which the problem is solved. */
  readonly fix?: string;
  /** The words of a check in English, for administrators of the machine. */
  readonly found?: string;
}

interface ProblemListProps {
  readonly page: PageContext;
  readonly problems: readonly Problem[];
  /** Text in place of an empty list; undefined: nothing is in its place. */
  readonly none: string | undefined;
}

/** Renders problems for administrators, in their order, or the text in their place. */
export function ProblemList({ page, problems, none }: ProblemListProps) {
  if (problems.length === 0)
    return none === undefined ? null : (
      <p class="attention-none">
        <CheckIcon />
        {none}
      </p>
    );
  return (
    <ul class="attention-list">
      {problems.map((problem) => (
        <ProblemItem key={`${problem.title} ${problem.found}`} page={page} {...problem} />
      ))}
    </ul>
  );
}

function ProblemItem({ page, tone, title, text, href, fix, found }: Problem & Pick<ProblemListProps, "page">) {
  const ToneIcon = tone === "bad" ? BlockedIcon : InfoIcon;
  return (
    <li>
      <span class={`badge ${tone}`}>
        <ToneIcon />
      </span>
      <div>
        <h3>{href === undefined || fix !== undefined ? title : <Whole href={href}>{title}</Whole>}</h3>
        <p class="quiet">{text}</p>
        {fix === undefined ? null : <p class="problem-fix">{href === undefined ? fix : <a href={href}>{fix}</a>}</p>}
        {found === undefined ? null : (
          <details class="problem-found">
            <summary>{page.texts.admin.checkFound}</summary>
            <p lang="en">{found}</p>
          </details>
        )}
      </div>
    </li>
  );
}

/** A link that covers the whole item. */
const Whole = ({ href, children }: { readonly href: string; readonly children: string }) => (
  <a class="whole" href={href}>
    {children}
  </a>
);
