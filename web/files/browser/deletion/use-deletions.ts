/** Deletions that can be undone for some seconds. Deleted entries disappear immediately, and the request is sent when the time has passed. */
import { useEffect, useRef } from "preact/hooks";
import { files as texts } from "#texts/files";
import { errors } from "#texts/site";
import { announce } from "../../../site/browser/components/announce.ts";
import { TOAST_QUESTION_MS, type Toasts } from "../../../site/browser/components/toasts.tsx";
import { createUndo, UNDO_MS } from "../../../site/browser/components/undoable.ts";
import { type ChosenEntries, type DeleteOptions, deletePermanently, isTooLargeWhileLeaving } from "../calls.ts";
import { nameEntries } from "../name-entries.ts";
import type { FilesStore } from "../store.ts";
import { rememberLeftDeletions } from "./left-deletions.ts";

/** What is removed together with entries, as far as the message says it. */
export interface RemovedWith {
  /** The number of files in the folders among the entries. */
  readonly files: number;
  /** The number of links that stop working, if nobody was asked about them. */
  readonly links: number;
}

export interface Deletions {
  begin(chosen: ChosenEntries, removed: RemovedWith): void;
}

export function useDeletions(store: FilesStore, toasts: Toasts, left: readonly string[]): Deletions {
  const latest = useRef(toasts);
  latest.current = toasts;
  const offer = useRef<ReturnType<typeof createUndo>>(null);
  offer.current ??= createUndo((toast) => latest.current.show(toast));

  // What the server refused to delete after the page before was left is shown again.
  useEffect(() => {
    if (left.length === 0) return;
    const timer = setTimeout(async () => {
      await store.refresh().catch(() => undefined);
      store.unhide(left);
    }, UNDO_MS);
    return () => clearTimeout(timer);
  }, []);

  const commit = async (chosen: ChosenEntries, options: DeleteOptions): Promise<void> => {
    const { ids, reason, soldIds } = await deletePermanently(chosen, options);
    // Hidden entries have no place in the list, by which they are named.
    store.unhide(ids);
    if (ids.length > 0) {
      const isRefused = (id: string): boolean => ids.includes(id);
      const refused = { fileIds: chosen.fileIds.filter(isRefused), folderIds: chosen.folderIds.filter(isRefused) };
      const hide = latest.current.show({
        text: `${texts.notDeleted(nameEntries(store, refused))} ${reason}`,
        isProblem: true,
        ...(soldIds.length > 0 && {
          ms: TOAST_QUESTION_MS,
          actions: [
            {
              label: errors.nevertheless,
              run() {
                hide();
                force({
                  fileIds: chosen.fileIds.filter((id) => soldIds.includes(id)),
                  folderIds: chosen.folderIds.filter((id) => soldIds.includes(id)),
                });
              },
            },
          ],
        }),
      });
    }
    // What was deleted stays hidden, because a list that was requested before may arrive later.
    await store.refresh().catch(() => undefined);
  };

  /** Deletes sold files, and folders that contain some, so that buyers lose them. */
  const force = (sold: ChosenEntries): void => {
    store.hide([...sold.fileIds, ...sold.folderIds]);
    void commit(sold, { isLeaving: false, force: true });
  };

  return {
    begin(chosen, removed) {
      const ids = [...chosen.fileIds, ...chosen.folderIds];
      if (ids.length === 0) return;
      const what = nameEntries(store, chosen);
      store.hide(ids);
      const large = new AbortController();
      const isLarge = isTooLargeWhileLeaving(chosen);
      if (isLarge) addEventListener("beforeunload", (event) => event.preventDefault(), { signal: large.signal });
      offer.current?.({
        text: [texts.deleted(what, removed.files), ...(removed.links === 0 ? [] : [texts.andItsLinks(removed.links)])].join(" "),
        subjects: ids,
        undo: texts.undo,
        onUndo() {
          large.abort();
          store.unhide(ids);
          announce(texts.undone);
        },
        onCommit(isLeaving) {
          if (isLeaving) rememberLeftDeletions(ids);
          void commit(chosen, { isLeaving }).finally(() => large.abort());
        },
      });
    },
  };
}
