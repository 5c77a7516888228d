/** The selected entries of the list, and the position of the keyboard. */
import { useRef, useState } from "preact/hooks";
import type { Entry } from "../file-views.ts";
import type { ChosenEntries } from "./calls.ts";
import { type FilesStore, idOf } from "./store.ts";

export interface Selection {
  readonly size: number;
  /** The index of the entry at the position of the keyboard. */
  readonly cursor: number;
  has(id: string): boolean;
  /** Returns the selected entries; without a selection, the entry at the position of the keyboard. */
  chosen(): ChosenEntries;
  setCursor(index: number): void;
  /** Selects one entry, and deselects all others. */
  only(index: number): void;
  toggle(index: number): void;
  /** Selects all entries between this one and the last one that was selected alone. */
  extendTo(index: number): void;
  replace(chosen: ChosenEntries): void;
  clear(): void;
}

type Kinds = ReadonlyMap<string, Entry["kind"]>;

export function useSelection(store: FilesStore): Selection {
  const [kinds, setKinds] = useState<Kinds>(new Map());
  const [position, setCursor] = useState(0);
  // The entries below may have been deleted.
  const cursor = Math.min(position, Math.max(0, store.count - 1));
  const anchor = useRef(0);
  const entryOf = (index: number): [string, Entry["kind"]][] => {
    const entry = store.at(index);
    return entry ? [[idOf(entry), entry.kind]] : [];
  };
  const idsOf = (found: Kinds, kind: Entry["kind"]): string[] => [...found].flatMap(([id, own]) => (own === kind ? [id] : []));

  return {
    size: kinds.size,
    cursor,
    has: (id) => kinds.has(id),
    chosen() {
      const all = kinds.size > 0 ? kinds : new Map(entryOf(cursor));
      return { fileIds: idsOf(all, "file"), folderIds: idsOf(all, "folder") };
    },
    setCursor(index) {
      setCursor(index);
      if (kinds.size === 0) anchor.current = index;
    },
    only(index) {
      anchor.current = index;
      setCursor(index);
      setKinds(new Map(entryOf(index)));
    },
    toggle(index) {
      anchor.current = index;
      setCursor(index);
      const next = new Map(kinds);
      for (const [id, kind] of entryOf(index)) if (!next.delete(id)) next.set(id, kind);
      setKinds(next);
    },
    extendTo(index) {
      setCursor(index);
      const [from, to] = [Math.min(anchor.current, index), Math.max(anchor.current, index)];
      setKinds(new Map(Array.from({ length: to - from + 1 }, (_, offset) => entryOf(from + offset)).flat()));
    },
    replace({ fileIds, folderIds }) {
      setKinds(new Map([...folderIds.map((id) => [id, "folder"] as const), ...fileIds.map((id) => [id, "file"] as const)]));
    },
    clear() {
      setKinds(new Map());
    },
  };
}
