import { connect } from "node:net";

export interface RawResponse {
  readonly status: number;
  /** The whole response as text. */
  readonly text: string;
}

export interface RawOptions {
  /** Ends the sending side after this resolves, and still waits for the response. */
  readonly endAfter?: () => Promise<unknown>;
  /** Destroys the connection after this resolves, without waiting for the response. */
  readonly cutAfter?: () => Promise<unknown>;
  readonly deadlineMs?: number;
}

/** Sends raw bytes of HTTP and reads until the response is complete, the server closes or the deadline (60 s) passes. Status 0 means no response. */
export async function sendRaw(
  server: { readonly url: string },
  chunks: readonly (string | Uint8Array)[] | AsyncIterable<string | Uint8Array>,
  options: RawOptions = {},
): Promise<RawResponse> {
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
  const timer = setTimeout(resolve, options.deadlineMs ?? 60_000);
  for await (const chunk of chunks) await new Promise<void>((sent) => socket.write(chunk, () => sent()));
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

export interface HeldRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends a request whose last byte follows after `whileHeld` has resolved. */
export async function sendHeld(
  server: { readonly url: string },
  { method, path, headers, body }: HeldRequest,
  whileHeld: () => Promise<unknown>,
): Promise<RawResponse> {
  const fields = { Host: new URL(server.url).host, "Content-Length": `${body.length}`, Connection: "close", ...headers };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  async function* chunks(): AsyncGenerator<string> {
    yield `${method} ${path} HTTP/1.1\r\n${head.join("")}\r\n${body.slice(0, -1)}`;
    await whileHeld();
    yield body.slice(-1);
  }
  return await sendRaw(server, chunks());
}

function isComplete(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end))?.[1];
  return end >= 0 && length !== undefined && text.length >= end + 4 + Number(length);
}
