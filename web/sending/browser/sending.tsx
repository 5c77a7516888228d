/** @jsxImportSource preact */
/** The link while files are being sent, and afterwards. Loaded when files are chosen. */
import { useEffect, useRef, useState } from "preact/hooks";
import { send as sendTexts, sending as texts } from "#texts/sending";
import { JUST_SENT } from "../../share/browser/sender-bar/just-sent.ts";
import { announce } from "../../site/browser/components/announce.ts";
import { keepFocus } from "../../site/browser/components/focus.ts";
import { size } from "../../site/browser/components/format.ts";
import { type SentShare, toPage } from "../../site/browser/device/shares.ts";
import { CancelDialog } from "./cancel-dialog.tsx";
import { type ChosenFile, toChosenFile } from "./chosen-files.ts";
import { canDrop, readDropped } from "./dropped-files.ts";
import { LinkBox, Tick } from "./link-card.tsx";
import { Progress } from "./progress.tsx";
import { CopyableSecret, RecipientSecrets } from "./recipient-secrets.tsx";
import { passCopiedLink, useCopiedLink, useLeaveQuestion, useTabTitle } from "./sending-effects.ts";
import { OpenPanel, SendingTools, useSenderBarStyle, useSendingPanel } from "./sending-tools.tsx";
import { SentFiles } from "./sent-files.tsx";
import type { Job } from "./use-upload.ts";
import { type RequestTarget, useUpload } from "./use-upload.ts";

/** The time for which the tick is shown before the share's page opens. */
const DELIGHT_MS = 1400;

/** The texts of sending to a request, which makes no link. */
export interface RequestWords extends RequestTarget {
  readonly words: Pick<
    typeof texts,
    "opening" | "ready" | "readyLead" | "doneLead" | "failedTitle" | "failedAll" | "failedLead" | "goOn" | "confirmText"
  >;
}

export interface SendingProps extends Job {
  readonly siteUrl: string;
  readonly maxBytes: number;
  /** The request that gets the files. */
  readonly request?: RequestWords | undefined;
  /** Returns to choosing, with the unsent files. */
  onEnd(left: readonly ChosenFile[], problem: string): void;
}

