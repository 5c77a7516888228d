import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import type { ClamdAddress } from "../../src/scan/clamd/address.ts";

/** A proxy between a client and a server; a test decides what passes. */
export interface Relay extends AsyncDisposable {
  readonly address: Extract<ClamdAddress, { kind: "tcp" }>;
  /** Connections made so far. */
  readonly connections: number;
  /** Bytes that came from clients so far. */
  readonly bytesIn: number;
  /** Verdicts that clamd has responded so far. */
  readonly verdicts: number;
  /** Whether a response of the server is withheld. */
  readonly withholds: boolean;
  /** Starts or stops withholding the server's responses. */
  holdResponses(hold: boolean): void;
  /** Stops or resumes reading from clients. */
  holdRequests(hold: boolean): void;
  /** Runs once, when a connection brings its byte of that number. */
  onBytes(count: number, action: () => void): void;
  /** Breaks every connection. */
  cut(): void;
  /** Breaks every connection but sessions, like a network that loses a stream. */
  cutStreams(): void;
}

export async function startRelay(target: ClamdAddress): Promise<Relay> {
  const pairs = new Set<{ client: Socket; server: Socket; held: Buffer[]; isSession: boolean }>();
  let connections = 0;
  let bytesIn = 0;
  let verdicts = 0;
  let responsesHeld = false;
  let requestsHeld = false;
  let watch: { count: number; action: () => void } | undefined;

  const relay = createServer((client) => {
    connections += 1;
    const server = target.kind === "unix" ? connect({ path: target.path }) : connect({ host: target.host, port: target.port });
    const pair = { client, server, held: [] as Buffer[], isSession: false };
    pairs.add(pair);
    let count = 0;
    client.on("data", (bytes: Buffer) => {
      if (count === 0) pair.isSession = bytes.toString("latin1").startsWith("zIDSESSION");
      count += bytes.length;
      bytesIn += bytes.length;
      if (!server.write(bytes)) client.pause();
      if (watch && count >= watch.count && count - bytes.length < watch.count) {
        const { action } = watch;
        watch = undefined;
        action();
      }
    });
    server.on("drain", () => {
      if (!requestsHeld) client.resume();
    });
    if (requestsHeld) client.pause();
    server.on("data", (bytes: Buffer) => {
      if (bytes.includes("stream: ")) verdicts += 1;
      if (responsesHeld) pair.held.push(bytes);
      else client.write(bytes);
    });
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on("error", () => other.destroy());
      one.on("close", () => {
        if (responsesHeld && one === server && pair.held.length > 0) return;
        pairs.delete(pair);
        other.end();
      });
    }
  });
  relay.listen(0, "127.0.0.1");
  await once(relay, "listening");
  const bound = relay.address();
  if (bound === null || typeof bound === "string") throw new Error("no port");

  const cutIf = (isCut: (pair: { isSession: boolean }) => boolean) => {
    for (const pair of pairs) {
      if (!isCut(pair)) continue;
      pair.client.destroy();
      pair.server.destroy();
      pairs.delete(pair);
    }
  };
  return {
    address: { kind: "tcp", host: "127.0.0.1", port: bound.port },
    get connections() {
      return connections;
    },
    get verdicts() {
      return verdicts;
    },
    get bytesIn() {
      return bytesIn;
    },
    get withholds() {
      return [...pairs].some(({ held }) => held.length > 0);
    },
    holdResponses(hold) {
      responsesHeld = hold;
      if (hold) return;
      for (const { client, held } of pairs) for (const bytes of held.splice(0)) client.write(bytes);
    },
    holdRequests(hold) {
      requestsHeld = hold;
      for (const { client } of pairs) {
        if (hold) client.pause();
        else client.resume();
      }
    },
    onBytes(count, action) {
      watch = { count, action };
    },
    cut: () => cutIf(() => true),
    cutStreams: () => cutIf(({ isSession }) => !isSession),
    async [Symbol.asyncDispose]() {
      cutIf(() => true);
      relay.close();
    },
  };
}
