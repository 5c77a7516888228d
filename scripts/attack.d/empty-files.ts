import { type Attack, countStatuses, GB } from "./attack.ts";
import { ask } from "./http.ts";

const LIMIT = 20_000;
const EXTRA = 100;
const AT_ONCE = 16;

/** Uploads empty files, which no quota of bytes limits. */
export const emptyFiles: Attack = {
  name: "files",
  summary: `${LIMIT + EXTRA} empty files by one address`,
  roomBytes: 4 * GB,
  env: { FILEHOST_RATE_LIMITS: "off" },
  async start(target) {
    const statuses: number[] = [];
    let left = LIMIT + EXTRA;
    const running = Array.from({ length: AT_ONCE }, async () => {
      while (left-- > 0)
        statuses.push((await ask(`${target.url}/empty.txt`, { method: "PUT", from: "198.51.100.40", body: new Uint8Array() })).status);
    });
    await Promise.all(running);
    const accepted = statuses.filter((status) => status === 200).length;
    return { end: async () => ({ text: countStatuses(statuses), isBounded: accepted <= LIMIT }) };
  },
};
