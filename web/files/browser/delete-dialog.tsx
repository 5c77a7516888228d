/** @jsxImportSource preact */
import { files as texts } from "#texts/files";
import { FormDialog } from "../../site/browser/components/form-dialog.tsx";
import { fullName } from "../../site/format.ts";
import type { FileView } from "../file-views.ts";
import { describeLink } from "./describe-link.ts";

export interface DeleteDialogProps {
  /** The chosen files that have several links. */
  readonly files: readonly FileView[];
  /** The number of all chosen entries. */
  readonly count: number;
  onDelete(): void;
  onClose(): void;
}

/** Maximum number of files whose links the dialog names. */
const MAX_NAMED = 10;

/** Renders the question before files with several links are deleted, which names the links that stop working. */
export function DeleteDialog({ files, count, onDelete, onClose }: DeleteDialogProps) {
  const remove = async (): Promise<void> => onDelete();
  return (
    <FormDialog title={texts.deleteTitle(count)} submit={texts.deleteAllLinks} cancel={texts.cancel} onSubmit={remove} onClose={onClose}>
      <p>{texts.deleteLinksText}</p>
      {files.slice(0, MAX_NAMED).map((file) => (
        <div key={file.id} class="files-links">
          <strong>
            <bdi>{fullName(file.name)}</bdi>
          </strong>
          <ul>
            {file.links.map((link) => (
              <li key={link.id}>
                <bdi>{describeLink(link)}</bdi>
              </li>
            ))}
          </ul>
          {file.linkCount > file.links.length ? <p class="quiet">{texts.moreLinks(file.linkCount - file.links.length)}</p> : null}
        </div>
      ))}
      {files.length > MAX_NAMED ? <p class="quiet">{texts.moreFiles(files.length - MAX_NAMED)}</p> : null}
    </FormDialog>
  );
}
