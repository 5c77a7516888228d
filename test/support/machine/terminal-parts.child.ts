import { describeFailure } from "../../../src/cli/failure.ts";
import { whileInterruptible } from "../../../src/cli/terminal/interrupt.ts";
import { createProcessTerminal } from "../../../src/cli/terminal/process-terminal.ts";
import { showTransfer } from "../../../src/cli/terminal/progress.ts";

/** Uses the parts of a terminal, one after another, for test/e2e/client/client-terminal.test.ts. */
const terminal = createProcessTerminal(process.env);

async function ask(): Promise<void> {
  await terminal.err(`hello ${await terminal.ask("Name: ")}\n`);
  await terminal.err(`secret ${[...(await terminal.askSecret("Code: "))].length}\n`);
  await terminal.err(`${(await terminal.confirm("Delete?")) ? "deleted" : "kept"}\n`);
}

async function transfer(): Promise<void> {
  const state = { action: "Uploading", name: "video.mp4", doneBytes: 300, totalBytes: 1000 };
  const work = (signal: AbortSignal) =>
    showTransfer({ terminal, json: undefined, quiet: false }, async ({ show }) => {
      show(() => state);
      if (!terminal.isInteractive) await terminal.out("ready");
      await new Promise((_, reject) => {
        const timer = setInterval(() => undefined, 1000);
        signal.addEventListener("abort", () => {
          clearInterval(timer);
          reject(new Error("The transfer was aborted."));
        });
      });
    });
  await whileInterruptible(() => "Run the same command again to resume.", work);
}

try {
  await (process.argv[2] === "ask" ? ask() : transfer());
  process.exit(0);
} catch (error) {
  const { text, exitCode } = describeFailure(error);
  if (text !== "") await terminal.err(`${text}\n`);
  process.exit(exitCode);
}
