/** The height of the sender's bar of each share at its last visit, so that the next page has the space for it before the bar has loaded. */

const KEY = "sender-bars";
/** The number of shares that are remembered: those that were visited last. */
const MAX_SHARES = 50;
/** The custom property with the height. Without it, the style sheet has the usual one. */
const PROPERTY = "--sender-bar";

interface Bar {
  readonly shortId: string;
  readonly windowWidth: number;
  readonly height: number;
}

/** Reserves the space for the bar if this device has shown one for the share. */
export function reserveBarSpace(shortId: string): void {
  const known = read().find((bar) => bar.shortId === shortId);
  if (!known) return;
  const { classList, style } = document.documentElement;
  classList.add("sent-here");
  if (known.windowWidth === innerWidth) style.setProperty(PROPERTY, `${known.height}px`);
}

/** Reserves the space for the bar of a share that was just sent. */
export const reserveSentSpace = (): void => document.documentElement.classList.add("just-sent-here");

/** Remembers the height of the bar; 0 if it is unknown until the next visit. */
export function rememberBarSpace(shortId: string, height: number): void {
  write([{ shortId, windowWidth: height === 0 ? 0 : innerWidth, height }, ...othersThan(shortId)]);
}

/** Forgets the bar of a share, which has no bar now. */
export function forgetBarSpace(shortId: string): void {
  document.documentElement.classList.remove("sent-here", "just-sent-here");
  document.documentElement.style.removeProperty(PROPERTY);
  write(othersThan(shortId));
}

const othersThan = (shortId: string): readonly Bar[] => read().filter((bar) => bar.shortId !== shortId);

function read(): readonly Bar[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(stored) ? stored.filter((bar) => typeof bar === "object" && bar !== null) : [];
  } catch {
    return [];
  }
}

function write(bars: readonly Bar[]): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(bars.slice(0, MAX_SHARES)));
  } catch {
    // Without storage, the page moves when the bar has loaded.
  }
}
