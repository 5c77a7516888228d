import { type Attack, GB, MB } from "./attack.ts";
import { ask } from "./http.ts";

const SESSIONS = 40;

/** Creates uploads from the /64s of one /48, each as large as allowed, and sends nothing. */
export const emptyReservations: Attack = {
  name: "reservations",
  summary: `${SESSIONS} uploads begun from one /48, of 1 GB and then of what is left, without a byte`,
  roomBytes: 4 * GB,
  async begin(target) {
    let promisedMb = 0;
    let refused = 0;
    let fileSize = GB;
    for (let n = 1; n <= SESSIONS; n++) {
      const answer = await ask(`${target.url}/api/files/multipart/init`, {
        ...{ method: "POST", from: `2001:db8:1:${n}::1`, headers: { "content-type": "application/json" } },
        body: Buffer.from(JSON.stringify({ fileName: "nothing.bin", fileSize })),
      });
      if (answer.status === 200) promisedMb += fileSize / MB;
      else {
        refused++;
        fileSize = Math.max(MB, fileSize / 2);
      }
    }
    return {
      end: async () => ({
        text: `${promisedMb} MB promised, ${refused} of ${SESSIONS} refused`,
        isBounded: promisedMb < (4 * GB) / MB / 2,
      }),
    };
  },
};
