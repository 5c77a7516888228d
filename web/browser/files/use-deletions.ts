/** Deletions that can be undone for some seconds: what is deleted disappears at once, and the server is asked when the time is over. */
import { useEffect, useRef } from "preact/hooks";
import { files as texts } from "#texts/files.ts";
import type { Toasts } from "../components/toasts.tsx";
import { announce } from "../send/format.ts";
import { type Chosen, countOf, deleteForGood } from "./requests.ts";
import type { FilesStore } from "./store.ts";

const UNDO_MS = 10_000;

export interface Deletions {
  begin(chosen: Chosen): void;
}

export function useDeletions(store: FilesStore, toasts: Toasts): Deletions {
  /** What the server was not asked for yet, each with what asks it now. */
  const waiting = useRef(new Map<Chosen, () => void>()).current;

  useEffect(() => {
    // The page is left: the requests survive it.
    const leave = () => {
      for (const commit of [...waiting.values()]) commit();
    };
    addEventListener("pagehide", leave);
    return () => removeEventListener("pagehide", leave);
  }, []);

  const commit = async (chosen: Chosen): Promise<void> => {
    const { ids, reason } = await deleteForGood(chosen);
    if (ids.length > 0) toasts.show({ text: `${texts.notDeleted(ids.length)} ${reason}`, isProblem: true });
    store.unhide(ids);
    await store.refresh().catch(() => undefined);
    // Now the list does not have them.
    store.unhide([...chosen.fileIds, ...chosen.folderIds]);
  };

  return {
    begin(chosen) {
      const ids = [...chosen.fileIds, ...chosen.folderIds];
      if (ids.length === 0) return;
      store.hide(ids);
      const timer = setTimeout(() => waiting.get(chosen)?.(), UNDO_MS);
      const end = (): void => {
        clearTimeout(timer);
        waiting.delete(chosen);
        hideToast();
      };
      waiting.set(chosen, () => {
        end();
        void commit(chosen);
      });
      const undo = (): void => {
        end();
        store.unhide(ids);
        announce(texts.undone);
      };
      const hideToast = toasts.show({ text: texts.deleted(countOf(chosen)), action: { label: texts.undo, run: undo }, ms: UNDO_MS });
    },
  };
}
