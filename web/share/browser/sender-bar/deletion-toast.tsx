/** @jsxImportSource preact */
import { useLayoutEffect } from "preact/hooks";
import { senderBar as texts } from "#texts/share";
import { errors } from "#texts/site";
import { announce } from "../../../site/browser/components/announce.ts";
import { ToastItem } from "../../../site/browser/components/toasts.tsx";
import { UNDO_MS } from "../../../site/browser/components/undoable.ts";
import type { Deletion } from "./use-deletion.ts";

export interface DeletionToastProps {
  readonly deletion: Deletion;
  /** The number of other links that keep files of the share. */
  readonly otherLinks: number;
}

/** Renders the deletion until the share is deleted: the undo button while it works, or the reason of a failure. */
export function DeletionToast({ deletion: { state, problem, isSold, undo, commit }, otherLinks }: DeletionToastProps) {
  const isWaiting = state === "waiting";
  const isFailed = state === "failed";
  const text = isFailed ? `${texts.notDeleted} ${problem}` : withOtherLinks(texts.deleting, otherLinks);
  useLayoutEffect(() => {
    if (!isFailed) announce(isWaiting ? withOtherLinks(texts.deletingCanUndo, otherLinks) : text);
  }, [state]);
  return (
    <section class="toasts" aria-label={texts.label}>
      <ToastItem
        key={state}
        text={text}
        // The heading of the page is inert.
        isHeading
        isProblem={isFailed}
        ms={UNDO_MS}
        actions={[
          ...(isWaiting || isFailed ? [{ label: isWaiting ? texts.undo : texts.keep, isFocused: true, run: undo }] : []),
          ...(isFailed ? [{ label: isSold ? errors.nevertheless : texts.again, run: commit }] : []),
        ]}
      />
    </section>
  );
}

export const withOtherLinks = (text: string, otherLinks: number): string =>
  otherLinks === 0 ? text : `${text} ${texts.linksStay(otherLinks)}`;
