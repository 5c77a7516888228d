import { ConnectionError, proxyOf } from "../client/connection-error.ts";
import { ConfigError } from "../config/load.ts";
import { AppError, ERRORS } from "../errors.ts";
import type { Terminal } from "./command.ts";
import { Interrupted } from "./interrupt.ts";

/** That of a program that the system ends because nobody reads what it writes (128 + SIGPIPE). */
const OUTPUT_CLOSED_EXIT_CODE = 141;

/** The output of a failed command. */
export interface Failure {
  readonly exitCode: number;
  /** Empty: there is nothing to say. */
  readonly text: string;
  /** The output with `--json`. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Describes an expected error in a sentence, and an unexpected one by its stack trace. */
export function describeFailure(error: unknown, env: Terminal["env"] = {}): Failure {
  if (error instanceof OutputClosed) return { exitCode: OUTPUT_CLOSED_EXIT_CODE, text: "", body: {} };
  if (error instanceof Interrupted)
    return {
      exitCode: error.exitCode,
      text: error.message,
      body: { success: false, error: error.message || "Interrupted.", interrupted: true },
    };
  if (error instanceof UsageError) return failure(2, `${error.message}\nSee: ${error.help}`, "VALIDATION_FAILED");
  if (error instanceof ConfigError) {
    const lines = error.message.split("\n");
    return failure(2, [`The configuration is not valid:`, ...lines.map((line) => `  ${line}`)].join("\n"), "VALIDATION_FAILED");
  }
  if (error instanceof ConnectionError) {
    const proxy = proxyOf(error.url, env);
    const hint = proxy && ` The request went to the proxy ${proxy.host} (${proxy.variable}); name hosts without it in NO_PROXY.`;
    return { exitCode: error.exitCode, text: `${error.message}${hint ?? ""}`, body: error.toBody() };
  }
  if (error instanceof Error && error.name === "TimeoutError")
    return failure(ERRORS.UNAVAILABLE.exit, "The server did not answer in time. Try again later.", "UNAVAILABLE");
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
  EACCES: "permission denied. Run the command as the user that the server runs as",
  EPERM: "permission denied. Run the command as the user that the server runs as",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of the path is not a folder",
  EEXIST: "the file already exists",
  SQLITE_CANTOPEN: "the database file cannot be opened. Run the command as the user that the server runs as",
  SQLITE_READONLY: "the database file is not writable. Run the command as the user that the server runs as",
  SQLITE_NOTADB: "the file is not a database",
  SQLITE_CORRUPT: "the database file is damaged. Restore it from a backup",
};

/** Describes an error of the operating system or of SQLite; undefined for other errors. */
function describeSystemError(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  const code = String(error.code);
  const reason = SYSTEM_REASONS[code] ?? SYSTEM_REASONS[code.split("_").slice(0, 2).join("_")];
  if (reason === undefined) return undefined;
  return "path" in error && typeof error.path === "string" ? `Cannot use ${error.path}: ${reason}.` : `The command failed: ${reason}.`;
}

/** The reader of standard output has closed its end, as `head` does when it has enough. No failure to speak of. */
export class OutputClosed extends Error {
  override readonly name = "OutputClosed";
}

/** An invalid command line. `help` is the command line that shows the right help. */
export class UsageError extends Error {
  override readonly name = "UsageError";

  constructor(
    message: string,
    readonly help: string,
  ) {
    super(message);
  }
}
