import { setImmediate } from "node:timers/promises";
import type { BodyPace } from "./body-watch.ts";
import { ClientGone } from "./client-gone.ts";
import type { HttpEnv } from "./env.ts";

/** A request whose body is still to be read; every handler has one. */
export interface ArrivingBody {
  readonly req: { readonly raw: Request };
  readonly env: Pick<HttpEnv["Bindings"], "peer" | "bodyWatch">;
}

/**
 * The body of a request as it arrives, at the pace of streamed ones where none is given. Throws ClientGone where the client leaves, REQUEST_TIMEOUT where it is too slow. Ends only while
 * the client still waits for its answer, so that nothing is stored for one that cannot be answered.
 */
export async function* receiveBody({ req, env: { peer, bodyWatch } }: ArrivingBody, pace?: BodyPace): AsyncGenerator<Uint8Array> {
  const { body } = req.raw;
  if (body) {
    // The server's answer sets it again. Until then the body watch is what ends silence.
    peer.setIdleTimeout(0);
    const chunks: AsyncIterator<Uint8Array, undefined> = body[Symbol.asyncIterator]();
    const reading = bodyWatch.begin(pace);
    try {
      for (let next = await reading.next(received(chunks)); !next.done; next = await reading.next(received(chunks))) yield next.value;
    } finally {
      reading.end();
      // Not awaited: after a time-out it would wait for the very chunk that does not come.
      chunks.return?.().catch(() => undefined);
    }
  }
  // Bun closes a connection whose next request arrives before the answer to this one. One that came in the same packet is known now.
  await setImmediate();
  if (peer.isGone()) throw new ClientGone("The client closed its connection, or sent another request before this one was answered.");
}

/** Nothing but the client's leaving breaks a body off. */
async function received(chunks: AsyncIterator<Uint8Array, undefined>): Promise<IteratorResult<Uint8Array, undefined>> {
  try {
    return await chunks.next();
  } catch (error) {
    throw new ClientGone("The client closed its connection while its request was read.", { cause: error });
  }
}
