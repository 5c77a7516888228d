/** Deleting the share, which can be undone for some seconds. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { saveShare } from "../device/shares.ts";
import { deleteShare, hasEnded } from "./requests.ts";
import { refreshPage, setInert } from "./share-page.ts";
import type { SentShareState } from "./use-sent-share.ts";

const UNDO_MS = 10_000;

export interface Deletion {
  /** `waiting`: it can be undone. */
  readonly state: "none" | "waiting" | "deleting" | "deleted" | "failed";
  /** Why it failed, as a sentence. */
  readonly problem: string;
  begin(): void;
  undo(): void;
  /** Deletes now. */
  commit(): void;
}

/** A deletion that was neither requested nor undone before the page was closed can be undone once more (pages, "The sender's bar"). */
export function useDeletion({ sent, remember, forget }: SentShareState): Deletion {
  const [state, setState] = useState<Deletion["state"]>(sent.deletesAtMs === undefined ? "none" : "deleting");
  const [problem, setProblem] = useState("");
  const isWaiting = useRef(false);

  const commit = async (): Promise<void> => {
    isWaiting.current = false;
    setState("deleting");
    // The page may be gone before the response: the next one then offers no undo.
    void saveShare({ ...sent, deletesAtMs: 0 }).catch(() => undefined);
    try {
      await deleteShare(sent);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setState("failed");
      return;
    }
    await end();
  };

  /** Shows the page as everybody sees it. */
  const end = async (): Promise<void> => {
    await forget();
    setState("deleted");
    await refreshPage(sent.sharePath);
  };

  const endIfGone = async (): Promise<boolean> => {
    const isGone = await hasEnded(sent);
    if (isGone) await end();
    return isGone;
  };

  const begin = (): void => {
    isWaiting.current = true;
    setState("waiting");
    void remember({ deletesAtMs: Date.now() + UNDO_MS });
  };

  useEffect(() => {
    const resume = async (): Promise<void> => {
      if (sent.deletesAtMs === 0) return await commit();
      if (!(await endIfGone())) begin();
    };
    if (sent.deletesAtMs !== undefined) void resume();
  }, []);

  useLayoutEffect(() => {
    setInert(state !== "none" && state !== "deleted");
    if (state !== "waiting") return;
    const timer = setTimeout(() => void commit(), UNDO_MS);
    // The page is left: the request survives it.
    const leave = () => void (isWaiting.current && commit());
    addEventListener("pagehide", leave);
    return () => {
      clearTimeout(timer);
      removeEventListener("pagehide", leave);
    };
  }, [state]);

  return {
    state,
    problem,
    begin,
    undo() {
      isWaiting.current = false;
      setState("none");
      void remember({ deletesAtMs: undefined });
      void endIfGone();
    },
    commit: () => void commit(),
  };
}
