import assert from "node:assert/strict";
import type { CheckResult } from "../../src/doctor/check-result.ts";
import { execute } from "../cli/support.ts";

export interface Report {
  readonly code: number | null;
  readonly results: readonly CheckResult[];
  /** The only result of that name. Fails if there is none or more than one. */
  find(what: string): CheckResult;
  /** Standard output and standard error. */
  readonly printed: string;
}

/** Runs the executable's `doctor --json` in `cwd`, and asserts that the exit code agrees with the results. */
export async function consult(cwd: string, env: Readonly<Record<string, string>>, words: readonly string[] = []): Promise<Report> {
  const { code, stdout, stderr } = await execute(["doctor", "--json", ...words], { cwd, env: { FILEHOST_SCANNER: "off", ...env } });
  const { ok, findings: results } = JSON.parse(stdout) as { ok: boolean; findings: CheckResult[] };
  const hasFailed = results.some(({ status }) => status === "fail");
  assert.deepEqual([code, ok], hasFailed ? [1, false] : [0, true], stdout);
  for (const { status, what, fix } of results) assert.equal(fix === undefined, status === "ok", what);
  return {
    code,
    results,
    printed: stdout + stderr,
    find(what) {
      const found = results.filter((result) => result.what === what);
      assert.equal(found.length, 1, `${what}: ${stdout}`);
      return found[0] as CheckResult;
    },
  };
}

/** Asserts a result's status, its text and, where given, its fix. */
export function assertResult(result: CheckResult, status: CheckResult["status"], detail: RegExp, fix?: RegExp): void {
  assert.equal(result.status, status, JSON.stringify(result));
  assert.match(result.detail, detail);
  if (fix) assert.match(result.fix ?? "", fix);
}
