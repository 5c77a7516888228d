import { ConfigError } from "../config/load.ts";
import { AppError } from "../errors.ts";
import { UsageError } from "./usage-error.ts";

/** How a command that failed is told of. */
export interface Failure {
  readonly exitCode: number;
  readonly text: string;
  /** The same for `--json`. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** A plain sentence for what people can act on; a stack trace for what should not have happened. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof UsageError) return failure(2, `${error.message}\nSee: ${error.help}`, "VALIDATION_FAILED");
  if (error instanceof ConfigError) {
    const lines = error.message.split("\n");
    return failure(2, [`The configuration is not right:`, ...lines.map((line) => `  ${line}`)].join("\n"), "VALIDATION_FAILED");
  }
  if (error instanceof AppError) return { exitCode: error.exitCode, text: error.message, body: error.toBody() };
  const system = describeSystemError(error);
  if (system !== undefined) return failure(1, system, "INTERNAL");
  return failure(1, error instanceof Error ? (error.stack ?? error.message) : String(error), "INTERNAL");
}

const failure = (exitCode: number, text: string, errorCode: string): Failure => ({
  exitCode,
  text,
  body: { success: false, error: text, errorCode },
});

const SYSTEM_REASONS: Readonly<Record<string, string>> = {
  EACCES: "this user may not. Run the command as the user that the server runs as",
  EPERM: "this user may not. Run the command as the user that the server runs as",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of the path is not a folder",
  EEXIST: "a file is in the way",
  SQLITE_CANTOPEN: "the database's file cannot be opened. Run the command as the user that the server runs as",
  SQLITE_READONLY: "the database's file cannot be written. Run the command as the user that the server runs as",
  SQLITE_NOTADB: "the file is not a database",
  SQLITE_CORRUPT: "the database's file is damaged. Restore it from a backup",
};

/** What the operating system or the database's file said no to; undefined for anything else. */
function describeSystemError(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  const code = String(error.code);
  const reason = SYSTEM_REASONS[code] ?? SYSTEM_REASONS[code.split("_").slice(0, 2).join("_")];
  if (reason === undefined) return undefined;
  return "path" in error && typeof error.path === "string" ? `Cannot use ${error.path}: ${reason}.` : `That did not work: ${reason}.`;
}
