import { type Attack, countStatuses, GB, MB } from "./attack.ts";
import { hold } from "./http.ts";

const BODIES = 97;
const BODY_BYTES = 4 * MB - 1024;
/** The number of bodies, which exceeds the share of one address in the memory and its queue. */
const MOST_HELD = 24;
const PATHS = ["/api/downloads/unlock", "/api/files/multipart/complete"] as const;

/** Sends large JSON bodies that never end, to operations with few fields and with many. */
export const slowBodies: Attack = {
  name: "bodies",
  summary: `${BODIES} JSON bodies of 4 MB from one address that stop before their end`,
  roomBytes: 4 * GB,
  async start(target) {
    const body = Buffer.alloc(BODY_BYTES - MB / 4, " ");
    body.write('{"shortId":"abcdefgh","unlockCode":"');
    const headers = { "content-type": "application/json", "content-length": String(BODY_BYTES) };
    const held = await Promise.all(
      Array.from({ length: BODIES }, (_, index) =>
        hold(`${target.url}${PATHS[index % PATHS.length]}`, { method: "POST", from: "198.51.100.3", headers, body }),
      ),
    );
    return {
      async end() {
        const statuses = held.map((one) => one.status());
        for (const one of held) one.end();
        return { text: countStatuses(statuses), isBounded: statuses.filter((status) => status === 0).length <= MOST_HELD };
      },
    };
  },
};
