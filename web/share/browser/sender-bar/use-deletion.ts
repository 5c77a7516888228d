/** The deletion of the share, which can be undone for some seconds. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { deleteShare, hasEnded } from "../../../sending/browser/sender-calls.ts";
import { hasBuyers } from "../../../site/browser/api.ts";
import { UNDO_MS } from "../../../site/browser/components/undoable.ts";
import { findSentShare, saveShare } from "../../../site/browser/device/shares.ts";
import { announceUndone, onUndone } from "../../../site/browser/device/undone-channel.ts";
import { setInert } from "./share-page.ts";
import type { SentShareState } from "./use-sent-share.ts";

export interface Deletion {
  /** The state of the deletion. `waiting`: it can be undone. */
  readonly state: "none" | "waiting" | "deleting" | "deleted" | "failed";
  /** The reason of a failure, as a sentence. */
  readonly problem: string;
  /** Whether the deletion failed because buyers would lose files that they paid for. `commit` then deletes the share nevertheless. */
  readonly isSold: boolean;
  begin(): void;
  undo(): void;
  /** Deletes the share immediately. */
  commit(): void;
}

/**
 * Manages the deletion. If it was neither requested nor undone before the page was closed, it can be undone once more (pages, "The sender's bar").
 * Other tabs may offer the same undo, so the remembered state decides.
 */
export function useDeletion({ sent, remember, forget }: SentShareState): Deletion {
  const [state, setState] = useState<Deletion["state"]>(sent.deletesAtMs === undefined ? "none" : "deleting");
  const [problem, setProblem] = useState("");
  const [isSold, setSold] = useState(false);
  const isWaiting = useRef(false);
  /** The share as this device remembered it when the deletion began. */
  const stored = useRef(sent);

  const commit = async (): Promise<void> => {
    isWaiting.current = false;
    setState("deleting");
    // The page may be closed before the response. The next page then offers no undo.
    void saveShare({ ...stored.current, deletesAtMs: 0 }).catch(() => undefined);
    try {
      await deleteShare(sent, isSold);
    } catch (error) {
      setSold(hasBuyers(error));
      setProblem(error instanceof Error ? error.message : String(error));
      setState("failed");
      return;
    }
    await end();
  };

  const end = async (): Promise<void> => {
    isWaiting.current = false;
    await forget();
    setState("deleted");
  };

  const endIfGone = async (): Promise<boolean> => {
    const isGone = await hasEnded(sent);
    if (isGone) await end();
    return isGone;
  };

  const begin = async (): Promise<void> => {
    isWaiting.current = true;
    const deletesAtMs = Date.now() + UNDO_MS;
    // The time is stored first, so that a page that offers an undo offers it again after a reload.
    await remember({ deletesAtMs });
    stored.current = { ...((await findSentShare(sent.shortId).catch(() => undefined)) ?? sent), deletesAtMs };
    if (isWaiting.current) setState("waiting");
  };

  const keep = (): void => {
    isWaiting.current = false;
    setState("none");
    setSold(false);
    void remember({ deletesAtMs: undefined });
    void endIfGone();
  };

  /**
   * Deletes the share, unless another tab has undone the deletion or deleted the share. Resolves to the time until which another tab still offers an
   * undo.
   */
  const commitIfDue = async (): Promise<number> => {
    const found = await findSentShare(sent.shortId).catch(() => stored.current);
    if (!isWaiting.current) return 0;
    if (!found) await end();
    else if (found.deletesAtMs === undefined) keep();
    else if (found.deletesAtMs > Date.now()) return found.deletesAtMs - Date.now();
    else await commit();
    return 0;
  };

  useEffect(() => {
    const resume = async (): Promise<void> => {
      if (sent.deletesAtMs === 0) return await commit();
      if (await endIfGone()) return;
      const found = await findSentShare(sent.shortId).catch(() => undefined);
      if (found && found.deletesAtMs === undefined) keep();
      else await begin();
    };
    if (sent.deletesAtMs !== undefined) void resume();
  }, []);

  useLayoutEffect(() => {
    setInert(state !== "none" && state !== "deleted");
    if (state !== "waiting") return;
    let timer: ReturnType<typeof setTimeout>;
    const wait = (ms: number): void => {
      timer = setTimeout(async () => {
        const leftMs = await commitIfDue();
        if (leftMs > 0) wait(leftMs);
      }, ms);
    };
    wait(UNDO_MS);
    const stopListening = onUndone(sent.shortId, keep);
    return () => {
      clearTimeout(timer);
      stopListening();
    };
  }, [state]);

  const latestCommit = useRef(commit);
  latestCommit.current = commit;
  useEffect(() => {
    // The page is being left, and the request continues afterwards.
    const leave = () => void (isWaiting.current && latestCommit.current());
    addEventListener("pagehide", leave);
    return () => removeEventListener("pagehide", leave);
  }, []);

  return {
    state,
    problem,
    isSold,
    begin: () => void begin(),
    undo() {
      keep();
      announceUndone(sent.shortId);
    },
    commit: () => void commit(),
  };
}
