import type { LoadedConfig } from "../config/load.ts";

/** What one look found: `detail` says what there is, `mend` what to do about it, a line for each step. */
export interface Finding {
  readonly status: "ok" | "warn" | "fail";
  readonly what: string;
  readonly detail: string;
  readonly mend?: string;
}

/** Looks at one part of the installation. What it throws counts as a failure of it; `signal` fires when its time is over. */
export interface Check {
  readonly what: string;
  readonly limitMs: number;
  look(subject: Subject, signal: AbortSignal): AsyncIterable<Finding>;
}

/** The configuration that is examined. */
export type Subject = LoadedConfig;

export const ok = (what: string, detail: string): Finding => ({ status: "ok", what, detail });
export const warn = (what: string, detail: string, mend: string): Finding => ({ status: "warn", what, detail, mend });
export const fail = (what: string, detail: string, mend: string): Finding => ({ status: "fail", what, detail, mend });
