import { displayWidth, takeColumns } from "../lib/display-width.ts";
import type { Terminal } from "./command.ts";
import { toPlain } from "./text.ts";

const DEFAULT_COLUMNS = 80;

/** The last line of a terminal, which is drawn again and again. */
export interface StatusLine {
  /** Draws what fits in the width. Control characters are replaced with `?`. */
  draw(render: (columns: number) => string): Promise<void>;
  /** Prints a line above it. */
  print(line: string): Promise<void>;
  erase(): Promise<void>;
}

export function createStatusLine({ err, columns }: Pick<Terminal, "err" | "columns">): StatusLine {
  let shown = "";
  const width = (): number => columns() ?? DEFAULT_COLUMNS;
  const toErase = (): string => {
    // A terminal that became narrower has broken the line into several.
    const above = Math.max(0, Math.ceil(displayWidth(shown) / width()) - 1);
    return `\r${above > 0 ? `\x1b[${above}A` : ""}\x1b[J`;
  };
  return {
    async draw(render) {
      const erase = toErase();
      // In the last column, terminals differ about where the cursor is.
      const room = Math.max(1, width() - 1);
      shown = takeColumns(toPlain(render(room)), room);
      await err(`${erase}${shown}`);
    },
    async print(line) {
      await err(`${toErase()}${toPlain(line)}\n${shown}`);
    },
    async erase() {
      const erase = shown === "" ? "" : toErase();
      shown = "";
      if (erase !== "") await err(erase);
    },
  };
}
