/** @jsxImportSource preact */
import { files as texts } from "#texts/files";
import { FormDialog } from "../../site/browser/components/form-dialog.tsx";
import { fullName } from "../../site/format.ts";
import { describeLink } from "./describe-link.ts";
import type { LinkedFiles } from "./find-linked.ts";

export interface DeleteDialogProps {
  /** The chosen files that have several links. */
  readonly linked: LinkedFiles;
  /** All chosen entries, in words. */
  readonly what: string;
  onDelete(): void;
  onClose(): void;
}

/** Maximum number of links that the dialog names of each file. */
const MAX_LINKS = 5;

/** Renders the question before files with several links are deleted, which names the links that stop working. */
export function DeleteDialog({ linked: { named, count: linkedCount }, what, onDelete, onClose }: DeleteDialogProps) {
  const remove = async (): Promise<void> => onDelete();
  return (
    <FormDialog
      title={texts.deleteTitle(what)}
      submit={texts.deleteAllLinks}
      cancel={texts.cancel}
      tone="danger"
      onSubmit={remove}
      onClose={onClose}
    >
      <p>{texts.deleteLinksText(linkedCount)}</p>
      {named.map((file) => (
        <div key={file.id} class="files-links">
          <strong>
            <bdi>{fullName(file.name)}</bdi>
          </strong>
          <ul>
            {file.links.slice(0, MAX_LINKS).map((link) => (
              <li key={link.id}>
                <bdi>{describeLink(link)}</bdi>
              </li>
            ))}
          </ul>
          {file.linkCount > MAX_LINKS ? <p class="quiet">{texts.moreLinks(file.linkCount - MAX_LINKS)}</p> : null}
        </div>
      ))}
      {linkedCount > named.length ? <p class="quiet">{texts.moreFiles(linkedCount - named.length)}</p> : null}
    </FormDialog>
  );
}
