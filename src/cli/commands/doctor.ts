import type { CheckResult } from "../../doctor/check-result.ts";
import { ConfigError } from "../../errors.ts";
import { countOf } from "../../lib/text/count-of.ts";
import { defineCommand, type Load } from "../command.ts";
import { ALL_SETTINGS } from "../options/option-settings.ts";
import { alignColumns } from "../terminal/text.ts";

export const doctor = defineCommand({
  details: [
    "Checks the settings, public URL, data folder, database, S3 store, scanner and machine. Each line is ok, warn or fail; a fix is below each",
    "line that is not ok. Exit code: 0 if nothing fails, 1 if a check fails.",
    "",
    "Pass the settings of `filehost serve`, and run it as the same user: in a container, docker exec NAME filehost doctor; for a systemd",
    "service, sudo systemd-run --pipe --wait -p User=filehost -p EnvironmentFile=/etc/filehost.env filehost doctor. It is safe next to a running",
    "server and before the first start: it removes the small test files that it writes to the data folder and the store.",
  ].join("\n"),
  settings: ALL_SETTINGS,
  examples: ["filehost doctor", "filehost doctor --data /var/lib/filehost --url https://files.example.org", "filehost doctor --json"],
  async run({ load }) {
    const results = await runDoctor(load);
    const failed = results.filter(({ status }) => status === "fail").length;
    const warned = results.filter(({ status }) => status === "warn").length;
    const summary = failed + warned === 0 ? "All checks passed." : `${countOf(failed, "failure")}, ${countOf(warned, "warning")}.`;
    return {
      data: { ok: failed === 0, findings: results },
      text: formatCheckResults(results),
      notes: [summary],
      exitCode: failed === 0 ? 0 : 1,
    };
  },
});

/** Runs all checks. If settings are invalid, resolves to only their results. */
async function runDoctor(load: Load): Promise<CheckResult[]> {
  try {
    const loaded = await load({ warnings: "returned" });
    const { runChecks } = await import("../../doctor/run-checks.ts");
    return await runChecks(loaded);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const fix = "Correct it: filehost serve --help --all describes each setting. No other checks were run.";
    return error.message.split("\n").map((detail) => ({ status: "fail", what: "settings", subject: "settings", detail, fix }));
  }
}

/** Formats one line per result, with its fix indented below. */
function formatCheckResults(results: readonly CheckResult[]): string {
  const lines = alignColumns(results.map(({ status, what, detail }) => [status, what, detail])).split("\n");
  return results
    .map(
      ({ fix }, index) =>
        `${lines[index]}\n${
          fix === undefined
            ? ""
            : alignColumns(
                fix.split("\n").map((line) => [line]),
                "        ",
              )
        }`,
    )
    .join("");
}
