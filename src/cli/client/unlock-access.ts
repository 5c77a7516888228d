import type { UnlockAccess } from "../../client/download-share/unlock.ts";
import type { Terminal } from "../command.ts";

/** Returns the ways in which a command unlocks a share: it asks a person for the code, if possible, and does the proof of work. */
export const toUnlockWays = ({ canAsk, ask }: Pick<Terminal, "canAsk" | "ask">): Pick<UnlockAccess, "askCode" | "solve"> => ({
  ...(canAsk && { askCode: (problem) => ask(problem === undefined ? "Unlock code: " : `${problem}\nUnlock code: `) }),
  solve: async (challenge, signal) => {
    const { solveChallenge } = await import("../../lib/secrets/solve-challenge.ts");
    return await solveChallenge(challenge, { caller: "down", signal });
  },
});
