import { ConfigError } from "../../config/load.ts";
import type { Finding } from "../../doctor/finding.ts";
import { defineCommand, type Load } from "../command.ts";
import { ALL_SETTINGS } from "../settings.ts";
import { alignColumns, countOf } from "../text.ts";

export const doctor = defineCommand({
  name: "doctor",
  summary: "Look whether everything that a server needs is there, and say how to mend what is not",
  details: [
    "Looks at settings, public address, data folder, database, S3 store, scanner and machine. Each line is ok, warn or fail; below what is not",
    "ok stands how to mend it. Exit code 0 where nothing fails, 1 where something does.",
    "",
    "Give it the settings of `filehost serve`, and run it as the same user: in a container, docker exec NAME filehost doctor; beside a systemd",
    "service, sudo systemd-run --pipe --wait -p User=filehost -p EnvironmentFile=/etc/filehost.env filehost doctor. It is safe beside a running",
    "server and before the first start: it makes nothing, and removes the small files by which it tries the folder and the store.",
  ].join("\n"),
  settings: ALL_SETTINGS,
  examples: ["filehost doctor", "filehost doctor --data /var/lib/filehost --url https://files.example.org", "filehost doctor --json"],
  async run({ load }) {
    const findings = await look(load);
    const failed = findings.filter(({ status }) => status === "fail").length;
    const warned = findings.filter(({ status }) => status === "warn").length;
    const summary = failed + warned === 0 ? "All is well." : `${countOf(failed, "failure")}, ${countOf(warned, "warning")}.`;
    return { data: { ok: failed === 0, findings }, text: formatFindings(findings), notes: [summary], exitCode: failed === 0 ? 0 : 1 };
  },
});

async function look(load: Load): Promise<Finding[]> {
  const { examine } = await import("../../doctor/examine.ts");
  try {
    return await examine(load({ warnings: "returned" }));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const mend = "Correct it: filehost serve --help tells what each setting takes. Nothing else was looked at.";
    return error.message.split("\n").map((detail) => ({ status: "fail", what: "settings", detail, mend }));
  }
}

/** A line for each finding; how to mend it below, indented. */
function formatFindings(findings: readonly Finding[]): string {
  const lines = alignColumns(findings.map(({ status, what, detail }) => [status, what, detail])).split("\n");
  return findings
    .map(
      ({ mend }, index) =>
        `${lines[index]}\n${
          mend === undefined
            ? ""
            : alignColumns(
                mend.split("\n").map((line) => [line]),
                "        ",
              )
        }`,
    )
    .join("");
}
