import type { UnlockAccess } from "../../client/download-share/unlock.ts";
import type { Terminal } from "../command.ts";

/** Returns the ways in which a command unlocks a share: it asks a person for the code, if possible, and does the proof of work. */
export const toUnlockWays = ({
  canAsk,
  ask,
  askSecret,
}: Pick<Terminal, "canAsk" | "ask" | "askSecret">): Pick<UnlockAccess, "askCode" | "solve"> => ({
  ...(canAsk && {
    askCode: (problem, kind) => {
      const question = kind === "password" ? "Password: " : kind === "code" ? "Unlock code: " : "Unlock code or password: ";
      return (kind === "code" ? ask : askSecret)(problem === undefined ? question : `${problem}\n${question}`);
    },
  }),
  solve: async (challenge, signal) => {
    const { solveChallenge } = await import("../../lib/secrets/solve-challenge.ts");
    return await solveChallenge(challenge, { caller: "down", signal });
  },
});
