import { ConnectionError, proxyOf } from "../client/server/connection-error.ts";
import { AppError, ConfigError, ERRORS, InstallationError } from "../errors.ts";
import { explainSystemCode, FULL_DISK_CODES } from "../lib/system/system-reasons.ts";
import { wordError } from "./client/client-advice.ts";
import type { Terminal } from "./command.ts";
import { Interrupted } from "./terminal/interrupt.ts";

/** The exit code of a program that the system ends because nobody reads its output (128 + SIGPIPE). */
const OUTPUT_CLOSED_EXIT_CODE = 141;

/** The output of a failed command. */
export interface Failure {
  readonly exitCode: number;
  /** The text on standard error; empty if nothing is printed. */
  readonly text: string;
  /** The output with `--json`. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Describes an error in a sentence. The stack trace of an unexpected one is shown only with FILEHOST_LOG=debug. */
export function describeFailure(thrown: unknown, env: Terminal["env"] = {}): Failure {
  const error = findFirstError(thrown);
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
  if (error instanceof AppError) {
    const worded = wordError(error);
    return { exitCode: worded.exitCode, text: worded.message, body: worded.toBody() };
  }
  if (error instanceof InstallationError) return failure(1, error.message, "INTERNAL");
  const system = describeSystemError(error);
  if (system !== undefined)
    return isDiskFull(error) ? failure(ERRORS.STORAGE_FULL.exit, system, "STORAGE_FULL") : failure(1, system, "INTERNAL");
  return failure(1, describeUnexpected(error, env), "INTERNAL");
}

/** Finds the error that came first. An error of disposal hides the error before it. */
function findFirstError(error: unknown): unknown {
  if (error instanceof SuppressedError) return findFirstError(error.suppressed);
  if (error instanceof AggregateError && error.errors.length > 0) return findFirstError(error.errors[0]);
  return error;
}

function describeUnexpected(error: unknown, env: Terminal["env"]): string {
  const isVerbose = env.FILEHOST_LOG === "debug" || env.FILEHOST_LOG === "trace";
  if (isVerbose) return error instanceof Error ? (error.stack ?? error.message) : String(error);
  const [line = ""] = (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).split("\n");
  return `The command failed unexpectedly: ${line.replace(/[.: ]+$/, "")}. Run it with FILEHOST_LOG=debug for details, and please report them.`;
}

const failure = (exitCode: number, text: string, errorCode: string): Failure => ({
  exitCode,
  text,
  body: { success: false, error: text, errorCode },
});

const AS_THE_SERVER = "Run the command as the user that the server runs as.";

const DATABASE_REASONS: Readonly<Record<string, string>> = {
  SQLITE_CANTOPEN: `the database file cannot be opened. ${AS_THE_SERVER}`,
  SQLITE_READONLY: `the database file is not writable. ${AS_THE_SERVER}`,
  SQLITE_NOTADB: "the file is not a database.",
  SQLITE_CORRUPT: "the database file is damaged. Restore it from a backup.",
  SQLITE_IOERR: "the disk reports an error for the database file. Check it (dmesg, df -h and df -i).",
};

/** Describes an error of the operating system or of SQLite, or one that it caused; undefined for other errors. */
function describeSystemError(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = "code" in error ? String(error.code) : "";
  const reason = explainSystemCode(code) ?? DATABASE_REASONS[code.split("_").slice(0, 2).join("_")];
  if (reason === undefined) return error.cause === undefined ? undefined : describeSystemError(error.cause);
  return "path" in error && typeof error.path === "string" ? `Cannot use ${error.path}: ${reason}` : `The command failed: ${reason}`;
}

const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && ("code" in error ? FULL_DISK_CODES.has(String(error.code)) : isDiskFull(error.cause));

/** The reader of standard output has closed its end, as `head` does when it has enough lines. The command prints no error. */
export class OutputClosed extends Error {
  override readonly name = "OutputClosed";
}

/** An invalid command line. `help` is the command line that shows the relevant help. */
export class UsageError extends Error {
  override readonly name = "UsageError";

  constructor(
    message: string,
    readonly help: string,
  ) {
    super(message);
  }
}
