/** @jsxImportSource preact */
import type { Texts } from "../../texts/catalogue.ts";
import { BlockField, NoteField, PublicReasonField } from "../decision-form.tsx";

/** The ID of the form to which the boxes of the list belong. */
export const SELECTION = "selection";

/** The actions for selected files. The enter key in the note triggers the first one, which does not change a file that can be downloaded. */
export const SELECTED_ACTIONS = ["restore", "rescan", "takedown"] as const;

export interface SelectedFilesProps {
  readonly texts: Texts;
  readonly files: readonly { readonly id: string }[];
  readonly path: string;
  /** Whether the server has a malware scanner. */
  readonly canScan: boolean;
}

/** Renders the actions for several selected files. A button opens them, like other questions. */
export function SelectedFiles({ texts, files, path, canScan }: SelectedFilesProps) {
  const { moderation } = texts;
  const labels = { takedown: moderation.takeDown, restore: moderation.restore, rescan: moderation.rescan };
  return (
    <details class="ask selected-files">
      <summary class="button small">{moderation.selected}</summary>
      <form class="ask-body" id={SELECTION} method="post" action={path}>
        <p>{moderation.selectedText}</p>
        <input type="hidden" name="several" value="true" />
        {files.map(({ id }) => (
          <input key={id} type="hidden" name="listed" value={id} />
        ))}
        <label class="check">
          <input type="checkbox" name="all" value="true" />
          <span>{moderation.allListed(files.length)}</span>
        </label>
        <PublicReasonField texts={texts} />
        <BlockField texts={texts} />
        <NoteField texts={texts} />
        <div class="asks">
          {SELECTED_ACTIONS.filter((action) => action !== "rescan" || canScan).map((action) => (
            <button
              key={action}
              class={action === "takedown" ? "button small danger-text" : "button small"}
              type="submit"
              name="action"
              value={action}
              // Only a takedown gives a reason.
              formNoValidate={action !== "takedown"}
            >
              {labels[action]}
            </button>
          ))}
        </div>
      </form>
    </details>
  );
}
