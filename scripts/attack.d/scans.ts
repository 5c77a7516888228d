import { randomBytes } from "node:crypto";
import { type Attack, GB, MB } from "./attack.ts";
import { ask } from "./http.ts";

const FILES = 16;
const FILE_BYTES = 24 * MB;

/** Queues many large files of one caller for the scan before another caller's small file. */
export const scanQueue: Attack = {
  name: "scans",
  summary: `${FILES} files of 24 MB by one address wait for the check, again before each visit`,
  roomBytes: 6 * GB,
  async start(target) {
    const bytes = randomBytes(FILE_BYTES);
    let batch = 0;
    return {
      async renew() {
        batch++;
        // The scan is paused during the uploads, so that all files wait when the client starts.
        process.kill(target.clamd.pid, "SIGSTOP");
        try {
          for (let n = 0; n < FILES; n++) {
            const from = `198.51.100.${100 + batch}`;
            const response = await ask(`${target.url}/large-${n}.bin`, {
              method: "PUT",
              from,
              headers: { accept: "application/json" },
              body: bytes,
            });
            if (response.status !== 200) throw new Error(`A file returned ${response.status}: ${response.body}`);
          }
        } finally {
          process.kill(target.clamd.pid, "SIGCONT");
        }
      },
      end: async () => ({ text: `${batch * FILES} files`, isBounded: true }),
    };
  },
};
