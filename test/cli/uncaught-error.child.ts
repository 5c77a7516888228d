import { runCommandLine } from "../../src/cli/run.ts";
import { createProcessTerminal } from "../../src/cli/terminal/process-terminal.ts";

/** Runs a command, during which a timer throws, with arguments of the process. */
const terminal = createProcessTerminal(process.env);
const code = await runCommandLine(process.argv.slice(2), {
  ...terminal,
  out: () =>
    new Promise(() => {
      setTimeout(() => {
        throw new Error("thrown by a timer");
      });
    }),
});
process.exit(code);
