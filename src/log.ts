import pino, { type Logger } from "pino";
import pretty from "pino-pretty";
import type { Config } from "./config/load.ts";

/** Members that are redacted, at the first two levels of a logged object. */
const SECRET_MEMBERS = ["key", "token", "secret", "authorization", "claimToken", "deletionToken", "unlockCode", "password", "uploadId"];

/** The text format: one line per entry, except for stack traces. */
export const PRETTY_OPTIONS = { ignore: "pid,hostname", singleLine: true } as const;

/**
 * Logs to standard error: JSON lines, or text on a terminal. Uses no pino transport: those need worker files, which a compiled executable
 * does not have.
 */
export function createLogger(config: Config["log"]): Logger {
  const usePretty = config.format === "pretty" || (config.format === undefined && process.stderr.isTTY === true);
  const options = {
    level: config.level,
    base: undefined,
    redact: SECRET_MEMBERS.flatMap((name) => [name, `*.${name}`]),
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  if (usePretty) return pino(options, pretty({ ...PRETTY_OPTIONS, destination: 2, sync: true, colorize: process.stderr.isTTY === true }));
  return pino(options, pino.destination({ dest: 2, sync: true }));
}

export type { Logger };
