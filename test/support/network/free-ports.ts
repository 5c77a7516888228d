import { once } from "node:events";
import { createServer, type Server } from "node:net";

/** The ports of tests, below the kernel's range (32768 and up), so that no `listen(0)` and no outgoing connection uses one of them. */
const PORTS = { first: 20_000, count: 12_000 } as const;
/** The address on which a reservation listens, which leaves the port free on 127.0.0.1. */
const RESERVING_HOST = "127.0.0.2";

/** Finds a free port of 127.0.0.1 that no other test can reserve until this test file ends. */
export async function reservePort(): Promise<number> {
  for (;;) {
    const port = PORTS.first + Math.floor(Math.random() * PORTS.count);
    const reservation = await tryListen(port, RESERVING_HOST);
    if (!reservation) continue;
    const used = await tryListen(port, "127.0.0.1");
    if (used) {
      used.close();
      await once(used, "close");
      return port;
    }
    reservation.close();
  }
}

export async function reservePorts(count: number): Promise<number[]> {
  return await Promise.all(Array.from({ length: count }, reservePort));
}

/** Listens on a port. Resolves to undefined if the port is in use. */
async function tryListen(port: number, host: string): Promise<Server | undefined> {
  const server = createServer().unref();
  try {
    server.listen(port, host);
    await once(server, "listening");
    return server;
  } catch {
    return undefined;
  }
}
