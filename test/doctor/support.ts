import assert from "node:assert/strict";
import type { Finding } from "../../src/doctor/finding.ts";
import { execute } from "../cli/support.ts";

export interface Report {
  readonly code: number | null;
  readonly findings: readonly Finding[];
  /** The one finding of that name; fails where there is none, or more. */
  find(what: string): Finding;
  /** All that was printed. */
  readonly printed: string;
}

/** Runs `filehost doctor --json`, the executable, in `cwd`. Nothing fails in a report whose exit code is 0, and something in one of 1. */
export async function consult(cwd: string, env: Readonly<Record<string, string>>, words: readonly string[] = []): Promise<Report> {
  const { code, stdout, stderr } = await execute(["doctor", "--json", ...words], { cwd, env: { FILEHOST_SCANNER: "off", ...env } });
  const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: Finding[] };
  const hasFailed = findings.some(({ status }) => status === "fail");
  assert.deepEqual([code, ok], hasFailed ? [1, false] : [0, true], stdout);
  for (const { status, what, mend } of findings) assert.equal(mend === undefined, status === "ok", what);
  return {
    code,
    findings,
    printed: stdout + stderr,
    find(what) {
      const found = findings.filter((finding) => finding.what === what);
      assert.equal(found.length, 1, `${what}: ${stdout}`);
      return found[0] as Finding;
    },
  };
}

/** Asserts what a finding says, and how to mend it where it is not well. */
export function assertFinding(finding: Finding, status: Finding["status"], detail: RegExp, mend?: RegExp): void {
  assert.equal(finding.status, status, JSON.stringify(finding));
  assert.match(finding.detail, detail);
  if (mend) assert.match(finding.mend ?? "", mend);
}
