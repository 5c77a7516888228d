/** Control sequences, including those of the operating system, characters that move the cursor, and visible characters. */
const [ESCAPE, BELL] = ["\x1b", "\x07"];
const TOKEN = new RegExp(`${ESCAPE}\\[([?\\d;]*)([A-Za-z])|${ESCAPE}\\][^${BELL}]*${BELL}|[\r\n\b]|\\P{Cc}`, "gu");

/** Renders the output that a terminal of `columns` shows: text, line breaks, returns and erasures. Other sequences are ignored. */
export function renderScreen(written: string, columns: number): string {
  const lines: string[][] = [[]];
  let row = 0;
  let column = 0;
  const line = (): string[] => {
    while (lines.length <= row) lines.push([]);
    return lines[row] ?? [];
  };
  const tokens = written.matchAll(TOKEN);
  for (const [token, parameter = "", command] of tokens) {
    if (command === "K" || command === "J") {
      const { length } = line();
      if (parameter === "2" && command === "K") line().fill(" ");
      else line().splice(column, length);
      if (command === "J") lines.splice(row + 1);
    } else if (command === "A") row = Math.max(0, row - Number(parameter || 1));
    else if (token === "\r") column = 0;
    else if (token === "\b") column = Math.max(0, column - 1);
    else if (token === "\n") {
      row += 1;
      line();
    } else if (!token.startsWith("\x1b")) {
      if (column >= columns) {
        row += 1;
        column = 0;
      }
      const cells = line();
      while (cells.length < column) cells.push(" ");
      cells[column] = token;
      column += 1;
    }
  }
  return lines.map((cells) => cells.join("").trimEnd()).join("\n");
}
