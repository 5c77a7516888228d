import { displayWidth } from "../../lib/text/display-width.ts";

/** Formats rows in aligned columns, one line per row. Control characters are replaced with `?`. */
export function alignColumns(rows: readonly (readonly string[])[], indent = ""): string {
  const cells = rows.map((row) => row.map(toPlain));
  const widths: number[] = [];
  for (const row of cells) for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, displayWidth(cell));
  return cells
    .map((row) => `${indent}${row.map((cell, index) => cell + " ".repeat((widths[index] ?? 0) - displayWidth(cell))).join("  ")}`.trimEnd())
    .map((line) => `${line}\n`)
    .join("");
}

/** Formats a table with headings, or `empty` if there are no rows. */
export function formatTable(headings: readonly string[], rows: readonly (readonly string[])[], empty: string): string {
  return rows.length === 0 ? `${empty}\n` : alignColumns([headings, ...rows]);
}

/** Formats facts as lines of a name and a text, which may have several lines. Leaves out empty facts. */
export function formatFacts(facts: readonly (readonly [string, string | null | undefined])[], indent = ""): string {
  const lines = facts.flatMap(([what, text]) => (text ? text.split("\n").map((line, index) => [index === 0 ? what : "", line]) : []));
  return alignColumns(lines, indent);
}

/** Describes the address of an account. An unverified one may not belong to the person who signed up. */
export const describeAddress = ({ email, emailVerified }: { readonly email: string; readonly emailVerified: boolean }): string =>
  emailVerified ? email : `${email} (not verified)`;

/** Describes the address of an account like `describeAddress`, or the ID of a deleted account. */
export const describeAccount = ({
  id,
  email,
  emailVerified,
}: {
  readonly id: string;
  readonly email: string | null;
  readonly emailVerified: boolean;
}): string => (email === null ? id : describeAddress({ email, emailVerified }));

/** Formats a duration: `40 s`, `12 min`, `3 h 5 min`. */
export function formatShortDuration(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Formats an ISO time, `2026-11-22 14:05 UTC`, or in the time zone of this machine, such as `2026-11-22 15:05 +01:00`; `-` for null. */
export function formatTime(iso: string | null): string {
  if (iso === null) return "-";
  const time = new Date(iso);
  const offset = -time.getTimezoneOffset();
  const local = new Date(time.getTime() + offset * 60_000).toISOString().slice(0, 16).replace("T", " ");
  const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60].map((part) => String(part).padStart(2, "0"));
  return `${local} ${offset === 0 ? "UTC" : `${offset < 0 ? "-" : "+"}${hours}:${minutes}`}`;
}

/** Replaces control characters with `?`. */
export const toPlain = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "?");

/** Replaces control characters with `?`, and keeps the ends of lines. */
export const toPlainLines = (text: string): string => text.split("\n").map(toPlain).join("\n");

/** Extracts the ID from a share link (`https://…/d/4kTqW9xZ`); returns other text unchanged. */
export function toId(text: string): string {
  return /\/d\/([^/?#]+)/.exec(text)?.[1] ?? text.trim();
}
