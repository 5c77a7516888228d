import type { LoadedConfig } from "../config/load.ts";
import { type CheckName, type CheckSubject, subjectOfPassed } from "../contract/check-names.ts";

/** One result of a check. `detail` describes the state; `fix`, on every result that is not ok, contains advice, one step per line. */
export interface CheckResult {
  readonly status: "ok" | "warn" | "fail";
  readonly what: CheckName;
  /** What pages explain the result with, in words of their own. */
  readonly subject: CheckSubject;
  readonly detail: string;
  readonly fix?: string;
}

/** Checks one part of the installation. An error counts as a failure; `signal` aborts after `timeoutMs`. */
export interface Check {
  readonly what: CheckName;
  readonly timeoutMs: number;
  run(subject: LoadedConfig, signal: AbortSignal): AsyncIterable<CheckResult>;
}

export const ok = (what: CheckName, detail: string): CheckResult => ({ status: "ok", what, subject: subjectOfPassed(what), detail });

export const warn = (what: CheckName, subject: CheckSubject, detail: string, fix: string): CheckResult => ({
  status: "warn",
  what,
  subject,
  detail,
  fix,
});

export const fail = (what: CheckName, subject: CheckSubject, detail: string, fix: string): CheckResult => ({
  ...warn(what, subject, detail, fix),
  status: "fail",
});
