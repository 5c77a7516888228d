/** @jsxImportSource preact */
import { encodeQR } from "qr";
import { createLru } from "../../src/lib/concurrency/lru.ts";

/** The number of light modules around the code; ISO/IEC 18004 requires four. */
const BORDER = 4;

/** Renders a text as a QR code, dark on light in both color schemes, because some cameras cannot read the inverse. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { size, path } = draw(text);
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <path d={path} />
    </svg>
  );
}

interface Drawing {
  readonly size: number;
  readonly path: string;
}

/** Recent drawings. Pages that wait are rendered repeatedly, and drawing takes a third of their time. */
const drawings = createLru<string, Drawing>(2000);

function draw(text: string): Drawing {
  const known = drawings.get(text);
  if (known !== undefined) return known;
  const rows = encodeQR(text, "raw", { ecc: "medium", border: BORDER });
  const drawing = { size: rows.length, path: rows.flatMap(toRuns).join("") };
  drawings.set(text, drawing);
  return drawing;
}

/** Returns the SVG rectangles of a row, one for each run of dark modules. */
function toRuns(row: readonly boolean[], y: number): string[] {
  const runs: string[] = [];
  for (let x = 0; x < row.length; x += 1) {
    if (!row[x]) continue;
    const from = x;
    while (row[x + 1]) x += 1;
    const width = x + 1 - from;
    runs.push(`M${from} ${y}h${width}v1h-${width}z`);
  }
  return runs;
}
