/** @jsxImportSource preact */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { sending as sendingTexts } from "#texts/sending";
import { senderBar as texts } from "#texts/share";
import { LinkBox, Tick } from "../../../sending/browser/link-card.tsx";
import type { ShareEnd, ShareSettings } from "../../../sending/browser/sender-calls.ts";
import { takeCopiedLink } from "../../../sending/browser/sending-effects.ts";
import { announce } from "../../../site/browser/components/announce.ts";
import { keepFocus } from "../../../site/browser/components/focus.ts";
import { canAddFiles, type SentShare } from "../../../site/browser/device/shares.ts";
import { DeleteIcon, EditIcon, LockIcon, PlusIcon, ShareIcon } from "../../../site/icons.tsx";
import { AddFiles } from "./add-files.tsx";
import { forgetBarSpace, rememberBarSpace } from "./bar-space.ts";
import { showDeleted } from "./deleted.tsx";
import { DeletionToast } from "./deletion-toast.tsx";
import { findEndedPage, findEndReason } from "./page-id.ts";
import { canUnlock, isLocked, refreshPage } from "./share-page.ts";
import { SharePanel } from "./share-panel.tsx";
import { ShareSettings as EditPanel } from "./share-settings.tsx";
import { SharedSecrets } from "./shared-secrets.tsx";
import { Tool } from "./tool.tsx";
import { useDeletion } from "./use-deletion.ts";
import { useSentShare } from "./use-sent-share.ts";

type Panel = "share" | "add" | "edit";

export interface SenderBarProps {
  readonly sent: SentShare;
  /** Whether the front page has just sent the share, so that the link keeps its position. */
  readonly isJustSent: boolean;
  /** Whether the settings are open at first. */
  readonly isEdited: boolean;
}

