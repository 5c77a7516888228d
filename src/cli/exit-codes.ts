import { ERRORS } from "../errors.ts";
import { describeRows, wrapText } from "./help/wrap.ts";

/** The exit codes with their meanings. The codes of errors are the exit codes in ERRORS. */
export const EXIT_CODES: readonly (readonly [code: number, meaning: string])[] = [
  [0, "done"],
  [1, "failed, or the check found something"],
  [2, "wrong usage, wrong settings, invalid input"],
  [3, "not allowed"],
  [4, "not found"],
  [5, "too large or full"],
  [6, "the state does not allow it"],
  [7, "too many requests"],
  [8, "unavailable: try again"],
  [130, "ended by Ctrl-C (SIGINT)"],
  [141, "nobody reads the output any more, as after head"],
  [143, "ended by SIGTERM"],
];

/** Lists the error codes that end a command with this exit code. */
export const errorsWith = (exit: number): readonly string[] =>
  Object.entries(ERRORS)
    .filter(([, error]) => error.exit === exit)
    .map(([code]) => code);

/** Renders `filehost help exit-codes`. */
export function renderExitCodes(columns: number): string {
  const rows = EXIT_CODES.map(([code, meaning]) => {
    const errors = errorsWith(code);
    return [String(code).padStart(3), errors.length === 0 ? meaning : `${meaning} (${errors.join(", ")})`] as const;
  });
  const intro = "Exit codes, with the error codes that cause them. With --json, the error code is errorCode on standard error.";
  return `${wrapText(intro, columns)}\n\n${describeRows(rows, columns)}`;
}
