/** @jsxImportSource preact */
import { files as texts } from "#texts/files";
import { FormDialog } from "../../site/browser/components/form-dialog.tsx";
import type { FileView } from "../file-views.ts";
import { toShownName } from "../shown-name.ts";
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

/** The first of files that have the same links, and the number of the others. */
interface SameLinks {
  readonly file: FileView;
  readonly others: number;
}

/** Groups files that have the same links, so that each link is named once. */
function byLinks(files: readonly FileView[]): readonly SameLinks[] {
  const groups = new Map<string, SameLinks>();
  for (const file of files) {
    const key = file.links.map(({ shareUrl }) => shareUrl).join(" ");
    const known = groups.get(key);
    groups.set(key, known ? { file: known.file, others: known.others + 1 } : { file, others: 0 });
  }
  return [...groups.values()];
}

function nameFiles({ name }: FileView, others: number): string {
  const shown = toShownName(name, texts);
  return others === 0 ? shown : texts.andMore(shown, others);
}

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
      {byLinks(named).map(({ file, others }) => (
        <div key={file.id} class="files-links">
          <strong>
            <bdi>{nameFiles(file, others)}</bdi>
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
