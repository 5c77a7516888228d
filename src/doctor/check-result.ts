import type { LoadedConfig } from "../config/load.ts";
import type { CheckName } from "../contract/check-names.ts";

/** One result of a check. `detail` describes the state; `fix`, on every result that is not ok, contains advice, one step per line. */
export interface CheckResult {
  readonly status: "ok" | "warn" | "fail";
  readonly what: CheckName;
  readonly detail: string;
  readonly fix?: string;
}

/** Checks one part of the installation. An error counts as a failure; `signal` aborts after `timeoutMs`. */
export interface Check {
  readonly what: CheckName;
  readonly timeoutMs: number;
  run(subject: LoadedConfig, signal: AbortSignal): AsyncIterable<CheckResult>;
}

export const ok = (what: CheckName, detail: string): CheckResult => ({ status: "ok", what, detail });
export const warn = (what: CheckName, detail: string, fix: string): CheckResult => ({ status: "warn", what, detail, fix });
export const fail = (what: CheckName, detail: string, fix: string): CheckResult => ({ status: "fail", what, detail, fix });
