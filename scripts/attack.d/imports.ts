import { type Attack, countStatuses, GB } from "./attack.ts";
import { ask } from "./http.ts";

const ADDRESSES = 3;
/** The number of imports per hour and address. */
const EACH = 10;

/** Starts imports from a source that sends one byte every five seconds. */
export const drippingImports: Attack = {
  name: "imports",
  summary: `${ADDRESSES * EACH} imports by ${ADDRESSES} addresses from a source of 1 byte in 5 s`,
  roomBytes: 4 * GB,
  async start(target, { origin }) {
    const statuses: number[] = [];
    for (let n = 0; n < ADDRESSES * EACH; n++) {
      const response = await ask(`${target.url}/api/files/remote-multipart/init`, {
        ...{ method: "POST", from: `198.51.100.${10 + (n % ADDRESSES)}`, headers: { "content-type": "application/json" } },
        body: Buffer.from(JSON.stringify({ url: origin.drippingUrl })),
      });
      statuses.push(response.status);
    }
    return { end: async () => ({ text: countStatuses(statuses), isBounded: true }) };
  },
};
