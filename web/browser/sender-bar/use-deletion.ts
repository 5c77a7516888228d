/** Deleting the share, which can be undone for some seconds. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { deleteShare } from "./requests.ts";
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

/** A deletion that was neither carried out nor undone before the page was closed can be undone once more (pages, "The sender's bar"). */
export function useDeletion({ sent, remember, forget }: SentShareState): Deletion {
  const [state, setState] = useState<Deletion["state"]>(sent.deletesAtMs === undefined ? "none" : "waiting");
  const [problem, setProblem] = useState("");
  const isWaiting = useRef(state === "waiting");

  const commit = async (): Promise<void> => {
    isWaiting.current = false;
    setState("deleting");
    try {
      await deleteShare(sent);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setState("failed");
      return;
    }
    await forget();
    setState("deleted");
    await refreshPage(sent.sharePath);
  };

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
    begin() {
      isWaiting.current = true;
      setState("waiting");
      void remember({ deletesAtMs: Date.now() + UNDO_MS });
    },
    undo() {
      isWaiting.current = false;
      setState("none");
      void remember({ deletesAtMs: undefined });
    },
    commit: () => void commit(),
  };
}
