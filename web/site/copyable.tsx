/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import type { PageContext } from "./page-context.ts";

interface CopyableProps {
  readonly page: PageContext;
  readonly id: string;
  readonly label: string;
  readonly text: string;
  /** The elements that show the text, if it is not shown as it is. */
  readonly children?: ComponentChildren;
}

/** Renders a labelled text with a button that copies it. */
export function Copyable({ page, id, label, text, children }: CopyableProps) {
  return (
    <div class="copyable">
      <code id={id} {...(text.includes("\n") ? { tabIndex: 0 } : {})}>
        {children ?? text}
      </code>
      <button class="button small" type="button" data-copy={id} hidden>
        {page.texts.share.copy}
        <span class="unseen"> {label}</span>
      </button>
    </div>
  );
}
