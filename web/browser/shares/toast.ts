/** One message below the page, with the way back while there is one. */
import { shares as texts } from "#texts/shares.ts";
import { announce } from "../send/format.ts";

const UNDO_MS = 10_000;
const SHOWN_MS = 6000;

/** What becomes final when the toast goes. */
let commit: (() => void) | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

export interface ToastOptions {
  readonly text: string;
  onUndo(): void;
  /** Called when it can no longer be undone, also because the page is left. */
  onCommit?(): void;
}

/** Shows a message with a button that undoes what it says. The toast before becomes final. */
export function offerUndo({ text, onUndo, onCommit }: ToastOptions): void {
  finish();
  const undo = Object.assign(document.createElement("button"), { type: "button", className: "button small", textContent: texts.undo });
  undo.addEventListener("click", () => {
    commit = undefined;
    hide();
    onUndo();
  });
  commit = onCommit;
  show(text, undo);
  timer = setTimeout(finish, UNDO_MS);
  undo.focus({ preventScroll: true });
}

export function showMessage(text: string): void {
  finish();
  show(text);
  timer = setTimeout(hide, SHOWN_MS);
}

function show(text: string, ...more: readonly Node[]): void {
  const words = Object.assign(document.createElement("span"), { textContent: text });
  document.getElementById("toast")?.replaceChildren(words, ...more);
  announce(text);
}

function hide(): void {
  clearTimeout(timer);
  const toast = document.getElementById("toast");
  const hadFocus = toast?.contains(document.activeElement);
  toast?.replaceChildren();
  if (hadFocus) document.getElementById("main")?.focus({ preventScroll: true });
}

function finish(): void {
  const waiting = commit;
  commit = undefined;
  hide();
  waiting?.();
}

addEventListener("pagehide", finish);
