/** @jsxImportSource preact */
import { files as texts } from "#texts/files";
import { Menu, type MenuItem, type MenuPlace } from "../../site/browser/components/menu.tsx";
import { DeleteIcon, DownloadIcon, EditIcon, FolderIcon, InfoIcon, LinkIcon, MoveIcon, ShareIcon } from "../../site/icons.tsx";
import { isFileDownloadable } from "../file-state.ts";
import type { Entry } from "../file-views.ts";
import { toEntryName } from "../shown-name.ts";
import { type ChosenEntries, countEntries } from "./calls.ts";

/** A menu that was opened for entries of the list. */
export interface OpenMenu {
  readonly chosen: ChosenEntries;
  /** The only chosen entry; undefined if several are chosen. */
  readonly entry: Entry | undefined;
  readonly place: MenuPlace;
}

/** The actions of the menu. */
export interface EntryActions {
  /** Opens a folder, or shows the details of a file. */
  open(entry: Entry): void;
  /** Copies the link of a file, or the link to all files of a folder. */
  copyLink(entry: Entry): void;
  share(chosen: ChosenEntries): void;
  download(chosen: ChosenEntries): void;
  rename(entry: Entry): void;
  askForFolder(chosen: ChosenEntries): void;
  remove(chosen: ChosenEntries): void;
}

export interface EntryMenuProps extends OpenMenu {
  readonly actions: EntryActions;
  onClose(): void;
}

/** Renders the actions for one entry, or for all selected ones. */
export function EntryMenu({ chosen, entry, place, actions, onClose }: EntryMenuProps) {
  const file = entry?.kind === "file" ? entry.file : undefined;
  const items: MenuItem[] = [
    ...(entry && file?.visibility !== "private" ? [{ label: texts.copyLink, icon: <LinkIcon />, run: () => actions.copyLink(entry) }] : []),
    ...(entry === undefined
      ? []
      : [
          file
            ? { label: texts.showDetails, icon: <InfoIcon />, run: () => actions.open(entry) }
            : { label: texts.open, icon: <FolderIcon />, run: () => actions.open(entry) },
        ]),
    { label: texts.share, icon: <ShareIcon />, run: () => actions.share(chosen) },
    {
      label: file ? texts.download : texts.downloadZip,
      icon: <DownloadIcon />,
      isDisabled: file !== undefined && !isFileDownloadable(file),
      run: () => actions.download(chosen),
    },
    ...(entry === undefined
      ? []
      : [{ label: texts.rename, icon: <EditIcon />, isDisabled: file?.immutable ?? false, run: () => actions.rename(entry) }]),
    { label: texts.move, icon: <MoveIcon />, run: () => actions.askForFolder(chosen) },
    {
      label: texts.delete,
      icon: <DeleteIcon />,
      isSeparated: true,
      isDisabled: file?.immutable ?? false,
      run: () => actions.remove(chosen),
    },
  ];
  const label = entry === undefined ? texts.selected(countEntries(chosen)) : toEntryName(entry, texts);
  return <Menu label={label} items={items} place={place} onClose={onClose} />;
}
