/** @jsxImportSource preact */
import { files as texts } from "#texts/files";
import { canDrop } from "../../sending/browser/dropped-files.ts";
import { EmptyState } from "../../site/empty-state.tsx";
import { FolderIcon } from "../../site/icons.tsx";
import { AddButtons, type Additions } from "./toolbar.tsx";

/** Renders a folder without entries, with what can be added to it. */
export function EmptyFolder({ isRoot, additions }: { readonly isRoot: boolean; readonly additions: Additions }) {
  const text = isRoot ? texts.emptyText : texts.emptyFolderText;
  return (
    <EmptyState
      icon={<FolderIcon />}
      title={isRoot ? texts.emptyTitle : texts.emptyFolder}
      text={canDrop ? `${text} ${texts.dropHere}.` : text}
    >
      <AddButtons {...additions} />
    </EmptyState>
  );
}
