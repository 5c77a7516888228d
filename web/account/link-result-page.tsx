/** @jsxImportSource preact */
import { CheckIcon, ClockIcon } from "../site/icons.tsx";
import { renderDocument } from "../site/layout.tsx";
import type { PageContext } from "../site/page-context.ts";

export interface LinkResultProps {
  readonly isDone: boolean;
  readonly title: string;
  readonly text: string;
  /** The link to the next step. */
  readonly next: { readonly path: string; readonly text: string };
}

/** Renders the result of a link in a mail, or the reason why it had none. */
export function renderLinkResult(page: PageContext, { isDone, title, text, next }: LinkResultProps): string {
  return renderDocument(page, {
    title,
    main: { "data-state": isDone ? "link-done" : "link-ended" },
    children: (
      <section class="card message">
        <span class={`badge ${isDone ? "good" : "note"}`}>{isDone ? <CheckIcon /> : <ClockIcon />}</span>
        <h1>{title}</h1>
        <p>{text}</p>
        <p class="actions">
          <a class="button" href={next.path}>
            {next.text}
          </a>
        </p>
      </section>
    ),
  });
}
