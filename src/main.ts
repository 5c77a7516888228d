import { runtime } from "#runtime";
import { THUMBNAIL_COMMAND } from "./runtime/runtime.ts";

/** Resolves when the text is written, or its reader is gone. */
const write = (stream: NodeJS.WriteStream, text: string): Promise<void> => new Promise((resolve) => stream.write(text, () => resolve()));

async function run(words: readonly string[]): Promise<number> {
  if (words[0] === THUMBNAIL_COMMAND && runtime.thumbnails) {
    await runtime.thumbnails.runChild();
    return 0;
  }
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  // Loaded on demand: the child process for a thumbnail starts without it.
  const { runCommandLine } = await import("./cli/run.ts");
  return await runCommandLine(words, {
    env: process.env,
    out: (text) => write(process.stdout, text),
    err: (text) => write(process.stderr, text),
    isInteractive: process.stderr.isTTY === true,
  });
}

run(process.argv.slice(2)).then(
  (exitCode) => process.exit(exitCode),
  () => process.exit(1),
);
