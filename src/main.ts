import { runCommandLine } from "./cli/run.ts";

/** Resolves when the text is written, or its reader is gone. */
const write = (stream: NodeJS.WriteStream, text: string): Promise<void> => new Promise((resolve) => stream.write(text, () => resolve()));

for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

runCommandLine(process.argv.slice(2), {
  env: process.env,
  out: (text) => write(process.stdout, text),
  err: (text) => write(process.stderr, text),
  isInteractive: process.stderr.isTTY === true,
}).then(
  (exitCode) => process.exit(exitCode),
  () => process.exit(1),
);
