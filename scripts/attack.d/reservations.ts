import { type Attack, GB, MB } from "./attack.ts";
import { ask } from "./http.ts";

const SESSIONS = 40;

/** Creates uploads from the /64s of one /48, each as large as allowed, and sends nothing. */
export const emptyReservations: Attack = {
  name: "reservations",
  summary: `${SESSIONS} uploads started from one /48, of 1 GB and then of what is left, without a byte`,
  roomBytes: 4 * GB,
  async start(target) {
    let reservedMb = 0;
    let refused = 0;
    let fileSize = GB;
    for (let n = 1; n <= SESSIONS; n++) {
      const response = await ask(`${target.url}/api/files/multipart/init`, {
        ...{ method: "POST", from: `2001:db8:1:${n}::1`, headers: { "content-type": "application/json" } },
        body: Buffer.from(JSON.stringify({ fileName: "nothing.bin", fileSize })),
      });
      if (response.status === 200) reservedMb += fileSize / MB;
      else {
        refused++;
        fileSize = Math.max(MB, fileSize / 2);
      }
    }
    return {
      end: async () => ({
        text: `${reservedMb} MB reserved, ${refused} of ${SESSIONS} refused`,
        isBounded: reservedMb < (4 * GB) / MB / 2,
      }),
    };
  },
};
