/** @jsxImportSource preact */
/** The files of an account: the list, its actions, and uploads into the open folder. */
import type { ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { files as texts } from "#texts/files";
import { send as sendTexts } from "#texts/sending";
import { toChosenFile } from "../../sending/browser/chosen-files.ts";
import { readDropped } from "../../sending/browser/dropped-files.ts";
import { useLeftStorage } from "../../sending/browser/left-storage.ts";
import { announce } from "../../site/browser/components/announce.ts";
import { copyLater, copyText } from "../../site/browser/components/copy-button.tsx";
import { ToastList, useToasts } from "../../site/browser/components/toasts.tsx";
import { EmptyState } from "../../site/empty-state.tsx";
import { fullName } from "../../site/format.ts";
import { FolderIcon } from "../../site/icons.tsx";
import { isFileWaiting } from "../file-state.ts";
import {
  type Entry,
  type FilesListing,
  type FilesView,
  filesListPath,
  inFolder,
  type ListQuery,
  readShownFile,
  sortedBy,
  VIEW_COOKIE,
} from "../file-views.ts";
import { type ChosenEntries, countEntries, findFolderLink, loadIds, MAX_TOGETHER, previewDeletion, type SharedLink } from "./calls.ts";
import { endsOnlyOwnLinks } from "./deletion/known-links.ts";
import { takeLeftDeletions } from "./deletion/left-deletions.ts";
import { type RemovedWith, useDeletions } from "./deletion/use-deletions.ts";
import type { DialogsProps, OpenDialog } from "./dialogs.tsx";
import { downloadEntries } from "./downloads.ts";
import { Drawer } from "./drawer.tsx";
import { EmptyFolder } from "./empty-folder.tsx";
import { type EntryActions, EntryMenu, type OpenMenu } from "./entry-menu.tsx";
import { findLinkWithKey } from "./link-with-key.ts";
import { type ListActions, ListView, toChosenEntries } from "./list-view.tsx";
import { nameEntries } from "./name-entries.ts";
import { useSelection } from "./selection.ts";
import { createStore, type FilesStore, idOf } from "./store.ts";
import { type Additions, FilePickers, Path, SelectionBar, Toolbar } from "./toolbar.tsx";
import { UnfinishedList } from "./unfinished-list.tsx";
import { UploadPanel } from "./upload-panel.tsx";
import { useFolderUpload } from "./use-folder-upload.ts";
import { useMoves } from "./use-moves.ts";
import { usePageEvents } from "./use-page-events.ts";

const VIEW_SECONDS = 365 * 24 * 60 * 60;
/** The interval of requests for the state of files that are being scanned. */
const POLL_MS = 4000;
/** The number of dropped files from which on the page shows how many it has read. */
const READING_SHOWN = 200;

export interface AppProps {
  readonly query: ListQuery;
  readonly listing: FilesListing;
  readonly page: number;
  readonly view: FilesView;
  readonly maxBytes: number;
  /** The storage that the account has left; undefined while none is used. */
  readonly leftBytes?: number;
  readonly accountId: string;
  readonly hasRuns: boolean;
}

export function FilesApp({ query, listing, page, view: initialView, maxBytes, leftBytes: initialBytes, accountId, hasRuns }: AppProps) {
  const [, refresh] = useState({});
  const [left] = useState(takeLeftDeletions);
  const store = useRef<ReturnType<typeof createStore>>(null);
  store.current ??= createStore({ query, listing, page, hiddenIds: left }, () => refresh({}));
  const files = store.current;
  const selection = useSelection(files);
  const toasts = useToasts();
  const deletions = useDeletions(files, toasts, left);
  const moveEntries = useMoves(files, toasts);
  const storage = useLeftStorage(initialBytes);
  const sending = useFolderUpload({
    toasts,
    maxBytes,
    storage,
    accountId,
    onStored() {
      void storage.refresh();
      void files.refresh().catch(() => undefined);
    },
  });
  const [view, setView] = useState(initialView);
  const [dialog, setDialog] = useState<OpenDialog>();
  const [Dialogs, setDialogs] = useState<ComponentType<DialogsProps>>();
  useEffect(() => {
    if (dialog !== undefined) void import("./dialogs.tsx").then(({ Dialogs }) => setDialogs(() => Dialogs));
  }, [dialog]);
  const [menu, setMenu] = useState<OpenMenu>();
  /** The file whose details are shown. */
  const [shownId, setShownId] = useState(() => readShownFile(new URLSearchParams(location.search)));
  /** The number of links made. When it changes, the details show the new link. */
  const [shareCount, setShareCount] = useState(0);
  /** The number of files that were read from dropped folders, while many are being read. */
  const [reading, setReading] = useState(0);
  const search = useRef<HTMLInputElement>(null);
  /** The search of the list that was requested last. */
  const searched = useRef(query.search);
  const choose = useRef<Additions["choose"]>(() => undefined);
  const heading = useRef<HTMLHeadingElement>(null);

  const fail = (error: unknown): void => {
    toasts.show({ text: error instanceof Error ? error.message : String(error), isProblem: true });
  };

  const show = async (next: ListQuery, { isBack = false, focus = false } = {}): Promise<void> => {
    setShownId(undefined);
    selection.clear();
    selection.setCursor(0);
    searched.current = next.search;
    // All changes of a search are one step of the history.
    const isSameStep = files.query.folderId === next.folderId && files.query.search !== "" && next.search !== "";
    if (!isBack) history[isSameStep ? "replaceState" : "pushState"](null, "", filesListPath(next));
    try {
      await files.show(next);
    } catch (error) {
      // The page still shows the list before. Its entry may be gone.
      searched.current = files.query.search;
      if (!isBack) history.replaceState(null, "", filesListPath(files.query));
      void files.refresh().catch(() => undefined);
      return fail(error);
    }
    const folder = files.path.at(-1);
    document.title = document.title.replace(/^.*?(?= – [^–]*$)/, folder?.name ?? texts.title);
    if (next.search !== "") announce(texts.found(files.folders.length, files.total - files.folders.length));
    if (!focus) return;
    heading.current?.focus({ preventScroll: true });
    scrollTo({ top: 0, behavior: "instant" });
  };

  /** Moves entries to a folder in the list or its path, or to one that is named. */
  const moveTo = async (chosen: ChosenEntries, folderId: string | null, name = findFolderName(files, folderId)): Promise<void> => {
    await moveEntries(chosen, folderId, folderId === null ? texts.title : texts.quoted(fullName(name)));
    selection.clear();
  };

  const isTooMany = ({ fileIds }: ChosenEntries): boolean => {
    if (fileIds.length <= MAX_TOGETHER) return false;
    toasts.show({ text: texts.tooMany(MAX_TOGETHER), isProblem: true });
    return true;
  };
  const download = (chosen: ChosenEntries): void => {
    if (isTooMany(chosen)) return;
    announce(texts.starting);
    void downloadEntries(chosen).catch(fail);
  };
  const askToShare = (chosen: ChosenEntries, link?: SharedLink): void =>
    setDialog({ kind: "share", chosen, what: nameEntries(files, chosen), link });
  /** Shows the link that a single file or folder has, and asks for a title otherwise. */
  const share = async (chosen: ChosenEntries): Promise<void> => {
    if (isTooMany(chosen)) return;
    const [id = "", ...others] = [...chosen.fileIds, ...chosen.folderIds];
    const entry = others.length === 0 ? files.at(files.indexOf(id)) : undefined;
    askToShare(chosen, entry && (await findLink(entry)));
  };
  const startSharing = (chosen: ChosenEntries): void => void share(chosen).catch(fail);

  /** Deletes entries. Asks first if links that people probably have stop working or lose files. */
  const remove = async (chosen: ChosenEntries): Promise<void> => {
    if (countEntries(chosen) === 0) return;
    const preview = await previewDeletion(chosen);
    if (endsOnlyOwnLinks(preview)) removeNow(chosen, { files: preview.filesInside, links: preview.ending });
    else setDialog({ kind: "delete", chosen, what: nameEntries(files, chosen), preview });
  };
  const startRemoval = (chosen: ChosenEntries): void => void remove(chosen).catch(fail);
  const removeNow = (chosen: ChosenEntries, removed: RemovedWith): void => {
    selection.clear();
    if (shownId !== undefined && chosen.fileIds.includes(shownId)) setShownId(undefined);
    deletions.begin(chosen, removed);
  };

  const actions: ListActions & EntryActions = {
    open(entry) {
      if (entry.kind === "folder") void show(inFolder(files.query, entry.folder.id), { focus: true });
      else setShownId(entry.file.id);
    },
    openMenu: setMenu,
    copyLink: (entry) => void copyLink(entry).catch(fail),
    share: startSharing,
    download,
    askForFolder: (chosen) => setDialog({ kind: "move", chosen, what: nameEntries(files, chosen) }),
    sort: (by) => void show(sortedBy(files.query, by)),
    selectAll: () => void selectAll().catch(fail),
    remove: startRemoval,
    rename: (entry) => setDialog({ kind: "rename", id: idOf(entry) }),
    moveTo: (chosen, folderId) => void moveTo(chosen, folderId).catch(fail),
  };

  /** Copies the link of a file or folder. Shows the link if it cannot be copied, and asks for a title if there is none. */
  const copyLink = async (entry: Entry): Promise<void> => {
    const finding = findLink(entry);
    // The copying starts within the press, because browsers forbid it later.
    const copying = copyLater(finding.then((link) => link?.shareUrl ?? Promise.reject(new Error())));
    const link = await finding;
    if (link !== undefined && ((await copying) || (await copyText(link.shareUrl)))) toasts.show({ text: texts.linkCopied });
    else askToShare(toChosenEntries(entry), link);
  };

  const selectAll = async (): Promise<void> => {
    const folderIds = files.folders.map(({ id }) => id).filter((id) => !files.isHidden(id));
    const isLoaded = Array.from({ length: files.count }, (_, index) => files.at(index)).every((entry) => entry !== undefined);
    const fileIds = isLoaded
      ? Array.from({ length: files.count }, (_, index) => files.at(index)).flatMap((entry) =>
          entry?.kind === "file" ? [entry.file.id] : [],
        )
      : (await loadIds(files.query)).filter((id) => !files.isHidden(id));
    selection.replace({ fileIds, folderIds });
  };

  /** Uploads dropped or pasted files to the open folder, or to the folder of the list on which they were dropped. */
  const addDropped = async (data: DataTransfer, target?: EventTarget | null): Promise<void> => {
    const row = target instanceof Element ? target.closest<HTMLElement>(".files-row[data-id]") : null;
    const folderId = files.folders.find(({ id }) => id === row?.dataset.id)?.id ?? files.query.folderId;
    try {
      const { files: dropped, hasFailed, hasFolder } = await readDropped(data, (count) => count > READING_SHOWN && setReading(count));
      const problem = hasFailed ? sendTexts.unreadable : hasFolder && dropped.length === 0 ? sendTexts.emptyFolder : "";
      if (problem !== "") toasts.show({ text: problem, isProblem: true });
      await sending.add(dropped, folderId);
    } finally {
      setReading(0);
    }
  };

  const isDraggedOver = usePageEvents({
    isDialogOpen: dialog !== undefined,
    onBack: (query) => void show(query, { isBack: true }),
    onSearch() {
      search.current?.focus();
      search.current?.select();
    },
    onEscape() {
      setShownId(undefined);
      selection.clear();
    },
    onDropped: (data, target) => void addDropped(data, target),
    onReturn: () => void files.refresh().catch(() => undefined),
  });

  const isScanning = Array.from({ length: Math.min(files.count, 200) }, (_, index) => files.at(index)).some(
    (entry) => entry?.kind === "file" && isFileWaiting(entry.file),
  );
  useEffect(() => {
    if (!isScanning) return;
    const timer = setInterval(() => void (document.hidden || files.refresh().catch(() => undefined)), POLL_MS);
    return () => clearInterval(timer);
  }, [isScanning]);

  const chosen = selection.chosen();
  const single = selection.size === 1 ? files.at(files.indexOf([...chosen.fileIds, ...chosen.folderIds][0] ?? "")) : undefined;
  const hasNone = files.count === 0 && !files.isLoading;
  const isEmpty = hasNone && files.query.search === "";
  const close = () => setDialog(undefined);
  const additions: Additions = { onNewFolder: () => setDialog({ kind: "folder" }), choose: (what) => choose.current(what) };
  return (
    <>
      <Path
        query={files.query}
        path={files.path}
        leftBytes={storage.leftBytes}
        hasRuns={hasRuns}
        headingRef={heading}
        onShow={(query) => void show(query, { focus: true })}
        onDrop={actions.moveTo}
      />
      <FilePickers chooseRef={choose} onFiles={(added) => void sending.add(added.map(toChosenFile), files.query.folderId)} />
      {isEmpty ? null : (
        <Toolbar
          query={files.query}
          view={view}
          fieldRef={search}
          onSearch={(text) => text !== searched.current && void show({ ...files.query, search: text })}
          onSort={(order) => void show({ ...files.query, ...order })}
          onView={(view) => {
            // biome-ignore lint/suspicious/noDocumentCookie: the cookie store needs HTTPS.
            document.cookie = `${VIEW_COOKIE}=${view}; Path=/files; Max-Age=${VIEW_SECONDS}; SameSite=Lax`;
            setView(view);
          }}
          {...additions}
        />
      )}
      {reading > 0 ? (
        <p class="quiet" role="status">
          {sendTexts.reading(reading)}
        </p>
      ) : null}
      <UploadPanel sending={sending} />
      <UnfinishedList sending={sending} />
      {files.query.search === "" || hasNone ? null : (
        <p class="files-found">
          {texts.found(files.folders.length, files.total - files.folders.length)}{" "}
          <button class="link" type="button" onClick={() => void show({ ...files.query, search: "" })}>
            {texts.clear}
          </button>
        </p>
      )}
      <SelectionBar
        count={selection.size}
        onShare={() => startSharing(chosen)}
        onDownload={() => download(chosen)}
        onMove={() => actions.askForFolder(chosen)}
        onDelete={() => startRemoval(chosen)}
        onRename={single && (() => actions.rename(single))}
        onSelectAll={selection.size < files.count ? actions.selectAll : undefined}
        onClear={selection.clear}
      />
      {hasNone && !isEmpty ? (
        <EmptyState icon={<FolderIcon />} title={texts.found(0, 0)}>
          <button class="button plain" type="button" onClick={() => void show({ ...files.query, search: "" })}>
            {texts.clear}
          </button>
        </EmptyState>
      ) : null}
      {isEmpty ? <EmptyFolder isRoot={files.query.folderId === null} additions={additions} /> : null}
      {hasNone ? null : <ListView store={files} selection={selection} view={view} actions={actions} shownId={shownId} />}
      {shownId === undefined ? null : (
        <Drawer
          key={shareCount}
          fileId={shownId}
          onChanged={(file) => files.patch(file.id, file)}
          onShow={setShownId}
          onRename={() => setDialog({ kind: "rename", id: shownId })}
          onMove={() => actions.askForFolder({ fileIds: [shownId], folderIds: [] })}
          onDelete={(file) => {
            // The list shows the file by its oldest link.
            const listed = [file.id, ...file.links.map(({ id }) => id)].find((id) => files.indexOf(id) !== -1) ?? file.id;
            setShownId(listed);
            startRemoval({ fileIds: [listed], folderIds: [] });
          }}
          onLinkDeleted={(next) => {
            setShownId(next);
            void files.refresh().catch(() => undefined);
          }}
          onShare={() => askToShare({ fileIds: [shownId], folderIds: [] })}
          onGive={(link) => askToShare({ fileIds: [shownId], folderIds: [] }, link)}
          onGone={(error) => {
            setShownId(undefined);
            fail(error);
            void files.refresh().catch(() => undefined);
          }}
          onClose={() => setShownId(undefined)}
        />
      )}
      {menu ? <EntryMenu {...menu} actions={actions} onClose={() => setMenu(undefined)} /> : null}
      {isDraggedOver ? <p class="files-drop">{texts.dropHere}</p> : null}
      {dialog === undefined || Dialogs === undefined ? null : (
        <Dialogs
          dialog={dialog}
          files={files}
          moveTo={moveTo}
          removeNow={removeNow}
          onShared={() => {
            selection.clear();
            setShareCount((count) => count + 1);
            void files.refresh().catch(() => undefined);
          }}
          onClose={close}
        />
      )}
      <ToastList toasts={toasts} label={texts.title} />
    </>
  );
}

/** Finds the link of a file, or the link to all files of a folder; of encrypted files with the key, if this device has it. */
async function findLink(entry: Entry): Promise<SharedLink | undefined> {
  const isPrivate = entry.kind === "file" && entry.file.visibility === "private";
  const link = isPrivate ? undefined : entry.kind === "file" ? entry.file : await findFolderLink(entry.folder.id);
  return link && { shortId: link.shortId, shareUrl: await findLinkWithKey(link), sharePath: link.sharePath };
}

const findFolderName = ({ folders, path }: FilesStore, folderId: string | null): string =>
  [...folders, ...path].find(({ id }) => id === folderId)?.name ?? "";
