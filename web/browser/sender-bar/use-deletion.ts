/** Deleting the share, which can be undone for some seconds. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { SentShare } from "../device/shares.ts";
import { deleteShare, EndedError } from "./requests.ts";
import { refreshPage, setInert } from "./share-page.ts";

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

export function useDeletion(sent: SentShare, forget: () => Promise<void>): Deletion {
  const [state, setState] = useState<Deletion["state"]>("none");
  const [problem, setProblem] = useState("");
  const isWaiting = useRef(false);

  const commit = async (): Promise<void> => {
    isWaiting.current = false;
    setState("deleting");
    try {
      await deleteShare(sent);
    } catch (error) {
      if (!(error instanceof EndedError)) {
        setProblem(error instanceof Error ? error.message : String(error));
        setState("failed");
        return;
      }
    }
    await forget();
    setState("deleted");
    setInert(false);
    await refreshPage(sent.sharePath);
  };

  useLayoutEffect(() => {
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
      setInert(true);
      setState("waiting");
    },
    undo() {
      isWaiting.current = false;
      setInert(false);
      setState("none");
    },
    commit: () => void commit(),
  };
}
