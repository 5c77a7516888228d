/** @jsxImportSource preact */
/** The dialogs of the files page, which are loaded when the first is opened. */
import { files as texts } from "#texts/files";
import { announce } from "../../site/browser/components/announce.ts";
import { type ChosenEntries, createFolder, type DeletionPreview, renameFile, renameFolder, type SharedLink } from "./calls.ts";
import { DeleteDialog } from "./deletion/delete-dialog.tsx";
import type { RemovedWith } from "./deletion/use-deletions.ts";
import { MoveDialog } from "./move-dialog.tsx";
import { NameDialog } from "./name-dialog.tsx";
import { ShareDialog } from "./share-dialog.tsx";
import { entryName, type FilesStore } from "./store.ts";

export type OpenDialog =
  | { readonly kind: "folder" }
  | { readonly kind: "rename"; readonly id: string }
  | { readonly kind: "move"; readonly chosen: ChosenEntries; readonly what: string }
  | { readonly kind: "share"; readonly chosen: ChosenEntries; readonly what: string; readonly link?: SharedLink | undefined }
  | { readonly kind: "delete"; readonly chosen: ChosenEntries; readonly what: string; readonly preview: DeletionPreview };

export interface DialogsProps {
  readonly dialog: OpenDialog;
  readonly files: FilesStore;
  moveTo(chosen: ChosenEntries, folderId: string | null, name?: string): Promise<void>;
  removeNow(chosen: ChosenEntries, removed: RemovedWith): void;
  onShared(): void;
  onClose(): void;
}

/** Renders the open dialog. */
export function Dialogs({ dialog, files, moveTo, removeNow, onShared, onClose }: DialogsProps) {
  const renamed = dialog.kind === "rename" ? files.at(files.indexOf(dialog.id)) : undefined;
  return (
    <>
      {dialog.kind === "folder" ? (
        <NameDialog
          title={texts.newFolder}
          label={texts.folderName}
          submit={texts.create}
          name=""
          onSubmit={async (name) => {
            await createFolder(name, files.query.folderId);
            await files.refresh().catch(() => undefined);
          }}
          onClose={onClose}
        />
      ) : null}
      {renamed ? (
        <NameDialog
          title={texts.rename}
          label={texts.newName}
          submit={texts.save}
          name={entryName(renamed)}
          note={renamed.kind === "folder" || renamed.file.linkCount > 0 ? texts.linksKeepName : undefined}
          onSubmit={async (name) => {
            if (renamed.kind === "file") files.patch(renamed.file.id, await renameFile(renamed.file.id, name));
            else files.patch(renamed.folder.id, await renameFolder(renamed.folder.id, name));
            announce(texts.renamed);
          }}
          onClose={onClose}
        />
      ) : null}
      {dialog.kind === "move" ? (
        <MoveDialog
          chosen={dialog.chosen}
          what={dialog.what}
          path={files.path}
          from={findFolderOf(files, dialog.chosen)}
          onMove={(folder) => moveTo(dialog.chosen, folder?.id ?? null, folder?.name)}
          onClose={onClose}
        />
      ) : null}
      {dialog.kind === "delete" ? (
        <DeleteDialog
          preview={dialog.preview}
          what={dialog.what}
          onDelete={() => {
            onClose();
            removeNow(dialog.chosen, { files: dialog.preview.filesInside, links: 0 });
          }}
          onClose={onClose}
        />
      ) : null}
      {dialog.kind === "share" ? (
        <ShareDialog
          chosen={dialog.chosen}
          what={dialog.what}
          link={dialog.link}
          {...toShareProps(files, dialog.chosen)}
          onShared={onShared}
          onClose={onClose}
        />
      ) : null}
    </>
  );
}

/** Returns the known facts about the chosen entries before they get a link. Entries that are not loaded are assumed to have links. */
function toShareProps(files: FilesStore, { fileIds, folderIds }: ChosenEntries) {
  const entries = [...fileIds, ...folderIds].map((id) => files.at(files.indexOf(id)));
  const [only] = entries.length === 1 ? entries : [];
  return {
    title: only?.kind === "folder" ? only.folder.name : "",
    hasLinks: entries.some((entry) => entry?.kind !== "file" || entry.file.visibility !== "private"),
  };
}

/** Returns the folder that contains all these entries; undefined for entries of several folders, and for those that are not loaded. */
function findFolderOf(files: FilesStore, { fileIds, folderIds }: ChosenEntries): string | null | undefined {
  const folders = new Set(
    [...fileIds, ...folderIds].map((id) => {
      const entry = files.at(files.indexOf(id));
      return entry?.kind === "file" ? entry.file.folderId : entry?.folder.parent_id;
    }),
  );
  return folders.size === 1 ? [...folders][0] : undefined;
}
