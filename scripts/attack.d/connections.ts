import { type Attack, GB } from "./attack.ts";
import { type HeldRequest, hold } from "./http.ts";

const ADDRESSES = 40;
const EACH = 75;
const OPEN_FILES = 2048;

/** Opens more connections than the server allows, each with one response, and leaves them idle. */
export const idleConnections: Attack = {
  name: "connections",
  summary: `${ADDRESSES * EACH} idle keep-alive connections from ${ADDRESSES} addresses to a server of ${OPEN_FILES} descriptors`,
  roomBytes: 4 * GB,
  openFiles: OPEN_FILES,
  async start(target) {
    const held: HeldRequest[] = [];
    for (let n = 0; n < EACH; n++) {
      const opened = Array.from({ length: ADDRESSES }, (_, index) =>
        hold(`${target.url}/health/live`, {
          ...{ method: "GET", from: `198.18.0.${index + 1}`, localAddress: `127.0.1.${index + 1}`, headers: {} },
          body: new Uint8Array(),
        }),
      );
      held.push(...(await Promise.all(opened)));
    }
    return {
      async end() {
        const responded = held.filter((one) => one.status() === 200).length;
        for (const one of held) one.end();
        return { text: `${responded} of ${held.length} had a response`, isBounded: true };
      },
    };
  },
};
