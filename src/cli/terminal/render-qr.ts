import { encodeQR } from "qr";

/**
 * The characters for two rows of modules in a line. A light module is a filled block, for terminals with a dark background; most cameras also read
 * the inverse.
 */
const BLOCKS = [" ", "▄", "▀", "█"];
const BORDER = 2;

/** Renders a QR code in lines for a terminal. */
export function renderQr(text: string): readonly string[] {
  const rows = encodeQR(text, "raw", { border: BORDER, ecc: "low" });
  const isLight = (y: number, x: number): number => (rows[y]?.[x] === false ? 1 : 0);
  const lines: string[] = [];
  for (let y = 0; y < rows.length; y += 2)
    lines.push((rows[y] ?? []).map((_, x) => BLOCKS[isLight(y, x) * 2 + isLight(y + 1, x)]).join(""));
  return lines;
}
