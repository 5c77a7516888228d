/** Characters that a terminal shows in two columns: East Asian wide ones and emoji. */
const WIDE =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\p{Emoji}\ufe0f)/u;

/** Characters that take no column. */
const ZERO = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;

const segmenter = new Intl.Segmenter();

const widthOf = (character: string): number => (ZERO.test(character) ? 0 : WIDE.test(character) ? 2 : 1);

/** Returns the number of terminal columns of a text without control characters. */
export function displayWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += widthOf(segment);
  return width;
}

/** Returns the beginning of a text that fits in `columns`. */
export function takeColumns(text: string, columns: number): string {
  let taken = "";
  let width = 0;
  for (const { segment } of segmenter.segment(text)) {
    width += widthOf(segment);
    if (width > columns) return taken;
    taken += segment;
  }
  return taken;
}

/** Shortens a name in its middle, so that its extension stays: `holiday-vid….mp4`. */
export function shortenMiddle(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  if (columns < 2) return takeColumns("…", columns);
  const tail = takeEnd(text, Math.floor((columns - 1) / 3));
  return `${takeColumns(text, columns - 1 - displayWidth(tail))}…${tail}`;
}

function takeEnd(text: string, columns: number): string {
  let taken = "";
  for (const { segment } of [...segmenter.segment(text)].reverse()) {
    if (displayWidth(segment + taken) > columns) return taken;
    taken = segment + taken;
  }
  return taken;
}
