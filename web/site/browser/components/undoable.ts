/** Changes that can be undone for some seconds. They become final afterwards, or when the page is left. */
import type { Toasts } from "./toasts.tsx";

export const UNDO_MS = 10_000;

export interface UndoableChange {
  readonly text: string;
  /** The IDs of what has changed. A later change of one of them makes this one final, because undoing it would undo the later one too. */
  readonly subjects: readonly string[];
  /** The label of the button. */
  readonly undo: string;
  /** Whether the button gets the focus, because the focused element has disappeared. */
  readonly isFocused?: boolean;
  onUndo(): void;
  /** Runs when the change can no longer be undone. While the page is being left, its requests must continue afterwards. */
  onCommit?(isLeaving: boolean): void;
}

interface Offer {
  readonly subjects: readonly string[];
  commit(isLeaving: boolean): void;
}

/** The changes of the page that can be undone now, whatever shows them. */
const offers = new Set<Offer>();

addEventListener("pagehide", () => {
  for (const offer of [...offers]) offer.commit(true);
});

/** Makes the changes of these subjects final. */
function commitChangesOf(subjects: readonly string[]): void {
  for (const offer of [...offers]) if (offer.subjects.some((id) => subjects.includes(id))) offer.commit(false);
}

/** Returns a function that shows a change with a button that undoes it. */
export function createUndo(show: Toasts["show"]): (change: UndoableChange) => void {
  return ({ text, subjects, undo, isFocused, onUndo, onCommit }) => {
    commitChangesOf(subjects);
    const end = (): void => {
      clearTimeout(timer);
      offers.delete(offer);
      hide();
    };
    const commit = (isLeaving: boolean): void => {
      end();
      onCommit?.(isLeaving);
    };
    const run = (): void => {
      end();
      onUndo();
    };
    const offer = { subjects, commit };
    offers.add(offer);
    const timer = setTimeout(() => commit(false), UNDO_MS);
    const hide = show({ text, actions: [{ label: undo, run, isFocused }], ms: UNDO_MS });
  };
}
