/** The time in which a second press counts as a double press, and not as a second try. */
const PAUSE_MS = 3000;

const sentAtMs = new WeakMap<HTMLFormElement, number>();

/** Whether a form was sent a moment ago, so that a double press does not send it twice. */
export function registerSubmit(form: HTMLFormElement): boolean {
  const nowMs = Date.now();
  if (nowMs - (sentAtMs.get(form) ?? 0) < PAUSE_MS) return true;
  sentAtMs.set(form, nowMs);
  return false;
}
