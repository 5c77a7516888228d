/** Changes that can be undone for some seconds. They become final afterwards, or when the page is left. */
import type { Toasts } from "./toasts.tsx";

export const UNDO_MS = 10_000;

export interface UndoableChange {
  readonly text: string;
  /** The label of the button. */
  readonly undo: string;
  /** Whether the button gets the focus, because the focused element has disappeared. */
  readonly isFocused?: boolean;
  onUndo(): void;
  /** Runs when the change can no longer be undone. While the page is being left, its requests must continue afterwards. */
  onCommit?(isLeaving: boolean): void;
}

/** Returns a function that shows a change with a button that undoes it. */
export function createUndo(show: Toasts["show"]): (change: UndoableChange) => void {
  const waiting = new Set<(isLeaving: boolean) => void>();
  addEventListener("pagehide", () => {
    for (const commit of [...waiting]) commit(true);
  });
  return ({ text, undo, isFocused, onUndo, onCommit }) => {
    const end = (): void => {
      clearTimeout(timer);
      waiting.delete(commit);
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
    waiting.add(commit);
    const timer = setTimeout(() => commit(false), UNDO_MS);
    const hide = show({ text, actions: [{ label: undo, run, isFocused }], ms: UNDO_MS });
  };
}
