/** The shortest way of a swipe in pixels. A shorter one is a tap that moved. */
const MIN_SWIPE = 48;

/** Calls `onSwipe` with the offset of the file to which a finger moves the shown one. */
export function listenForSwipes(area: HTMLElement, onSwipe: (offset: number) => void): void {
  let start: Touch | undefined;
  area.addEventListener(
    "touchstart",
    ({ touches }) => {
      start = touches.length === 1 ? touches[0] : undefined;
    },
    { passive: true },
  );
  area.addEventListener(
    "touchend",
    ({ changedTouches: [end], touches }) => {
      if (!start || !end || touches.length > 0 || (visualViewport?.scale ?? 1) > 1) return;
      const [x, y] = [end.clientX - start.clientX, end.clientY - start.clientY];
      start = undefined;
      if (Math.abs(x) >= MIN_SWIPE && Math.abs(x) > 2 * Math.abs(y)) onSwipe(x < 0 ? 1 : -1);
    },
    { passive: true },
  );
}
