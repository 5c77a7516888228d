/** One Tab stop for a group of controls, in which the arrow keys move. */
import { useLayoutEffect } from "preact/hooks";

const CONTROLS = "a[href], button, input, select";

/** Makes the controls in an element, which has the role `toolbar`, one Tab stop: the control that last had the focus. */
export function useRovingFocus(group: { readonly current: HTMLElement | null }): void {
  useLayoutEffect(() => {
    const element = group.current;
    if (!element) return;
    const listening = new AbortController();
    const { signal } = listening;
    const list = (): HTMLElement[] =>
      [...element.querySelectorAll<HTMLElement>(CONTROLS)].filter((control) => control.checkVisibility() && !control.matches(":disabled"));
    const setStop = (stop: HTMLElement | undefined): void => {
      for (const control of element.querySelectorAll<HTMLElement>(CONTROLS)) control.tabIndex = control === stop ? 0 : -1;
    };
    const update = (): void => {
      const controls = list();
      setStop(controls.find(({ tabIndex }) => tabIndex === 0) ?? controls[0]);
    };
    element.addEventListener("focusin", ({ target }) => setStop(list().find((control) => control === target)), { signal });
    element.addEventListener(
      "keydown",
      (event) => {
        const { key } = event;
        const controls = list();
        const current = controls.findIndex((control) => control.matches(":focus"));
        const steps: Readonly<Record<string, number>> = { ArrowRight: current + 1, ArrowLeft: current - 1, Home: 0, End: -1 };
        const step = steps[key];
        if (step === undefined || current < 0 || movesInText(event)) return;
        event.preventDefault();
        controls.at(step % controls.length)?.focus();
      },
      { signal },
    );
    // Other controls may be visible at another width.
    addEventListener("resize", update, { signal });
    update();
    return () => listening.abort();
  });
}

/** Whether a key moves within the text of a field. At the ends of the text, the arrow keys lead to the other controls. */
function movesInText({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLInputElement)) return false;
  const { selectionStart, selectionEnd, value } = target;
  if (selectionStart === null || value === "") return false;
  return !(key === "ArrowLeft" ? selectionEnd === 0 : key === "ArrowRight" && selectionStart === value.length);
}
