/** Moves that can be undone for some seconds. */
import { useRef } from "preact/hooks";
import { files as texts } from "#texts/files";
import { announce } from "../../site/browser/components/announce.ts";
import type { Toasts } from "../../site/browser/components/toasts.tsx";
import { createUndo } from "../../site/browser/components/undoable.ts";
import { type ChosenEntries, move, type PlacedEntries } from "./calls.ts";
import { nameEntries } from "./name-entries.ts";
import type { FilesStore } from "./store.ts";

/** Moves entries to a folder with a name; null: the root. Rejects with an error whose message is a sentence. */
export type MoveEntries = (chosen: ChosenEntries, folderId: string | null, where: string) => Promise<void>;

export function useMoves(store: FilesStore, toasts: Toasts): MoveEntries {
  const latest = useRef(toasts);
  latest.current = toasts;
  const offer = useRef<ReturnType<typeof createUndo>>(null);
  offer.current ??= createUndo((toast) => latest.current.show(toast));

  const undo = async (from: readonly PlacedEntries[]): Promise<void> => {
    try {
      for (const { folderId, ...entries } of from) await move(entries, folderId);
      announce(texts.movedBack);
    } catch (error) {
      latest.current.show({ text: error instanceof Error ? error.message : String(error), isProblem: true });
    }
    await store.refresh().catch(() => undefined);
  };

  return async (chosen, folderId, where) => {
    const ids = [...chosen.fileIds, ...chosen.folderIds];
    const text = texts.moved(nameEntries(store, chosen), where);
    const from = (await move(chosen, folderId)).filter((group) => group.folderId !== folderId);
    if (store.query.search === "" && folderId !== store.query.folderId) store.hide(ids);
    await store.refresh().catch(() => undefined);
    store.unhide(ids);
    if (from.length === 0) latest.current.show({ text });
    else offer.current?.({ text, subjects: ids, undo: texts.undoMove, onUndo: () => void undo(from) });
  };
}
