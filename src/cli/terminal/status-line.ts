import { displayWidth, takeColumns } from "../../lib/text/display-width.ts";
import type { Terminal } from "../command.ts";
import { toPlain } from "./text.ts";

const DEFAULT_COLUMNS = 80;
/**
 * The columns that stay empty after the line: two for the `^C` of the terminal, which would otherwise wrap to a line that is not erased, and the
 * last one, because terminals differ in the position of the cursor after it.
 */
const EMPTY_COLUMNS = 3;

/** The last line of a terminal, which is drawn repeatedly. */
export interface StatusLine {
  /** Draws the part that fits the width. Control characters are replaced with `?`. */
  draw(render: (columns: number) => string): Promise<void>;
  /** Prints a line above the status line. */
  print(line: string): Promise<void>;
  /** Erases the status line while `write` prints on another stream of the same terminal, and draws it again. */
  whileErased(write: () => Promise<void>): Promise<void>;
  erase(): Promise<void>;
}

export function createStatusLine({ err, columns }: Pick<Terminal, "err" | "columns">): StatusLine {
  let shown = "";
  let isHeld = false;
  const width = (): number => columns() ?? DEFAULT_COLUMNS;
  const room = (): number => Math.max(1, width() - EMPTY_COLUMNS);
  const toErase = (): string => {
    // A terminal that became narrower has wrapped the line.
    const above = Math.max(0, Math.ceil(displayWidth(shown) / width()) - 1);
    return `\r${above > 0 ? `\x1b[${above}A` : ""}\x1b[J`;
  };
  return {
    async draw(render) {
      if (isHeld) return;
      const erase = toErase();
      shown = takeColumns(toPlain(render(room())), room());
      await err(`${erase}${shown}`);
    },
    async print(line) {
      await err(`${toErase()}${toPlain(line)}\n${shown}`);
    },
    async whileErased(write) {
      const before = shown;
      const erase = before === "" ? "" : toErase();
      shown = "";
      isHeld = true;
      try {
        if (erase !== "") await err(erase);
        await write();
      } finally {
        isHeld = false;
      }
      if (before === "") return;
      shown = takeColumns(before, room());
      await err(shown);
    },
    async erase() {
      const erase = shown === "" ? "" : toErase();
      shown = "";
      if (erase !== "") await err(erase);
    },
  };
}
