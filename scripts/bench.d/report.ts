import { CASES, memoryBarMb, memoryReached, type Row } from "./cases.ts";

/** Formats the rows as a table, each with its bar and whether it was reached. */
export function formatTable(rows: readonly Row[]): string {
  const lines = rows.map((row) => {
    const bar = CASES.find((one) => one.name === row.case)?.bar;
    const memory = memoryReached(row);
    return [
      row.case,
      `${row.ours} ${row.unit}`,
      row.runtime === null ? "-" : `${row.runtime} ${row.unit}`,
      row.ofRuntime === null ? "-" : String(row.ofRuntime),
      row.peer === null ? "-" : `${row.peer} ${row.unit}`,
      row.ratio === null ? "-" : String(row.ratio),
      bar?.text ?? "reported",
      bar === undefined ? "-" : verdict(bar.reached(row)),
      row.peakRssMb === null ? "-" : `${row.peakRssMb} MB`,
      memory === undefined ? "-" : `< ${memoryBarMb(row.case)} MB ${verdict(memory)}`,
    ];
  });
  return align([["case", "ours", "bare Bun", "ratio", "peer", "ratio", "bar", "", "peak memory", ""], ...lines]);
}

/** Counts the bars and lists the missed ones. */
export function formatVerdict(rows: readonly Row[]): string {
  if (rows.length === 0) return "Nothing was measured.";
  const missed = rows.flatMap((row) => {
    const bar = CASES.find((one) => one.name === row.case)?.bar;
    return [
      ...(bar !== undefined && !bar.reached(row) ? [`${row.case} (${bar.text})`] : []),
      ...(memoryReached(row) === false ? [`${row.case} (memory)`] : []),
    ];
  });
  return missed.length === 0 ? "All bars reached." : `Not reached: ${missed.join("; ")}.`;
}

function verdict(reached: boolean): string {
  return reached ? "reached" : "MISSED";
}

function align(table: readonly (readonly string[])[]): string {
  const widths = table[0]?.map((_, column) => Math.max(...table.map((line) => line[column]?.length ?? 0))) ?? [];
  return table
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