export function SendingCard({ files, settings, isEncrypted, unfinished, siteUrl, maxBytes, request, onEnd }: SendingProps) {
  const words = request?.words ?? texts;
  const [isAsking, setAsking] = useState(false);
  const [isSecretCopied, setSecretCopied] = useState(false);
  const panel = useSendingPanel();
  const hasPanel = panel.name !== undefined;
  const isStyled = useSenderBarStyle();
  const heading = useRef<HTMLHeadingElement>(null);
  const { isCopied, onLink } = useCopiedLink(request === undefined);
  const sending = useUpload({
    ...{ files, settings, isEncrypted, unfinished, siteUrl, request },
    onOpened: ({ shareUrl }) => {
      onLink(shareUrl);
      announce(words.ready);
    },
    onRefused: (problem) => onEnd(unfinished ? [] : files, problem),
  });
  const { share, upload, isDone, isStored } = sending;
  const isRunning = !isDone && (upload?.isRunning ?? true);
  const hasFailed = Boolean(upload && !upload.isRunning && !isDone);
  /** Whether this page alone shows the secrets of the share. Otherwise, the device remembers them, and the page of the share shows them. */
  const mustKeep = !isStored;
  /**
   * The path of the share's page, where the link has the same position. On a device that does not remember the share, that page has no sender bar.
   */
  const sharePage = share && toPage(share, isStored && !request ? JUST_SENT : "");

  useTabTitle(isDone || !upload ? undefined : { upload, wait: sending.wait });
  useLeaveQuestion(isRunning || hasFailed || (mustKeep && share !== undefined && !isSecretCopied));
  const add = (added: readonly ChosenFile[]): void => void sending.add(added.filter(({ file }) => file.size <= maxBytes));
  useDroppedFiles(add);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    scrollTo({ top: 0, behavior: "instant" });
  }, []);
  useEffect(() => {
    if (!isDone) return;
    setAsking(false);
    announce(words.doneLead);
  }, [isDone]);
  useEffect(() => {
    if (!isDone || !sharePage) return;
    if (mustKeep) keepFocus(".send-progress a");
    // The page of the share would take the place of what is being read or changed.
    if (mustKeep || hasPanel) return;
    // The bar of the share's page is loaded in advance, so that it appears together with the page.
    if (!request) void import("../../share/browser/sender-bar/main.tsx").catch(() => undefined);
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const open = (): void => {
      if (share) passCopiedLink(share.shortId);
      location.assign(sharePage);
    };
    const timer = setTimeout(open, isStill ? 0 : DELIGHT_MS);
    return () => clearTimeout(timer);
  }, [isDone, hasPanel]);

  const cancel = async (): Promise<void> => {
    setAsking(false);
    await sending.cancel();
    onEnd(files, "");
  };
  /** Skips the question before leaving if the next page can show the secrets again. */
  const leave = (): void => {
    if (isStored || request) setSecretCopied(true);
    if (share) passCopiedLink(share.shortId);
  };
  const showChange = (change: Partial<SentShare>): void => {
    if (change.unlockCode !== share?.unlockCode || change.handoffUrl !== share?.handoffUrl) setSecretCopied(false);
    sending.showChange(change);
  };
  const askOrCancel = (): void => (share ? setAsking(true) : void cancel());

  return (
    <>
      <div class="hero">
        <h1 ref={heading} id="ready" tabIndex={-1}>
          {isDone ? <Tick /> : null}
          {hasFailed ? (sending.hasSent ? words.failedTitle : words.failedAll) : share ? words.ready : words.opening}
        </h1>
        <p>
          {isDone
            ? words.doneLead
            : hasFailed
              ? words.failedLead
              : share
                ? words.readyLead
                : sending.wait || (request ? "" : sendTexts.lead)}
        </p>
      </div>
      {request ? null : (
        <section class="card sender-bar" aria-labelledby="ready" aria-busy={share === undefined}>
          {share && isStyled ? (
            <div class="sender-row">
              <div class="link-card">
                <LinkBox url={share.shareUrl} isCopied={isCopied} takesFocus isSecondary={share.unlockCode !== undefined} />
              </div>
              <SendingTools panel={panel} onAdd={isRunning ? (files) => add(files.map(toChosenFile)) : undefined} />
            </div>
          ) : (
            <div class="skeleton" />
          )}
          {share?.fileKey ? <p class="quiet">{texts.encryptedNote}</p> : null}
          {share?.unlockCode || share?.handoffUrl ? (
            <RecipientSecrets
              url={share.shareUrl}
              code={share.unlockCode}
              privateLink={share.handoffUrl}
              note={!upload ? "" : isStored ? texts.shownHere : texts.shownOnce}
              onCopied={() => setSecretCopied(true)}
            />
          ) : null}
          {share?.deletionToken && upload && !isStored ? (
            <div class="send-secrets">
              <h2>{texts.ownTitle}</h2>
              <p class="quiet">{texts.ownNote}</p>
              <CopyableSecret
                id="deletion-token"
                label={texts.deletionToken}
                value={share.deletionToken}
                onCopied={() => setSecretCopied(true)}
              />
            </div>
          ) : null}
          {share ? <OpenPanel panel={panel} share={share} onChange={showChange} /> : null}
        </section>
      )}
      <section class="card send-progress" aria-label={texts.filesLabel}>
        {isDone && upload ? (
          <p class="send-all-sent" role="status">
            {texts.allSent(sendTexts.files(upload.files.length), size(upload.totalBytes))}
          </p>
        ) : (
          <Progress sending={sending} files={files} onCancel={askOrCancel} />
        )}
        {isDone && share && (mustKeep || hasPanel) ? (
          <div class="send-go">
            <a class={request ? "button" : "button small"} href={sharePage} onClick={leave}>
              {words.goOn}
            </a>
            {request ? null : (
              <a class="button small" href="/" onClick={leave}>
                {texts.sendMore}
              </a>
            )}
          </div>
        ) : null}
        <SentFiles upload={upload} chosen={files} wait={sending.wait} />
      </section>
      {canDrop && isRunning ? <p class="quiet">{texts.dropToAdd}</p> : null}
      {isAsking ? <CancelDialog text={words.confirmText} onKeep={() => setAsking(false)} onCancel={() => void cancel()} /> : null}
    </>
  );
}

/** Adds files that are dropped or pasted meanwhile to the same share. */
function useDroppedFiles(add: (files: readonly ChosenFile[]) => void): void {
  useEffect(() => {
    const listening = new AbortController();
    const { signal } = listening;
    const receive = async (event: Event, data: DataTransfer | null): Promise<void> => {
      if (!data?.types.includes("Files")) return;
      event.preventDefault();
      const { files } = await readDropped(data, () => undefined);
      add(files);
    };
    addEventListener("dragover", (event) => event.dataTransfer?.types.includes("Files") && event.preventDefault(), { signal });
    addEventListener("drop", (event) => void receive(event, event.dataTransfer), { signal });
    addEventListener("paste", (event) => void receive(event, event.clipboardData), { signal });
    return () => listening.abort();
  }, []);
}