/** Renders the actions of a share's sender (pages, "The sender's bar"). */
export function SenderBar({ sent: initial, isJustSent, isEdited }: SenderBarProps) {
  const share = useSentShare(initial);
  const { sent, settings, end, reload } = share;
  const [panel, setPanel] = useState<Panel | undefined>(isEdited ? "edit" : undefined);
  const [isSending, setSending] = useState(false);
  const [isForgotten, setForgotten] = useState(false);
  const [endReason, setEndReason] = useState(findEndReason);
  const [isCopied] = useState(() => isJustSent && takeCopiedLink(initial.shortId));
  const credentials = useRef(sent);
  credentials.current = sent;
  const refresh = () => refreshPage(credentials.current);
  const deletion = useDeletion(share);

  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    if (!isJustSent) return;
    // The fragment, the field of the code below or the browser may have scrolled the page.
    scrollTo(0, 0);
    if (isCopied) heading.current?.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    if (isJustSent) announce(sendingTexts.doneLead);
    if (isLocked() && canUnlock(credentials.current)) void refresh();
  }, []);

  useEffect(() => {
    if (end !== "ended") return;
    void refresh().then(() => {
      setEndReason(findEndReason);
      if (findEndedPage()) setForgotten(true);
    });
  }, [end]);

  const deleteButton = useRef<HTMLButtonElement>(null);
  const wasDeleting = useRef(false);
  useLayoutEffect(() => {
    if (deletion.state === "none" && wasDeleting.current) deleteButton.current?.focus();
    wasDeleting.current = deletion.state !== "none";
  }, [deletion.state]);

  useLayoutEffect(() => {
    // The space is for the bar without its panels. The bar of a share that was just sent is larger than at the next visit.
    const height = isJustSent ? 0 : measureBar();
    if (settings && end === undefined && panel === undefined && height !== undefined) rememberBarSpace(sent.shortId, height);
  }, [settings, panel, end]);

  const otherLinks = settings?.otherLinks ?? 0;
  const isDeleted = deletion.state === "deleted";
  useLayoutEffect(() => {
    if (isDeleted) showDeleted(sent.shortId, { otherLinks });
  }, [isDeleted]);

  if (isForgotten || isDeleted) return null;
  if (end !== undefined) {
    const forget = async (): Promise<void> => {
      await share.forget();
      forgetBarSpace(sent.shortId);
      setForgotten(true);
      announce(texts.forgotten);
      document.getElementById("main")?.focus();
    };
    return (
      <section class="sender-bar" aria-label={texts.label}>
        <div class="sender-row">
          <p class="sender-what" role="status">
            <strong>{texts.ends[end]}</strong> <span class="quiet">{describeEnd(end, endReason)}</span>
          </p>
          <button class="button small" type="button" onClick={() => void forget()}>
            {texts.forget}
          </button>
        </div>
      </section>
    );
  }

  const kind = settings ? settings.unlockKind : guessKind(sent);
  const toggle = (name: Panel) => () => setPanel(panel === name ? undefined : name);
  const endEdit = (): void => {
    setPanel(undefined);
    keepFocus("#sender-edit-tool");
  };
  const tool = (name: Panel) => ({
    id: `sender-${name}-tool`,
    isOpen: panel === name,
    controls: `sender-${name}`,
    isDisabled: isSending,
    onClick: toggle(name),
  });
  const content = (
    <>
      <div class="sender-row">
        <p class="sender-what">
          {isJustSent ? null : <strong>{texts.yours} </strong>}
          <span class="quiet">{describe(settings)}</span>
        </p>
        <div class="link-card">
          <LinkBox
            url={sent.shareUrl}
            isCopied={isCopied}
            takesFocus={isJustSent && !isCopied}
            isSecondary={kind === "code" && sent.unlockCode !== undefined}
          />
        </div>
        <div class="sender-tools">
          <Tool {...tool("share")} label={texts.share}>
            <ShareIcon />
          </Tool>
          {canAddFiles(sent) ? (
            <Tool {...tool("add")} label={texts.addFiles}>
              <PlusIcon />
            </Tool>
          ) : null}
          <Tool {...tool("edit")} label={texts.edit}>
            <EditIcon />
          </Tool>
          <Tool class="sender-delete" buttonRef={deleteButton} label={texts.delete} isDisabled={isSending} onClick={deletion.begin}>
            <DeleteIcon />
          </Tool>
        </div>
      </div>
      {/* The fragment of a link is the key. */}
      {new URL(sent.shareUrl).hash === "" ? null : (
        <p class="sender-encrypted quiet">
          <LockIcon /> {texts.encrypted}
        </p>
      )}
      <SharedSecrets sent={sent} kind={kind} note={isJustSent ? sendingTexts.shownHere : ""} />
      {sent.isComplete || isSending ? null : (
        <p class="quiet">
          {share.isSentElsewhere ? (
            `${sendingTexts.activeElsewhere}.`
          ) : (
            <>
              {texts.incomplete} <a href="/">{texts.continue}</a>
            </>
          )}
        </p>
      )}
      {panel === "share" ? <SharePanel sent={sent} settings={settings} /> : null}
      {panel === "edit" ? (
        <div class="sender-panel">
          <EditPanel share={share} onChanged={refresh} onDone={endEdit} />
        </div>
      ) : null}
      {panel === "add" ? (
        <AddFiles
          share={share}
          onSending={setSending}
          onSent={async () => {
            await Promise.all([reload(), refresh()]);
          }}
          onClose={() => setPanel(undefined)}
        />
      ) : null}
    </>
  );
  const isDeleting = deletion.state !== "none";
  // While the share is being deleted, the message with its buttons is the region in place of the bar.
  const region = { inert: isDeleting, "aria-label": isDeleting ? undefined : texts.label };
  return (
    <>
      {isDeleting ? <DeletionToast deletion={deletion} otherLinks={otherLinks} /> : null}
      {isJustSent ? (
        <section class="sender-sent" {...region}>
          <div class="hero">
            <h2 ref={heading} tabIndex={-1}>
              <Tick />
              {sendingTexts.ready}
            </h2>
            <p>{sendingTexts.doneLead}</p>
          </div>
          <div class="sender-bar card">{content}</div>
        </section>
      ) : (
        <section class="sender-bar" {...region}>
          {content}
        </section>
      )}
    </>
  );
}

/** Measures the bar with the space above it, without the space that is kept below it until it is there; undefined if it is not shown. */
function measureBar(): number | undefined {
  const place = document.getElementById("sent");
  const bar = place?.querySelector(".sender-bar");
  return place && bar ? Math.round(bar.getBoundingClientRect().bottom - place.getBoundingClientRect().top) : undefined;
}

/** Returns the kind of protection that the data of this device tells, until the server has responded. */
const guessKind = ({ unlockCode, handoffUrl }: SentShare): ShareSettings["unlockKind"] =>
  unlockCode !== undefined ? "code" : handoffUrl === undefined ? null : "password";

/** Says why the share has ended, as its page says it; in general where the page has another reason. */
function describeEnd(end: ShareEnd, reason: string | undefined): string {
  const reasons: Readonly<Record<string, string>> = texts.endReasons;
  return (end === "ended" ? reasons[reason ?? ""] : undefined) ?? texts.endNotes[end];
}

/** Describes the remaining downloads and the other links of the files: `1 download left`. The page below says when the share expires. */
function describe(settings: ShareSettings | undefined): string {
  if (!settings) return "";
  const { maxDownloads, downloads, otherLinks } = settings;
  const left = maxDownloads === null ? texts.downloads(downloads) : texts.downloadsLeft(maxDownloads - downloads);
  return otherLinks === 0 ? left : `${left} · ${texts.alsoIn(otherLinks)}`;
}
