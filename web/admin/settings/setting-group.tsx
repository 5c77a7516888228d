/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import type { PageContext } from "../../site/page-context.ts";

export interface SettingGroupProps {
  readonly page: PageContext;
  /** The ID of the heading. */
  readonly id: string;
  readonly title: string;
  /** A sentence about the settings of the group. */
  readonly text?: string | undefined;
  /** The names of the settings, which the folded group shows. */
  readonly names: readonly string[];
  readonly changedCount: number;
  readonly isOpen: boolean;
  readonly children: ComponentChildren;
}

/** Renders a group of settings. Folded, it says which settings it has and how many of them are changed. */
export function SettingGroup({ page, id, title, text, names, changedCount, isOpen, children }: SettingGroupProps) {
  return (
    <details class="card setting-group" open={isOpen}>
      <summary>
        <span class="setting-summary">
          <span class="setting-title">
            <h2 id={id}>{title}</h2>
            {changedCount === 0 ? null : <span class="setting-mark">{page.texts.siteSettings.changedCount(changedCount)}</span>}
          </span>
          <span class="setting-names">{names.join(" · ")}</span>
        </span>
      </summary>
      {text === undefined ? null : <p class="quiet setting-intro">{text}</p>}
      {children}
    </details>
  );
}
