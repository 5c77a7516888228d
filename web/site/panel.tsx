/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { formatDate, formatRelative } from "./format.ts";
import type { PageContext } from "./page-context.ts";

export interface PanelProps {
  /** The ID of the heading, by which links and scripts find the panel. */
  readonly id?: string;
  readonly title: string;
  /** A sentence about the purpose of the panel. */
  readonly text?: ComponentChildren;
  /** The tone; `fresh` for a new object. A fresh panel gets the focus, unless a message above it has it. */
  readonly tone?: "danger" | "fresh";
  readonly children?: ComponentChildren;
}

/** Renders one subject of a settings page: its description, then its actions. */
export function Panel({ id, title, text, tone, children }: PanelProps) {
  return (
    <section class={tone === undefined ? "card panel" : `card panel ${tone}`}>
      <div class="heading">
        <h2 id={id} {...(tone === "fresh" && { tabIndex: -1, autofocus: true })}>
          {title}
        </h2>
        {text === undefined ? null : <p class="quiet">{text}</p>}
      </div>
      {children}
    </section>
  );
}

export interface AskProps {
  /** The label of the button that opens the question. */
  readonly label: string;
  /** The name of the object, for screen readers, if several buttons have the same label. */
  readonly about?: string;
  readonly path: string;
  /** The hidden fields of the form, such as the action and the ID. */
  readonly fields: Readonly<Record<string, string>>;
  /** The consequence of the action. */
  readonly text: string;
  readonly confirm: string;
  readonly tone?: "danger";
  /** Whether the question opens in a menu, in place of the menu's other items. */
  readonly isMenuItem?: boolean;
  /** The title of the dialog in which a script shows the question of a menu, and the label of its way back. */
  readonly dialog?: { readonly title: string; readonly cancel: string };
  /** Visible fields of the form. */
  readonly children?: ComponentChildren;
}

/** Renders a question before an irreversible action. It opens below its button, also without scripts. */
export function Ask({ label, about, path, fields, text, confirm, tone, isMenuItem = false, dialog, children }: AskProps) {
  const look = isMenuItem ? "menu-item" : "button small";
  return (
    <details class="ask">
      <summary class={tone === undefined ? look : `${look} ${tone}-text`} data-dialog={dialog?.title} data-cancel={dialog?.cancel}>
        {label}
        {about === undefined ? null : <span class="unseen">: {about}</span>}
      </summary>
      <form class="ask-body" method="post" action={path} data-once="">
        <p>{text}</p>
        {Object.entries(fields).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        {children}
        <button class={tone === undefined ? "button" : `button ${tone}`} type="submit">
          {confirm}
        </button>
      </form>
    </details>
  );
}

/** Renders the time since an event, with the exact time on hover. */
export function Ago({ page, time, nowMs }: { readonly page: PageContext; readonly time: string; readonly nowMs: number }) {
  const timeMs = Date.parse(time);
  return <span title={formatDate(timeMs, page)}>{formatRelative(timeMs, nowMs, page.language)}</span>;
}
