import type { UnlockAccess } from "../../client/download-share/unlock.ts";
import type { Terminal } from "../command.ts";

/** How a command unlocks a share: it asks a person for the code, where one can be asked, and does the proof of work itself. */
export const toUnlockWays = ({ canAsk, ask }: Pick<Terminal, "canAsk" | "ask">): Pick<UnlockAccess, "askCode" | "solve"> => ({
  ...(canAsk && { askCode: (problem) => ask(problem === undefined ? "Unlock code: " : `${problem}\nUnlock code: `) }),
  solve: async (challenge, signal) => {
    const { solveChallenge } = await import("../../lib/secrets/solve-challenge.ts");
    return await solveChallenge(challenge, { caller: "down", signal });
  },
});
