import { connect } from "node:net";

/** A PUT whose last byte is not sent yet. */
export interface HeldPut {
  /** Resolves once all other bytes are sent. */
  readonly sent: Promise<void>;
  /** Sends the last byte, unless the server has responded. Resolves to the status (0: no response) and the whole response. */
  finish(): Promise<{ readonly status: number; readonly text: string }>;
  /** Resolves to the status of a response before the last byte. */
  readonly refused: Promise<number>;
  cut(): void;
}

/** Sends a PUT of `bytes` except for the last byte. The connection stays open until `finish` or `cut`. */
export function holdPut(url: string, bytes: Uint8Array, headers: Readonly<Record<string, string>> = {}): HeldPut {
  const { hostname, port, pathname, search } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  const responded = Promise.withResolvers<number>();
  const ended = Promise.withResolvers<void>();
  let text = "";
  socket.on("data", (data) => {
    text += data.toString("latin1");
    if (text.includes("\r\n\r\n")) responded.resolve(statusOf(text));
  });
  socket.on("error", () => undefined);
  socket.on("close", () => {
    responded.resolve(statusOf(text));
    ended.resolve();
  });
  const fields = Object.entries({ Host: "x", "Content-Length": `${bytes.length}`, Connection: "close", ...headers });
  const head = fields.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.write(`PUT ${pathname}${search} HTTP/1.1\r\n${head}\r\n`);
  const sent = new Promise<void>((resolve) => socket.write(bytes.subarray(0, -1), () => resolve()));
  return {
    sent,
    refused: responded.promise,
    async finish() {
      if (text === "") socket.write(bytes.subarray(-1));
      const status = await responded.promise;
      socket.end();
      await ended.promise;
      return { status, text };
    },
    cut: () => void socket.destroy(),
  };
}

const statusOf = (text: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);
