import { AppError } from "../../errors.ts";

/** The longest silence of an event stream. The server sends at least a comment every 15 seconds. */
const SILENCE_MS = 60_000;

/**
 * Yields the JSON data of the server-sent events of a response. Ends with the stream, and after a minute without a byte. Throws UNAVAILABLE if the
 * connection breaks.
 */
export async function* readEvents(response: Response, signal: AbortSignal | undefined): AsyncGenerator<unknown> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) return;
  let rest = "";
  try {
    for (;;) {
      const read = await withinSilence(reader.read());
      if (read === undefined || read.done) return;
      const blocks = (rest + read.value.replaceAll("\r", "")).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const data = block.split("\n").flatMap((line) => (line.startsWith("data:") ? [line.slice("data:".length).trimStart()] : []));
        if (data.length > 0) yield JSON.parse(data.join("\n"));
      }
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof AppError) throw error;
    throw new AppError("UNAVAILABLE", "The connection to the server broke.", { cause: error });
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Resolves to undefined if nothing arrives for too long. */
async function withinSilence<T>(read: Promise<T>): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), SILENCE_MS);
  });
  try {
    return await Promise.race([read, silence]);
  } finally {
    clearTimeout(timer);
  }
}
