import pino, { type Logger } from "pino";
import pretty from "pino-pretty";
import type { Config } from "./config/load.ts";

/** Members that never reach the log, wherever they stand in a logged object. */
const SECRET_MEMBERS = ["key", "token", "secret", "authorization", "claimToken", "deletionToken", "unlockCode", "uploadId"];

/** How lines look to people: one each, but for stack traces. */
export const FOR_PEOPLE = { ignore: "pid,hostname", singleLine: true } as const;

/**
 * A logger on standard error: JSON lines, or text for people where standard error is a terminal.
 * No transport: those need worker files, which a compiled executable does not have.
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
  if (usePretty) return pino(options, pretty({ ...FOR_PEOPLE, destination: 2, sync: true, colorize: process.stderr.isTTY === true }));
  return pino(options, pino.destination({ dest: 2, sync: true }));
}

export type { Logger };
