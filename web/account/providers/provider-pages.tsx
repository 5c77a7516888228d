/** @jsxImportSource preact */
import { SECURITY_PATH } from "../../settings/paths.ts";
import { BlockedIcon, ClockIcon, InfoIcon } from "../../site/icons.tsx";
import { renderDocument } from "../../site/layout.tsx";
import type { PageContext } from "../../site/page-context.ts";
import { SIGN_IN_PATH } from "../paths.ts";
import type { ProviderTexts } from "../texts/en.ts";

/** Renders the page that browsers show briefly before the provider's page. */
export function renderLeavingPage(page: PageContext, { url, provider }: { readonly url: string; readonly provider: string }): string {
  const texts = page.texts.provider;
  return renderDocument(page, {
    title: texts.leaving(provider),
    main: { "data-state": "leaving" },
    children: (
      <section class="card message">
        <h1>{texts.leaving(provider)}</h1>
        <p class="quiet">{texts.leavingText}</p>
        <p class="actions">
          <a class="button" href={url} rel="noreferrer">
            {texts.continueWith(provider)}
          </a>
        </p>
      </section>
    ),
  });
}

export type ProviderProblem = keyof ProviderTexts["problems"];

/** The next page and the icon of each problem. */
const PROBLEMS = {
  unavailable: { icon: ClockIcon, path: SIGN_IN_PATH },
  cancelled: { icon: InfoIcon, path: SIGN_IN_PATH },
  invalid: { icon: InfoIcon, path: SIGN_IN_PATH },
  noAddress: { icon: InfoIcon, path: SIGN_IN_PATH },
  taken: { icon: InfoIcon, path: `${SIGN_IN_PATH}?next=${encodeURIComponent(SECURITY_PATH)}` },
  elsewhere: { icon: InfoIcon, path: SECURITY_PATH },
  closed: { icon: InfoIcon, path: SIGN_IN_PATH },
  invite: { icon: InfoIcon, path: SIGN_IN_PATH },
  disabled: { icon: BlockedIcon, path: "/" },
  notProved: { icon: InfoIcon, path: SECURITY_PATH },
} as const;

export interface ProviderProblemProps {
  readonly problem: ProviderProblem;
  readonly provider: string;
}

/** Renders the reason why signing in at the provider failed, and the next step. */
export function renderProviderProblem(page: PageContext, { problem, provider }: ProviderProblemProps): string {
  const texts = page.texts.provider;
  const { title, text, next, action } = texts.problems[problem];
  const { icon: ProblemIcon, path } = PROBLEMS[problem];
  return renderDocument(page, {
    title: title(provider),
    main: { "data-state": `provider-${problem}` },
    children: (
      <section class="card message">
        <span class={`badge ${problem === "disabled" ? "bad" : "note"}`}>
          <ProblemIcon />
        </span>
        <h1>{title(provider)}</h1>
        <p>{text(provider)}</p>
        <p class="quiet">{next(provider)}</p>
        <p class="actions">
          <a class="button" href={path}>
            {action}
          </a>
        </p>
      </section>
    ),
  });
}
