import { displayWidth } from "../../lib/text/display-width.ts";

/** The largest width of text, because wider lines are hard to read. */
const MAX_COLUMNS = 80;
const MIN_COLUMNS = 30;
/** The longest label. The description of a longer one is below it. */
const MAX_LABEL = 28;
const INDENT = 2;

/** Returns the width of texts on a terminal of `columns`, or elsewhere. */
export const textColumns = (columns: number | undefined): number => Math.max(MIN_COLUMNS, Math.min(MAX_COLUMNS, columns ?? MAX_COLUMNS));

/** Breaks a line between words, so that each part fits; the next parts are indented by `hanging`. Longer words are not broken. */
function wrapLine(line: string, columns: number, hanging = 0): string[] {
  const lines: string[] = [];
  let current = "";
  for (const word of line.split(" ")) {
    if (current !== "" && displayWidth(current) + 1 + displayWidth(word) > columns) {
      lines.push(current);
      current = " ".repeat(hanging) + word;
    } else current = current === "" ? word : `${current} ${word}`;
  }
  return [...lines, current];
}

/**
 * Wraps paragraphs, which are separated by empty lines, and joins lines within one, except items of a list. Code, whose first line begins with `{` or
 * two spaces, is unchanged.
 */
export function wrapText(text: string, columns: number): string {
  return text
    .split(/\n{2,}/)
    .map((paragraph) => {
      if (/^(?:\{| {2})/m.test(paragraph)) return paragraph;
      const items = paragraph.split(/\n(?=\d+\. |- )/).map((item) => item.replaceAll("\n", " "));
      return items.flatMap((item) => wrapLine(item, columns, /^(?:\d+\. |- )/.exec(item)?.[0].length ?? 0)).join("\n");
    })
    .join("\n\n");
}

/** Formats rows of a label and its description, side by side, or below each other if there is too little space. */
export function describeRows(rows: readonly (readonly [label: string, description: string])[], columns: number): string {
  const fitting = rows.map(([label]) => displayWidth(label)).filter((width) => width <= MAX_LABEL);
  const labels = Math.max(0, ...fitting);
  const beside = INDENT + labels + 2;
  const isNarrow = columns - beside < MIN_COLUMNS;
  const start = isNarrow ? INDENT * 3 : beside;
  return rows
    .map(([label, description]) => {
      const lines = wrapLine(description, Math.max(MIN_COLUMNS - start, columns - start));
      const below = lines.map((line) => `${" ".repeat(start)}${line}\n`).join("");
      const width = displayWidth(label);
      if (isNarrow || width > labels) return `${" ".repeat(INDENT)}${label}\n${description === "" ? "" : below}`;
      return `${`${" ".repeat(INDENT)}${label}${" ".repeat(labels - width)}  ${below.slice(start)}`.trimEnd()}\n`;
    })
    .join("");
}

/** Formats rows of a label, each with its description below it. */
export function describeBelow(rows: readonly (readonly [label: string, description: string])[], columns: number): string {
  const start = INDENT * 3;
  return rows
    .map(([label, description]) => [
      `${" ".repeat(INDENT)}${label}`,
      ...wrapLine(description, columns - start).map((line) => " ".repeat(start) + line),
    ])
    .map((lines) => `${lines.join("\n")}\n`)
    .join("");
}

/** Wraps a command line as a shell continues it. Quoted words are not broken. */
export function wrapCommand(line: string, columns: number): string {
  const words = line.match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? [];
  const lines: string[] = [];
  let current = "";
  for (const [index, word] of words.entries()) {
    // An option and its value stay in one line.
    const isValue = !word.startsWith("-") && (words[index - 1] ?? "").startsWith("--") && !(words[index - 1] ?? "").includes("=");
    const unit = isValue ? "" : (words[index + 1] ?? "");
    const needed = word.startsWith("--") && !unit.startsWith("-") && unit !== "" ? displayWidth(`${word} ${unit}`) : displayWidth(word);
    if (current !== "" && !isValue && displayWidth(current) + 1 + needed > columns - 2 * INDENT) {
      lines.push(`${current} \\`);
      current = `  ${word}`;
    } else current = current === "" ? word : `${current} ${word}`;
  }
  return [...lines, current].map((text) => `${" ".repeat(INDENT)}${text}\n`).join("");
}
