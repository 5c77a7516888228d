import type { UnlockAccess } from "../../client/download/unlock.ts";
import type { Terminal } from "../command.ts";

/** How a person is asked for an unlock code. Without a terminal, nobody is asked. */
export const questions = ({ canAsk, ask }: Pick<Terminal, "canAsk" | "ask">): Pick<UnlockAccess, "askCode"> =>
  canAsk ? { askCode: (problem) => ask(problem === undefined ? "Unlock code: " : `${problem}\nUnlock code: `) } : {};

export const solve: UnlockAccess["solve"] = async (challenge, signal) => {
  const { solveChallenge } = await import("../../lib/secrets/solve-challenge.ts");
  return await solveChallenge(challenge, { caller: "down", signal });
};
