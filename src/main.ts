import { runtime } from "#runtime";
import { THUMBNAIL_COMMAND } from "./runtime/runtime.ts";

async function run(words: readonly string[]): Promise<number> {
  if (words[0] === THUMBNAIL_COMMAND && runtime.thumbnails) {
    await runtime.thumbnails.runChild(Number(words[1]));
    return 0;
  }
  // These modules are loaded on demand, so that the child process for a thumbnail starts without them.
  const [{ runCommandLine }, { createProcessTerminal }] = await Promise.all([
    import("./cli/run.ts"),
    import("./cli/terminal/process-terminal.ts"),
  ]);
  return await runCommandLine(words, createProcessTerminal(process.env));
}

run(process.argv.slice(2)).then(
  (exitCode) => process.exit(exitCode),
  () => process.exit(1),
);
