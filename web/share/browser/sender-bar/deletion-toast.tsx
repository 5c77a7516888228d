/** @jsxImportSource preact */
import { useLayoutEffect, useRef } from "preact/hooks";
import { senderBar as texts } from "#texts/share";
import { errors } from "#texts/site";
import { announce } from "../../../site/browser/components/announce.ts";
import type { Deletion } from "./use-deletion.ts";

export interface DeletionToastProps {
  readonly deletion: Deletion;
  /** The number of other links that keep files of the share. */
  readonly otherLinks: number;
}

/** Renders the result of the deletion, and the undo button while it works, in place of the bar. */
export function DeletionToast({ deletion: { state, problem, isSold, undo, commit }, otherLinks }: DeletionToastProps) {
  const button = useRef<HTMLButtonElement>(null);
  const isWaiting = state === "waiting";
  const text = state === "failed" ? `${texts.notDeleted} ${problem}` : state === "deleted" ? texts.deleted : texts.deleting;
  const stays = otherLinks === 0 || state === "failed" ? "" : texts.linksStay(otherLinks);
  useLayoutEffect(() => {
    announce(`${isWaiting ? texts.deletingCanUndo : text} ${stays}`.trimEnd());
    button.current?.focus({ preventScroll: true });
  }, [state]);
  return (
    <section class="sender-bar" aria-label={texts.label}>
      <div class="sender-row sender-toast">
        {state === "deleted" ? (
          <p class="sender-what">
            <strong>{text}</strong> {stays}
          </p>
        ) : (
          // The heading of the page below is inert, so this one replaces it.
          <h1 class={state === "failed" ? "problem" : "sender-what"}>
            {text} {stays}
          </h1>
        )}
        <div class="sender-tools">
          {isWaiting || state === "failed" ? (
            <button ref={button} class="button small" type="button" onClick={undo}>
              {isWaiting ? texts.undo : texts.keep}
            </button>
          ) : null}
          {state === "failed" ? (
            <button class="button small" type="button" onClick={commit}>
              {isSold ? errors.nevertheless : texts.again}
            </button>
          ) : null}
          {state === "deleted" ? (
            <a class="button small" href="/">
              {texts.sendMore}
            </a>
          ) : null}
        </div>
      </div>
      {isWaiting ? <div class="sender-countdown" aria-hidden="true" /> : null}
    </section>
  );
}
