import { join } from "node:path";
import { memoryPlan } from "../lib/system/memory-plan.ts";
import { readOutput, writeOutput } from "./images/child-output.ts";
import { THUMBNAIL_COMMAND, type ThumbnailResult, type Thumbnails } from "./runtime.ts";

const MAX_OUTPUT_BYTES = 8 * 1024 ** 2;

/** Memory limit in kilobytes. Bun itself reserves about 0.8 GB under a limit, and a PNG of 100 million pixels fits in 1.5 GB. */
const MAX_MEMORY = 2 * 1024 * 1024;
const MAX_CPU_SECONDS = 20;
/** Timeout, which includes the time in which a slow store sends the image. */
const TIMEOUT_MS = 60_000;

/**
 * The only variable of the child's environment. By default, the runtime reserves more addresses for compiled code than the limit allows, and then
 * interprets the decoders of HEIC and AVIF, which takes thirty times as long.
 */
const COMPILED_CODE = `BUN_JSC_jitMemoryReservationSize=${64 * 1024 ** 2}`;

/**
 * A shell command that sets the limits one by one, because some shells accept only one at a time, and becomes the child. The child can write only
 * empty files. If memory runs out, the system ends it, and not the server.
 */
const LIMITED = `{ echo 1000 > /proc/self/oom_score_adj; } 2>/dev/null; ulimit -v ${MAX_MEMORY} && ulimit -t ${MAX_CPU_SECONDS} && ulimit -f 0 && ulimit -c 0 && exec env -i ${COMPILED_CODE} "$@"`;

/** This program: the compiled executable, or Bun with the source. */
const PROGRAM: readonly string[] = Bun.isStandaloneExecutable
  ? [process.execPath]
  : [process.execPath, join(import.meta.dirname, "../main.ts")];

/** Makes thumbnails with `Bun.Image` in a child process, because its decoders are native code (docs/design/thumbnails.md). */
export const thumbnails: Thumbnails = { make, runChild };

async function make(
  image: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  maxPixels = memoryPlan.thumbnailPixels,
): Promise<ThumbnailResult> {
  signal.throwIfAborted();
  const child = Bun.spawn({
    cmd: ["/bin/sh", "-c", LIMITED, "sh", ...PROGRAM, THUMBNAIL_COMMAND, String(maxPixels)],
    cwd: "/",
    env: {},
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
    signal,
    timeout: TIMEOUT_MS,
    killSignal: "SIGKILL",
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  try {
    const [bytes] = await Promise.all([Bun.readableStreamToBytes(child.stdout), send(image, child)]);
    const exitCode = await child.exited;
    signal.throwIfAborted();
    if (exitCode !== 0) return { kind: "failed", reason: `the process ended with ${child.signalCode ?? `exit code ${exitCode}`}` };
    const images = readOutput(bytes);
    return images ? { kind: "made", images } : { kind: "failed", reason: "the process wrote something else" };
  } finally {
    child.kill("SIGKILL");
  }
}

/** Writes the image to the child. Returns early if the child ends, because its exit code has the reason. */
async function send(image: AsyncIterable<Uint8Array>, { stdin, exited }: Bun.Subprocess<"pipe">): Promise<void> {
  let hasEnded = false;
  void exited.then(() => {
    hasEnded = true;
  });
  for await (const chunk of image) {
    if (hasEnded) return;
    try {
      await Promise.race([write(stdin, chunk), exited]);
    } catch {
      // The child has closed its standard input.
      return;
    }
  }
  await Promise.resolve(stdin.end()).catch(() => undefined);
}

async function write(stdin: Bun.FileSink, chunk: Uint8Array): Promise<void> {
  await stdin.write(chunk);
  await stdin.flush();
}

async function runChild(maxPixels: number): Promise<void> {
  // This module and its decoders are loaded in the child alone.
  const { reduceImage } = await import("./images/reduce-image.ts");
  await Bun.write(Bun.stdout, writeOutput(await reduceImage(await Bun.stdin.bytes(), maxPixels)));
}
