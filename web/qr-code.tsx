/** @jsxImportSource preact */
import { encodeQR } from "qr";

/** Light modules around the code: cameras need four (ISO/IEC 18004). */
const BORDER = 4;

/** An address as a QR code, dark on light in every scheme, since not every camera takes the opposite. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const rows = encodeQR(text, "raw", { ecc: "medium", border: BORDER });
  return (
    <svg class="qr" viewBox={`0 0 ${rows.length} ${rows.length}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <path d={rows.flatMap(toRuns).join("")} />
    </svg>
  );
}

/** Each run of dark modules of a row as one rectangle. */
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
