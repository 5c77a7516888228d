/**
 * The step of the browser's history that an open dialog has, so that Back closes the dialog and does not leave the page. It is the current step only
 * while the dialog is open.
 */

/** The state of a step. */
const STEP = "dialog";

const isStep = (): boolean => history.state === STEP;

/** The dialog with a step, until the browser has left the step. */
let shown: { readonly url: string; readonly close: () => void } | undefined;
/** Resolves when the browser has left the step of the last dialog. */
let left: Promise<void> = Promise.resolve();
let resolveLeft = (): void => undefined;

/** Handles Back and Forward. Listeners for `popstate` that are added later do not get the events of dialogs. */
export function watchDialogSteps(): void {
  addEventListener(
    "popstate",
    (event) => {
      // Forward has led to the step of a dialog that was closed.
      if (isStep()) {
        event.stopImmediatePropagation();
        return history.back();
      }
      // The browser reads the mode after this event.
      setTimeout(() => {
        history.scrollRestoration = "auto";
      });
      if (!shown) return;
      if (location.href === shown.url) event.stopImmediatePropagation();
      const { close } = shown;
      shown = undefined;
      close();
      resolveLeft();
    },
    { capture: true },
  );
  // The page was reloaded, or opened again, at the step of a dialog.
  if (isStep()) history.back();
}

/**
 * Adds the step of a dialog that is about to open, once the browser has left the step of the last dialog, which takes time. `close` closes the dialog,
 * which then calls `leaveDialogStep`.
 */
export async function enterDialogStep(close: () => void): Promise<void> {
  await left;
  left = new Promise((resolve) => {
    resolveLeft = resolve;
  });
  // Otherwise the browser would scroll back when the step is left, away from the element that then has the focus.
  history.scrollRestoration = "manual";
  history.pushState(STEP, "");
  history.scrollRestoration = "auto";
  shown = { url: location.href, close };
}

/** Leaves the step of a dialog, unless Back has closed the dialog. */
export function leaveDialogStep(): void {
  if (shown && isStep()) history.back();
}
