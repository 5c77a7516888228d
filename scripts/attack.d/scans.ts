import { randomBytes } from "node:crypto";
import { type Attack, GB, MB } from "./attack.ts";
import { ask } from "./http.ts";

const FILES = 16;
const FILE_BYTES = 24 * MB;

/** Many large files of one caller wait for the check when another's small one comes. */
export const scanQueue: Attack = {
  name: "scans",
  summary: `${FILES} files of 24 MB by one address wait for the check, again before each visit`,
  roomBytes: 6 * GB,
  async begin(target) {
    const bytes = randomBytes(FILE_BYTES);
    let batch = 0;
    return {
      async renew() {
        batch++;
        // The check stands still while they come, so that all of them wait when the visitor comes.
        process.kill(target.clamd.pid, "SIGSTOP");
        try {
          for (let n = 0; n < FILES; n++) {
            const from = `198.51.100.${100 + batch}`;
            const answer = await ask(`${target.url}/large-${n}.bin`, {
              method: "PUT",
              from,
              headers: { accept: "application/json" },
              body: bytes,
            });
            if (answer.status !== 200) throw new Error(`A file was answered with ${answer.status}: ${answer.body}`);
          }
        } finally {
          process.kill(target.clamd.pid, "SIGCONT");
        }
      },
      end: async () => ({ text: `${batch * FILES} files`, isBounded: true }),
    };
  },
};
