import { connect } from "node:net";

export interface RawAnswer {
  readonly status: number;
  /** The whole answer as text. */
  readonly text: string;
}

export interface RawOptions {
  /** Ends our side once this has resolved, and still waits for an answer. */
  readonly endAfter?: () => Promise<unknown>;
  /** Cuts the connection instead of waiting for an answer, once this has resolved. */
  readonly cutAfter?: () => Promise<unknown>;
  readonly deadlineMs?: number;
}

/** Sends bytes of HTTP as they are and reads until the server closes, the answer is complete, or the deadline (5 s) has come. Status 0: no answer. */
export async function sendRaw(
  server: { readonly url: string },
  chunks: readonly (string | Uint8Array)[],
  options: RawOptions = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port) });
  const { promise, resolve } = Promise.withResolvers<void>();
  let text = "";
  socket.on("data", (data) => {
    text += data.toString("latin1");
    if (isComplete(text)) resolve();
  });
  socket.on("error", () => resolve());
  socket.on("close", () => resolve());
  const timer = setTimeout(resolve, options.deadlineMs ?? 5000);
  for (const chunk of chunks) await new Promise<void>((sent) => socket.write(chunk, () => sent()));
  if (options.cutAfter) {
    await options.cutAfter();
    resolve();
  } else if (options.endAfter) {
    await options.endAfter();
    socket.end();
  }
  await promise;
  clearTimeout(timer);
  socket.destroy();
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), text };
}

function isComplete(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end))?.[1];
  return end >= 0 && length !== undefined && text.length >= end + 4 + Number(length);
}
