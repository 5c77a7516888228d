/** @jsxImportSource preact */
import type { PageContext } from "./page-context.ts";

interface CopyableProps {
  readonly page: PageContext;
  readonly id: string;
  readonly label: string;
  readonly text: string;
}

/** Renders a labelled text with a button that copies it. */
export function Copyable({ page, id, label, text }: CopyableProps) {
  return (
    <div class="copyable">
      <code id={id} {...(text.includes("\n") ? { tabIndex: 0 } : {})}>
        {text}
      </code>
      <button class="button small" type="button" data-copy={id} hidden>
        {page.texts.share.copy}
        <span class="unseen"> {label}</span>
      </button>
    </div>
  );
}
